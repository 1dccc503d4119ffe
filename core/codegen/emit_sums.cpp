// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of vectors: one variable of zeros, to which every summand is added where it is computed.
#include "core/codegen/internal/emitter.h"
#include "core/codegen/internal/shapes.h"
#include "core/ir/term_bank.h"
#include "core/ks/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

namespace mitos::codegen {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// Whether adding the term to a place is a loop of additions.
bool hasManySummands(const ir::TermBank& bank, TermId term) {
    if (bank.is(term, CoreOp::Let)) return hasManySummands(bank, bank.child(term, 1));
    if (is(bank, term, Op::If))
        return hasManySummands(bank, bank.child(term, 1)) || hasManySummands(bank, bank.child(term, 2));
    return is(bank, term, Op::Sumbuild) || is(bank, term, Op::BuildFromSparse) || is(bank, term, Op::TsAdd);
}

/// Whether a sum of two has loops that add to it; one of places alone is made by a call.
bool addsInLoops(const ir::TermBank& bank, TermId term) {
    if (!is(bank, term, Op::TsAdd)) return hasManySummands(bank, term);
    return addsInLoops(bank, bank.child(term, 0)) || addsInLoops(bank, bank.child(term, 1));
}

}  // namespace

bool FunctionEmitter::isAddable(TypeId type) const {
    if (m_types.isTuple(type)) {
        return std::ranges::all_of(m_types.children(type), [this](TypeId part) { return isAddable(part); });
    }
    if (m_types.isTensor(type)) return m_types.rank(type) == 1 && isAddable(m_types.element(type));
    return m_types.isNumeric(type);
}

bool FunctionEmitter::isSum(TermId term) const {
    const TypeId sumType = m_bank.type(term);
    if (isScalar(sumType) || isSummedFromZero(sumType) || !isAddable(sumType) || !hasNumbers(sumType)) return false;
    const bool isTensor = m_types.isTensor(sumType);  // a tuple is made of its parts where that is plainer
    if (m_bank.is(term, CoreOp::Let)) return isTensor && isAddedByRest(term);
    if (is(m_bank, term, Op::TsAdd)) return isTensor && m_bank.type(m_bank.child(term, 1)) == sumType;
    if (is(m_bank, term, Op::If)) return countOfSumOrZero(m_bank, term).isValid();
    return is(m_bank, term, Op::Sumbuild) && isInPlace(term, 1);
}

Code FunctionEmitter::early(const EarlyTerm& term) {
    const std::size_t outside = m_bound.size();
    m_bound.resize(outside + term.binders);  // the term mentions none of these variables
    Code code = emit(term.term);
    m_bound.resize(outside);
    return code;
}

Code FunctionEmitter::earlySize(const EarlyShape& shape) {
    if (shape.size) return early(*shape.size);
    const auto known = m_variables.find(shape.sizeName);
    if (known != m_variables.end()) return known->second;
    return Code{std::string(m_bank.text(shape.sizeName)), Primary, Form::Value, true, ir::sizeRange()};
}

std::optional<Code> FunctionEmitter::sizeOfSum(TermId vector) {
    const std::optional<EarlyShape> shape = earlyShapeOf(m_bank, m_declared, vector);
    const bool isTold = shape && (shape->size || shape->sizeName.isValid());
    return isTold ? std::optional(earlySize(*shape)) : std::nullopt;
}

std::string FunctionEmitter::zeros(const EarlyShape& shape, TypeId type) {
    const std::string cpp = this->type(type);
    if (shape.example) {
        m_helpers.need("zeroLike");
        return fmt::format("ks::zeroLike<{}>({})", cpp, early(*shape.example).text);
    }
    if (shape.exampleName.isValid()) {
        m_helpers.need("zeroLike");
        return fmt::format("ks::zeroLike<{}>({})", cpp, m_variables.at(shape.exampleName).text);
    }
    if (shape.parts.empty()) return cpp + "{}";
    if (m_types.isTuple(type)) {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < shape.parts.size(); ++i) {
            parts.push_back(zeros(shape.parts[i], m_types.children(type)[i]));
        }
        return fmt::format("{}({})", cpp, list(parts));
    }
    const std::string size = sizeArgument(earlySize(shape));
    if (shape.parts[0].parts.empty() && !shape.parts[0].example && !shape.parts[0].exampleName.isValid())
        return fmt::format("{}({})", cpp, size);
    return fmt::format("{}({}, {})", cpp, size, zeros(shape.parts[0], m_types.element(type)));
}

std::optional<Code> FunctionEmitter::summed(TermId term, std::string_view hint) {
    if (!isSum(term)) return std::nullopt;
    const std::optional<EarlyShape> shape = earlyShapeOf(m_bank, m_declared, term);
    if (!shape || (shape->example && is(m_bank, term, Op::TsAdd) && !addsInLoops(m_bank, term))) return std::nullopt;
    const TypeId sumType = m_bank.type(term);
    const bool isPlainVector = m_types.isTensor(sumType) && isSummedFromZero(m_types.element(sumType));
    std::string start = zeros(*shape, sumType);
    const std::string cpp = type(sumType);
    // `T x(n)` is shorter than `T x = T(n)`.
    const bool isConstructed = start.starts_with(cpp + "(");
    const std::string name = m_scope.declare(hint.empty() ? "sum" : hint);
    line(isConstructed ? fmt::format("{} {}{};", cpp, name, start.substr(cpp.size()))
                       : fmt::format("{} {} = {};", cpp, name, start));
    const std::size_t outside = m_known.size();
    know(name, *shape, sumType);
    const bool isSumFirst = isPlainVector && is(m_bank, term, Op::TsAdd) &&
                            hasManySummands(m_bank, m_bank.child(term, 1)) &&
                            !hasManySummands(m_bank, m_bank.child(term, 0));
    if (isSumFirst) {
        // The summands of the second part are added to each other first, as the program says.
        addInto(m_bank.child(term, 1), name);
        addInto(m_bank.child(term, 0), name);
    } else {
        addInto(term, name);
    }
    m_known.resize(outside);
    return Code{name, Primary, Form::Local};
}

void FunctionEmitter::know(const std::string& target, const EarlyShape& shape, TypeId type) {
    m_known.push_back({target, shape, {}});
    if (shape.example || shape.exampleName.isValid() || shape.parts.empty()) return;
    if (m_types.isTensor(type)) {
        m_known.back().length = wrapped(earlySize(shape), Additive);
        return;
    }
    for (std::size_t i = 0; i < shape.parts.size(); ++i) {
        know(fmt::format("std::get<{}>({})", i, target), shape.parts[i], m_types.children(type)[i]);
    }
}

bool FunctionEmitter::isKnown(const std::string& target, TermId value) const {
    return std::ranges::any_of(m_known, [&](const KnownShape& known) {
        if (known.target != target) return false;
        const std::optional<EarlyShape> shape = earlyShapeOf(m_bank, m_declared, value);
        return shape && areSame(m_bank, m_declared, known.shape, *shape);
    });
}

void FunctionEmitter::requireLength(const std::string& target, const Code& size) {
    const std::string length = wrapped(size, Additive);
    const auto isKnown = [&](const KnownShape& known) { return known.target == target && known.length == length; };
    if (std::ranges::any_of(m_known, isKnown)) return;
    require(fmt::format("{} == {}", ksCall("size", target), length), "the sizes of two vectors differ");
}

void FunctionEmitter::addSumbuild(TermId term, const std::string& target, bool mayBeEmpty) {
    const std::vector<Code> sizes = sizesOfSum(term, mayBeEmpty);
    const Binding index = openLoops(sizes, m_bank.child(term, 1));
    m_bound.push_back(index);
    addInto(m_bank.child(m_bank.child(term, 1), 0), target);
    m_bound.pop_back();
    for (std::size_t d = 0; d < sizes.size(); ++d) close();
}

bool FunctionEmitter::addSumOrZero(TermId term, const std::string& target) {
    const TermId count = countOfSumOrZero(m_bank, term);
    if (!count.isValid() || !isInPlace(m_bank.child(term, 1), 1)) return false;
    if (!isKnown(target, term)) {
        const std::optional<Code> size = sizeOfSum(term);
        if (!size) return false;
        requireLength(target, *size);
    }
    addSumbuild(m_bank.child(term, 1), target, true);
    return true;
}

}  // namespace mitos::codegen
