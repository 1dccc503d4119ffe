// SPDX-License-Identifier: GPL-3.0-or-later
// Functions whose calls are not opened: they take parts of tuples and numbers of short vectors, and give numbers, so that no vector is made for
// a call.
#include "core/ir/calls.h"
#include "core/loops/internal/expander.h"

#include <absl/container/inlined_vector.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::loops {

using ir::CoreOp;
using ir::FunctionId;
using ir::TermId;
using ir::TypeId;
using ks::Op;

namespace {

/// A function has at most so many forms for arguments of different lengths.
constexpr std::size_t MostForms = 4;

bool containsVector(const ir::TypeTable& types, TypeId type) {
    return types.isTensor(type) ||
           std::ranges::any_of(types.children(type), [&](TypeId part) { return containsVector(types, part); });
}

/// Whether a free variable occurs only as the tuple of projections.
bool isOnlyProjected(const ir::TermBank& bank, TermId term, Symbol name, absl::flat_hash_set<TermId>& seen) {
    if (!seen.insert(term).second) return true;
    if (bank.is(term, CoreOp::Variable)) return bank.payload(term).asSymbol() != name;
    if (bank.is(term, CoreOp::Get) && bank.is(bank.child(term, 0), CoreOp::Variable)) return true;
    return std::ranges::all_of(bank.children(term),
                               [&](TermId child) { return isOnlyProjected(bank, child, name, seen); });
}

/// Whether a body calls a function only for one part of its value.
bool callsForPart(const ir::TermBank& bank, TermId term, FunctionId function, std::uint32_t part) {
    const auto isCall = [&](TermId at) {
        return bank.is(at, CoreOp::Call) && bank.payload(at).asFunction() == function;
    };
    if (isCall(term)) return false;
    const bool isPart = bank.is(term, CoreOp::Get) && bank.payload(term).projectionIndex() == part;
    const TermId inner = isPart && isCall(bank.child(term, 0)) ? bank.child(term, 0) : term;
    return std::ranges::all_of(bank.children(inner),
                               [&](TermId child) { return callsForPart(bank, child, function, part); });
}

/// The name that a body gives to a part of a parameter at its start.
Symbol nameOfPart(const ir::TermBank& bank, TermId body, Symbol parameter, std::uint32_t part) {
    for (; bank.is(body, CoreOp::Let); body = bank.child(body, 1)) {
        const TermId value = bank.child(body, 0);
        if (!bank.is(value, CoreOp::Get) || bank.payload(value).projectionIndex() != part) continue;
        const TermId tuple = bank.child(value, 0);
        if (bank.is(tuple, CoreOp::Variable) && bank.payload(tuple).asSymbol() == parameter) return bank.hint(body);
    }
    return {};
}

}  // namespace

FunctionId Expander::declared(FunctionId id) {
    return taking(id, Signature(m_from.function(id).parameters.size(), Taken{false, {std::nullopt}}), {}).to;
}

ValueId Expander::handed(FunctionId id, TypeId type, const Parts& arguments, std::optional<std::uint32_t> part) {
    const ir::Function& function = m_from.function(id);
    const bool isPlain = id == m_program.function || !function.body.isValid() ||
                         function.parameters.size() != arguments.size() ||
                         std::ranges::any_of(function.sizes, [](const ir::SizeName& size) { return !size.parameter; });
    Parts values;
    Signature signature;
    std::vector<KnownSize> known;
    for (std::size_t i = 0; i < function.parameters.size() && !isPlain; ++i) {
        Taken taken{isSplit(id, i)};
        const TypeId declared = m_map.type(function.parameters[i].type);
        const Parts parts = taken.isSplit ? *partsOf(arguments[i]) : Parts{arguments[i]};
        for (std::size_t k = 0; k < parts.size(); ++k) {
            // A vector of another length than the parameter states must not become one that fits.
            const std::optional<Lengths> numbers = numbersIn(parts[k]);
            const TypeId stated = taken.isSplit ? m_to.types().children(declared)[k] : declared;
            const bool fits = numbers && fitOf(stated, parts[k], known) == Fit::Always;
            taken.numbers.push_back(fits ? numbers : std::nullopt);
        }
        values.insert(values.end(), parts.begin(), parts.end());
        signature.push_back(std::move(taken));
    }
    if (isPlain) signature.assign(function.parameters.size(), Taken{false, {std::nullopt}});
    const bool isPart = part && !isPlain && containsVector(m_to.types(), m_to.types().children(type)[*part]) &&
                        callsForPart(m_from, function.body, id, *part);
    const Planned& callee = taking(id, signature, isPart ? part : std::nullopt);
    const bool isTaken = !isPlain && callee.signature == signature;
    absl::InlinedVector<TermId, 8> terms;
    if (isTaken) {
        std::size_t next = 0;
        for (const Taken& taken : callee.signature) {
            for (const std::optional<Lengths>& lengths : taken.numbers) {
                const ValueId value = values[next++];
                terms.push_back(lengths ? packed(value, *lengths) : term(value));
            }
        }
    } else {
        for (const ValueId argument : arguments) terms.push_back(term(argument));
    }
    const Lengths result = callee.result;
    const TypeId given = result.empty() && !callee.part ? type : m_to.function(callee.to).result;
    const bool isWhole = part && !callee.part;
    const TermId call = m_to.stated(ir::opId(CoreOp::Call), given, terms, ir::Payload::function(callee.to));
    if (!result.empty()) return unpacked(atom(call, function.name), result);
    if (isWhole) return ofTerm(m_to.get(call, *part));
    const std::optional<Lengths> lengths = m_lengths.ofResult(id);
    return ofTerm(call, lengths && !lengths->empty() ? statedType(*lengths) : TypeId());
}

const Expander::Planned& Expander::taking(FunctionId id, Signature signature, std::optional<std::uint32_t> part) {
    std::deque<Planned>& forms = m_functions[id];
    for (const Planned& form : forms) {
        if (form.signature == signature && form.part == part) return form;
    }
    if (forms.size() >= MostForms) {
        const Signature plain(m_from.function(id).parameters.size(), Taken{false, {std::nullopt}});
        if (signature != plain || part) return taking(id, plain, {});
    }
    const bool isOwn = id == m_program.function;
    Planned planned{id, {}, std::move(signature), part};
    if (!isOwn && !part && m_from.function(id).body.isValid()) {
        const std::optional<Lengths> result = m_lengths.ofResult(id);
        if (result && isShort(*result)) planned.result = *result;
    }
    declare(planned);
    if (isOwn || m_from.function(id).body.isValid()) m_waiting.push_back(planned);
    return m_functions[id].emplace_back(std::move(planned));
}

void Expander::declare(Planned& planned) {
    const ir::Function& source = m_from.function(planned.from);
    ir::Function copy = source;
    copy.body = TermId();
    copy.argument = m_map.type(copy.argument);
    copy.result = planned.result.empty() ? m_map.type(copy.result) : numbersType(planned.result);
    copy.declaredResult = planned.result.empty() ? m_map.type(copy.declaredResult) : copy.result;
    if (planned.part) {
        copy.result = m_to.types().children(copy.result)[*planned.part];
        copy.declaredResult = m_to.types().children(copy.declaredResult)[*planned.part];
        copy.name.append(fmt::format("_{}", *planned.part + 1));
        while (m_names.contains(copy.name)) copy.name.append("_");
    }
    copy.parameters.clear();
    copy.sizes.clear();
    bool isPlain = true;
    std::vector<std::size_t> first;  // the first new parameter of each old one
    absl::flat_hash_set<Symbol> taken;
    for (const ir::Parameter& parameter : source.parameters) taken.insert(m_map.symbol(parameter.name));
    for (const ir::SizeName& size : source.sizes) taken.insert(m_map.symbol(size.name));
    for (std::size_t i = 0; i < source.parameters.size(); ++i) {
        const ir::Parameter parameter{m_map.symbol(source.parameters[i].name), m_map.type(source.parameters[i].type)};
        const Taken& form = planned.signature[i];
        first.push_back(copy.parameters.size());
        for (std::uint32_t part = 0; part < form.numbers.size(); ++part) {
            Symbol name = parameter.name;
            if (form.isSplit) {
                const Symbol known = nameOfPart(m_from, source.body, source.parameters[i].name, part);
                std::string text = known.isValid() ? std::string(m_from.text(known))
                                                   : fmt::format("{}_{}", m_to.text(parameter.name), part + 1);
                while (!taken.insert(m_to.symbols().intern(text)).second) text.append("_1");
                name = m_to.symbols().intern(text);
            }
            const TypeId type = form.isSplit ? m_to.types().children(parameter.type)[part] : parameter.type;
            copy.parameters.push_back({name, form.numbers[part] ? numbersType(*form.numbers[part]) : type});
            isPlain = isPlain && !form.isSplit && !form.numbers[part];
        }
    }
    for (const ir::SizeName& size : source.sizes) {
        ir::SizeName named = size;
        named.name = m_map.symbol(size.name);
        if (size.parameter && !isPlain) {
            if (knownSize(planned, size)) continue;
            const Taken& form = planned.signature[*size.parameter];
            const std::size_t part = form.isSplit ? size.steps[0] : 0;
            named.parameter = static_cast<std::uint32_t>(first[*size.parameter] + part);
            if (form.isSplit) named.steps.erase(named.steps.begin());
        }
        copy.sizes.push_back(std::move(named));
    }
    if (!isPlain) {
        std::vector<TypeId> types;
        for (const ir::Parameter& parameter : copy.parameters) types.push_back(m_to.types().erased(parameter.type));
        copy.argument = types.size() == 1 ? types[0] : m_to.types().tuple(types);
        // Functions are known by their names and the types of their arguments, and another one may have this type.
        if (m_names[source.name] > 1) copy.name.append("_by_parts");
    }
    planned.to = *m_to.declare(std::move(copy));
}

std::optional<std::int64_t> Expander::knownSize(const Planned& planned, const ir::SizeName& size) {
    if (!size.parameter) return std::nullopt;
    const Taken& taken = planned.signature[*size.parameter];
    const std::optional<Lengths>& lengths = taken.numbers[taken.isSplit ? size.steps[0] : 0];
    if (!lengths) return std::nullopt;
    return (*lengths)[size.steps.size() - (taken.isSplit ? 1 : 0)];
}

ValueId Expander::parameterOf(const Planned& planned, std::size_t parameter, std::size_t& next) {
    const ir::Function& function = m_to.function(planned.to);
    const Taken& taken = planned.signature[parameter];
    Parts parts;
    for (const std::optional<Lengths>& lengths : taken.numbers) {
        const ir::Parameter& made = function.parameters[next++];
        const TermId variable = m_to.variable(made.name, m_to.types().erased(made.type));
        parts.push_back(lengths ? unpacked(variable, *lengths) : ofTerm(variable, made.type));
    }
    if (!taken.isSplit) return parts[0];
    const TypeId type = m_to.types().erased(m_map.type(m_from.function(planned.from).parameters[parameter].type));
    return ofParts(Kind::Tuple, type, std::move(parts));
}

bool Expander::isSplit(FunctionId id, std::size_t parameter) {
    const auto known = m_isSplit.find({id, parameter});
    if (known != m_isSplit.end()) return known->second;
    const ir::Parameter& at = m_from.function(id).parameters[parameter];
    absl::flat_hash_set<TermId> seen;
    const bool isSplit = m_from.types().isTuple(at.type) && containsVector(m_from.types(), at.type) &&
                         isOnlyProjected(m_from, m_from.function(id).body, at.name, seen);
    m_isSplit.emplace(std::pair{id, parameter}, isSplit);
    return isSplit;
}

// --- numbers ------------------------------------------------------------------------------------------------------------

bool Expander::isShort(const Lengths& lengths) {
    std::int64_t numbers = 1;
    for (const std::int64_t length : lengths) {
        if (length < 2 || length > MostElements) return false;
        numbers *= length;
        if (numbers > MostElements) return false;
    }
    return !lengths.empty();
}

std::optional<Lengths> Expander::numbersIn(ValueId value) const {
    if (at(value).kind != Kind::Vector) return std::nullopt;
    std::optional<Lengths> lengths = lengthsOf(value);
    return lengths && isShort(*lengths) ? lengths : std::nullopt;
}

std::optional<Lengths> Expander::lengthsOf(ValueId value) const {
    const StaticValue& known = at(value);
    if (known.kind == Kind::Term) return KnownLengths(m_to).ofType(known.stated);
    if (known.kind != Kind::Vector || known.parts.empty()) return std::nullopt;
    std::optional<Lengths> lengths = lengthsOf(known.parts[0]);
    for (const ValueId part : known.parts) {
        const std::optional<Lengths> others = lengthsOf(part);
        if (others != lengths) return std::nullopt;
    }
    if (lengths) lengths->insert(lengths->begin(), static_cast<std::int64_t>(known.parts.size()));
    return lengths;
}

std::optional<Lengths> Expander::lengthsOf(TermId term) {
    return m_lengths.of(term, [this](TermId place, std::uint32_t index) -> std::optional<Lengths> {
        if (m_from.is(place, CoreOp::Bound)) {
            return index < m_bound.size() ? lengthsOf(m_bound[m_bound.size() - 1 - index]) : std::nullopt;
        }
        if (!m_from.is(place, CoreOp::Variable)) return std::nullopt;
        const auto known = m_parameters.find(m_from.payload(place).asSymbol());
        return known != m_parameters.end() ? lengthsOf(known->second) : std::nullopt;
    });
}

TypeId Expander::statedType(const Lengths& lengths) {
    TypeId type = m_to.types().floating();
    for (std::size_t i = lengths.size(); i-- > 0;) {
        type = lengths[i] < 0 ? m_to.types().tensor(1, type) : statedVector(lengths[i], type);
    }
    return type;
}

TypeId Expander::numbersType(std::span<const std::int64_t> lengths) {
    if (lengths.empty()) return m_to.types().floating();
    const std::vector<TypeId> parts(static_cast<std::size_t>(lengths[0]), numbersType(lengths.subspan(1)));
    return m_to.types().tuple(parts);
}

TermId Expander::packed(ValueId value, std::span<const std::int64_t> lengths) {
    if (lengths.empty()) return term(value);
    std::optional<Parts> parts = partsOf(value);
    if (!parts) {
        const TermId vector = atom(term(value), "vector");
        parts.emplace();
        for (std::int64_t i = 0; i < lengths[0]; ++i) {
            parts->push_back(ofTerm(made(Op::Index, {m_to.integer(i), vector})));
        }
    }
    absl::InlinedVector<TermId, 8> terms;
    for (const ValueId part : *parts) terms.push_back(packed(part, lengths.subspan(1)));
    return m_to.tuple(terms);
}

ValueId Expander::unpacked(TermId tuple, std::span<const std::int64_t> lengths) {
    if (lengths.empty()) return ofTerm(tuple);
    Parts parts;
    for (std::uint32_t i = 0; i < lengths[0]; ++i) parts.push_back(unpacked(m_to.get(tuple, i), lengths.subspan(1)));
    const TypeId type = m_to.types().tensor(1, at(parts[0]).type);
    return ofParts(Kind::Vector, type, std::move(parts));
}

TermId Expander::wholeNumbers(TermId body, const Lengths& lengths) {
    const std::size_t outside = m_bound.size();
    bindLets(body);
    const auto wholeOf = [&](TermId branch) { return wholeNumbers(branch, lengths); };
    const bool isChoice = ks::ksOp(m_from.op(body)) == Op::If;
    const TermId result = isChoice ? wholeBranches(body, wholeOf) : packed(eval(body), lengths);
    m_bound.resize(outside);
    return result;
}

TermId Expander::wholePart(TermId body, std::uint32_t part) {
    const std::size_t outside = m_bound.size();
    bindLets(body);
    const auto result = [&] {
        const auto wholeOf = [&](TermId branch) { return wholePart(branch, part); };
        if (ks::ksOp(m_from.op(body)) == Op::If) return wholeBranches(body, wholeOf);
        if (!m_from.is(body, CoreOp::Tuple)) return term(partOf(eval(body), part));
        for (std::uint32_t i = 0; i < m_from.childCount(body); ++i) {
            if (i != part) drop(eval(m_from.child(body, i)));
        }
        return whole(m_from.child(body, part));
    }();
    m_bound.resize(outside);
    return result;
}

}  // namespace mitos::loops
