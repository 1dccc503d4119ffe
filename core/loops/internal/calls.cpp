// SPDX-License-Identifier: GPL-3.0-or-later
// Calls, and the bodies that replace them.
#include "core/eval/signature.h"
#include "core/ir/binding.h"
#include "core/loops/internal/expander.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>

namespace mitos::loops {

using ir::FunctionId;
using ir::TermId;
using ir::TypeId;
using ks::Op;

ValueId Expander::call(TermId term, std::string_view hint, std::optional<std::uint32_t> part) {
    const FunctionId function = m_from.payload(term).asFunction();
    Parts arguments;
    for (std::size_t i = 0; i < m_from.childCount(term); ++i) arguments.push_back(eval(m_from.child(term, i)));
    if (isOpened(function, arguments)) {
        const ValueId value = opened(function, std::move(arguments), hint);
        return part ? partOf(value, *part) : value;
    }
    return handed(function, m_map.type(m_from.type(term)), arguments, part);
}

bool Expander::isOpened(FunctionId id, const Parts& arguments) {
    if (!m_calls.mayOpen(id)) return false;
    const ir::Function& function = m_from.function(id);
    if (function.parameters.size() != arguments.size()) return false;
    const bool isShort = std::ranges::any_of(arguments, [&](ValueId argument) {
        return hasVector(shape(argument)) || lengthOf(argument).value_or(MostElements + 1) <= MostElements;
    });
    if (!isShort && !m_calls.isOpenedAlways(id) && !m_calls.statesLength(id)) return false;
    std::vector<KnownSize> known;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Fit fit = fitOf(m_map.type(function.parameters[i].type), arguments[i], known);
        // A check in the place of the call pays only if vectors disappear.
        if (fit == Fit::Never || (fit == Fit::Unknown && !isShort)) return false;
    }
    return m_growth.take(m_from.treeSize(function.body));
}

Expander::Fit Expander::fitOf(TypeId type, ValueId value, std::vector<KnownSize>& known) {
    ir::TypeTable& types = m_to.types();
    if (!eval::namesSizes(types, type)) return Fit::Always;
    Fit fit = Fit::Always;
    if (types.isTensor(type) && types.rank(type) == 1 && !types.sizes(type).empty()) {
        const Symbol name = types.sizes(type)[0];
        const TermId length = lengthTerm(value);
        const std::optional<std::int64_t> constant = eval::constantSize(m_to, name);
        TermId wanted = constant ? m_to.integer(*constant) : TermId();
        for (const KnownSize& other : known) {
            if (other.name == name) wanted = other.size;
        }
        if (!wanted.isValid()) {
            known.push_back({name, length});
        } else if (wanted != length) {
            if (integer(wanted) && integer(length)) return Fit::Never;
            fit = Fit::Unknown;
        }
    }
    for (std::size_t i = 0; i < at(value).parts.size(); ++i) {
        const TypeId part = types.isTuple(type) ? types.children(type)[i] : types.element(type);
        const Fit inner = fitOf(part, at(value).parts[i], known);
        if (inner == Fit::Never) return inner;
        if (inner == Fit::Unknown) fit = inner;
    }
    return fit;
}

TermId Expander::lengthTerm(ValueId value) {
    if (const std::optional<std::int64_t> length = lengthOf(value)) return m_to.integer(*length);
    // A size that the function which is being defined names.
    const ir::TypeTable& types = m_to.types();
    const TypeId stated = at(value).stated;
    if (!types.sizes(stated).empty() && types.sizes(stated)[0].isValid()) {
        const auto named = m_sizeNames.find(types.sizes(stated)[0]);
        if (named != m_sizeNames.end()) return named->second;
    }
    const TermId size = made(Op::Size, {at(value).term});
    m_code.setSize(size);
    return size;
}

ValueId Expander::withStatedSizes(TypeId type, ValueId value, std::vector<KnownSize>& known) {
    ir::TypeTable& types = m_to.types();
    if (!eval::namesSizes(types, type)) return value;
    if (types.isTensor(type) && types.rank(type) == 1 && !types.sizes(type).empty()) {
        const std::optional<std::int64_t> length = checkedLength(types.sizes(type)[0], value, known);
        if (length && at(value).kind == Kind::Term) {
            value = ofTerm(at(value).term, statedVector(*length, types.element(at(value).stated)));
        }
    }
    if (!isStatic(value)) return value;
    Parts parts = at(value).parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] =
            withStatedSizes(types.isTuple(type) ? types.children(type)[i] : types.element(type), parts[i], known);
    }
    if (parts == at(value).parts) return value;
    const ValueId result = ofParts(at(value).kind, at(value).type, std::move(parts));
    m_values[result.value].owner = at(value).owner;
    m_values[result.value].hint = at(value).hint;
    return result;
}

std::optional<std::int64_t> Expander::checkedLength(Symbol name, ValueId value, std::vector<KnownSize>& known) {
    const std::optional<std::int64_t> constant = eval::constantSize(m_to, name);
    const TermId length = lengthTerm(value);
    TermId wanted = constant ? m_to.integer(*constant) : TermId();
    for (const KnownSize& other : known) {
        if (other.name == name) wanted = other.size;
    }
    if (!wanted.isValid()) known.push_back({name, length});
    if (!wanted.isValid() || wanted == length) return std::nullopt;
    const TermId isSame = made(Op::Eq, {length, wanted});
    m_code.bind(m_block, made(Op::Assert, {isSame, m_to.boolean(true)}), "fits");
    return integer(wanted);
}

/// The size of the tensor at the end of the steps; 0 if a tensor on the way is empty and has no element to read.
TermId Expander::sizeIn(ValueId value, std::span<const std::uint32_t> steps, std::uint32_t dimension) {
    const ir::TypeTable& types = m_to.types();
    const TypeId type = at(value).type;
    const bool isVector = types.isTensor(type) && types.rank(type) == 1;
    if (steps.empty()) {
        if (isVector) return lengthTerm(value);
        return m_to.get(made(Op::Size, {term(value)}), dimension);
    }
    if (types.isTuple(type)) {
        const Parts parts = *partsOf(value);
        return sizeIn(bound(parts[steps[0]], "part", true), steps.subspan(1), dimension);
    }
    if (at(value).kind == Kind::Vector) return sizeIn(at(value).parts[0], steps.subspan(1), dimension);
    const TypeId element = types.element(at(value).stated);
    std::vector<TermId> zeros(types.rank(type), m_to.integer(0));
    const TermId first = isVector ? zeros[0] : m_to.tuple(zeros);
    const TermId read = made(Op::Index, {first, at(value).term});
    TermId result = sizeIn(ofTerm(read, element), steps.subspan(1), dimension);
    if (integer(result)) return result;
    const TermId size = made(Op::Size, {at(value).term});
    for (std::uint32_t i = types.rank(type); i-- > 0;) {
        const TermId extent = isVector ? size : m_to.get(size, i);
        result = made(Op::If, {made(Op::Gt, {extent, m_to.integer(0)}), result, m_to.integer(0)});
    }
    m_code.setSize(result);
    return result;
}

ValueId Expander::opened(FunctionId id, Parts arguments, std::string_view hint) {
    const ir::Function& function = m_from.function(id);
    std::vector<KnownSize> known;
    absl::flat_hash_map<Symbol, ValueId> parameters;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ir::Parameter& parameter = function.parameters[i];
        const ValueId argument = bound(arguments[i], m_from.text(parameter.name));
        arguments[i] = withStatedSizes(m_map.type(parameter.type), argument, known);
        parameters[parameter.name] = arguments[i];
    }
    for (const ir::SizeName& size : function.sizes) {
        if (parameters.contains(size.name) || !size.parameter) continue;
        if (!ir::mentionsFree(m_from, function.body, size.name)) continue;
        const TermId value = sizeIn(arguments[*size.parameter], size.steps, size.dimension);
        const TermId name = atom(value, m_from.text(size.name));
        m_code.setSize(name);
        parameters[size.name] = ofTerm(name);
    }
    std::swap(m_parameters, parameters);
    std::vector<ValueId> outside;
    std::swap(m_bound, outside);
    ++m_opened;
    const ValueId value = eval(function.body, hint);
    --m_opened;
    std::swap(m_bound, outside);
    std::swap(m_parameters, parameters);
    return value;
}

}  // namespace mitos::loops
