// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/facts/analysis.h"

#include "core/base/deep_stack.h"
#include "core/base/number_text.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <memory>

namespace mitos::facts {

using ir::Certainty;
using ir::CoreOp;
using ir::Size;
using ir::TypeId;
using ir::ValueKind;
using ir::ValueRange;

namespace {

/// Functions applied inside of each other that are not written where they are applied. Each may apply another one twice, and so on.
constexpr std::uint32_t MostClosures = 2;

/// Takes the place of a child in the key of surroundings that are a fact.
constexpr std::uint32_t FactChild = 0xFFFF'FFFF;
/// The same for surroundings that are a call.
constexpr std::uint32_t CallChild = 0xFFFF'FFFE;

using ValueList = absl::InlinedVector<ValueId, 4>;

[[nodiscard]] bool isLambdaType(const ir::TermBank& bank, TypeId type) {
    return bank.types().kind(type) == ir::TypeKind::Lambda;
}

/// Whether a size of values of the type has a name.
[[nodiscard]] bool statesSizes(const ir::TypeTable& types, TypeId type) {
    if (types.isTuple(type)) {
        return std::ranges::any_of(types.children(type), [&](TypeId part) { return statesSizes(types, part); });
    }
    if (!types.isTensor(type)) return false;
    return std::ranges::any_of(types.sizes(type), &Symbol::isValid) || statesSizes(types, types.element(type));
}

}  // namespace

Analysis::Analysis(const ir::TermBank& bank) : m_bank(bank), m_values(ir::AbstractValues::Tracks::Numbers) {
    m_environments.emplace_back();
    m_environments.front().plain = outside();
    m_environments.front().base = outside();
}

Analysis::Analysis(const ir::TermBank& bank, const ir::Function& function) : Analysis(bank) { m_function = &function; }

// --- surroundings --------------------------------------------------------------------------------------------------------

EnvId Analysis::intern(const Environment& e) {
    const EnvId fresh(static_cast<std::uint32_t>(m_environments.size()));
    // The rest follows from these.
    const std::uint32_t child = e.isFact ? FactChild : e.isCall ? CallChild : e.child;
    const EnvironmentKey key{e.outer, e.source, child, e.value, e.fact, e.loops, e.closures};
    const auto [place, isNew] = m_environmentIds.try_emplace(key, fresh);
    if (!isNew) return place->second;
    m_environments.push_back(e);
    if (!e.plain.isValid()) m_environments.back().plain = fresh;
    if (e.isCall) m_environments.back().base = fresh;
    return fresh;
}

EnvId Analysis::bound(EnvId outer, TermId source, std::uint32_t child, ValueId value, std::uint32_t level,
                      std::uint32_t loops, std::uint32_t closures) {
    const Environment around = m_environments[outer.value];
    Environment inner;
    inner.outer = outer;
    inner.base = around.base;
    inner.source = source;
    inner.child = child;
    inner.value = value;
    inner.calls = around.calls;
    inner.depth = around.depth + 1;
    inner.level = level;
    inner.loops = loops;
    inner.closures = closures;
    inner.hasFacts = around.hasFacts;
    if (around.hasFacts) inner.plain = bound(around.plain, source, child, value, level, loops, closures);
    return intern(inner);
}

EnvId Analysis::withFact(EnvId outer, TermId subject, const ValueRange& fact) {
    Environment inner = m_environments[outer.value];
    inner.outer = outer;
    inner.source = subject;
    inner.child = 0;
    inner.value = ValueId();
    inner.isFact = true;
    inner.isCall = false;
    inner.fact = fact;
    inner.hasFacts = true;
    return intern(inner);
}

/// The parameters may depend on all iterations of the loops around the call.
EnvId Analysis::inCall(TermId call, EnvId outer) {
    const Environment around = m_environments[outer.value];
    Environment inner;
    inner.outer = outer;
    inner.source = call;
    inner.isCall = true;
    inner.level = around.loops;
    inner.loops = around.loops;
    inner.closures = around.closures;
    inner.calls = around.calls + 1;
    if (around.hasFacts) inner.plain = inCall(call, around.plain);
    return intern(inner);
}

EnvId Analysis::below(TermId term, std::size_t child, EnvId surroundings) {
    if (m_bank.boundIn(term, child) > 0) {
        const std::uint32_t loops = m_environments[surroundings.value].loops;
        const std::uint32_t closures = m_environments[surroundings.value].closures;
        if (!m_bank.is(term, CoreOp::Let)) {
            return bound(surroundings, term, 0, ValueId(), loops + 1, loops + 1, closures);
        }
        const TermId value = m_bank.child(term, 0);
        return bound(surroundings, term, 0, operand(value, surroundings).value, level(value, surroundings), loops,
                     closures);
    }
    const ir::OperatorInfo& info = m_bank.registry().info(m_bank.op(term));
    if (info.traits.chooses && child > 0) return learned(m_bank.child(term, 0), child == 1, surroundings);
    return surroundings;
}

// --- an application of an operator of a dialect --------------------------------------------------------------------------

/// The operands of a term, and the functions among them applied once.
class Analysis::Application {
public:
    Application(Analysis& owner, TermId term, EnvId at) : m_owner(owner), m_term(term), m_at(at) {
        const ir::TermBank& bank = owner.m_bank;
        for (std::size_t i = 0; i < bank.childCount(term); ++i) {
            const TermId child = bank.child(term, i);
            const Facts facts = owner.operand(child, owner.below(term, i, at));
            m_isTotal = m_isTotal && facts.isTotal;
            m_isDefined = m_isDefined && facts.isDefined;
            m_operands.push_back(facts.value);
            m_types.push_back(bank.type(child));
            m_sources.push_back(child.value);
        }
        m_results = m_operands;
    }

    /// The surroundings of the body of the function in a child; its own child is the body. Invalid if the function is not known.
    EnvId inFunction(std::size_t child) {
        const ir::AbstractValue function = m_owner.m_values[m_operands[child]];
        if (function.kind != ValueKind::Function) return {};
        const TermId lambda(static_cast<std::uint32_t>(function.bits));
        const bool isWrittenHere = m_owner.m_bank.child(m_term, child) == lambda;
        const Environment& defined = m_owner.m_environments[function.environment.value];
        const Environment& here = m_owner.m_environments[m_at.value];
        const std::uint32_t closures = here.closures + (isWrittenHere ? 0 : 1);
        if (closures > MostClosures) return {};
        const std::uint32_t loops = std::max(defined.loops, here.loops) + 1;
        const TypeId type = m_owner.m_bank.types().children(m_types[child])[0];
        const EnvId plain = here.plain;
        std::uint32_t part = static_cast<std::uint32_t>(child) << 16U;
        const ValueId argument = m_owner.named(ir::argumentOf(input(), child), type, m_term, plain, loops, part, false);
        return m_owner.bound(function.environment, m_term, static_cast<std::uint32_t>(child), argument, loops, loops,
                             closures);
    }

    Facts facts() {
        bool areFunctionsKnown = true;
        for (std::size_t i = 0; i < m_operands.size(); ++i) {
            if (!isLambdaType(m_owner.m_bank, m_types[i])) continue;
            const EnvId inside = inFunction(i);
            areFunctionsKnown = areFunctionsKnown && inside.isValid();
            if (inside.isValid()) {
                apply(i, inside);
            } else {
                m_results[i] =
                    m_owner.m_values.anyOfType(m_owner.m_bank.types(), m_owner.m_bank.types().children(m_types[i])[1]);
            }
        }
        const ir::OperationFacts own = ir::factsOf(input());
        Facts facts{own.value, own.fails, own.isUndefined};
        if (!areFunctionsKnown) facts.fails = facts.isUndefined = Certainty::Maybe;
        facts.isTotal = m_isTotal && facts.fails == Certainty::Never;
        facts.isDefined = m_isDefined && facts.isTotal && facts.isUndefined == Certainty::Never;
        return facts;
    }

private:
    [[nodiscard]] ir::FactInput input() {
        const ir::TermBank& bank = m_owner.m_bank;
        const ir::OpId op = bank.op(m_term);
        return {m_owner.m_values,
                bank.types(),
                op,
                bank.registry().info(op),
                bank.payload(m_term),
                bank.type(m_term),
                m_types,
                m_operands,
                m_results,
                m_sources};
    }

    void apply(std::size_t child, EnvId inside) {
        const TermId lambda(static_cast<std::uint32_t>(m_owner.m_values[m_operands[child]].bits));
        const Facts body = m_owner.operand(m_owner.m_bank.child(lambda, 0), inside);
        m_isTotal = m_isTotal && body.isTotal;
        m_isDefined = m_isDefined && body.isDefined;
        m_results[child] = m_owner.m_values.outside(body.value, m_owner.m_environments[inside.value].loops);
    }

    Analysis& m_owner;
    TermId m_term;
    EnvId m_at;
    ValueList m_operands;
    ValueList m_results;
    absl::InlinedVector<TypeId, 4> m_types;
    absl::InlinedVector<std::uint32_t, 4> m_sources;
    bool m_isTotal = true;
    bool m_isDefined = true;
};

EnvId Analysis::inFunction(TermId term, std::size_t child, EnvId surroundings) {
    EnvId result;
    withDeepStack(std::min(m_bank.depth(term), MostLevels),
                  [&] { result = Application(*this, term, surroundings).inFunction(child); });
    if (result.isValid()) return result;
    const std::uint32_t loops = m_environments[surroundings.value].loops + 1;
    return bound(surroundings, term, static_cast<std::uint32_t>(child), ValueId(), loops, loops, 0);
}

// --- evaluation ----------------------------------------------------------------------------------------------------------

Facts Analysis::of(TermId term, EnvId surroundings) {
    if (const auto known = m_facts.find({term, surroundings}); known != m_facts.end()) return known->second;
    Facts result;
    if (m_bank.types().isArray(m_bank.type(term))) {
        prepare(term);
        return evaluate(term, surroundings);
    }
    withDeepStack(std::min(m_bank.depth(term), MostLevels), [&] { result = evaluate(term, surroundings); });
    return result;
}

/// Arrays have no binders, and their graphs may be deep: operands come first, without recursion.
void Analysis::prepare(TermId term) {
    std::vector<TermId> open{term};
    while (!open.empty()) {
        const TermId current = open.back();
        const std::size_t before = open.size();
        if (!m_facts.contains({current, outside()})) {
            for (const TermId child : m_bank.children(current)) {
                if (m_bank.childCount(child) > 0 && m_bank.looseBound(child) == 0 &&
                    !m_facts.contains({child, outside()}))
                    open.push_back(child);
            }
            if (open.size() > before) continue;
            evaluate(current, outside());
        }
        open.pop_back();
    }
}

bool Analysis::isTooLarge(TermId term) const {
    if (m_bank.types().isArray(m_bank.type(term))) return false;
    return m_bank.depth(term) > MostLevels || m_bank.treeSize(term) > MostNodes;
}

Facts Analysis::unknown(TermId term) {
    return {m_values.anyOfType(m_bank.types(), m_bank.type(term)), Certainty::Maybe, Certainty::Maybe, false, false};
}

Facts Analysis::evaluate(TermId term, EnvId at) {
    if (m_bank.looseBound(term) == 0 && !m_environments[at.value].hasFacts) at = m_environments[at.value].base;
    const std::pair key(term, at);
    if (const auto known = m_facts.find(key); known != m_facts.end()) return known->second;
    const Facts facts = settled(computed(term, at), term, at);
    m_facts.emplace(key, facts);
    return facts;
}

Facts Analysis::operand(TermId term, EnvId at) {
    return isTooLarge(term) ? settled(unknown(term), term, at) : evaluate(term, at);
}

Facts Analysis::settled(Facts facts, TermId term, EnvId at) {
    const EnvId plainly = m_environments[at.value].plain;
    const EnvId plain = m_bank.looseBound(term) == 0 ? m_environments[plainly.value].base : plainly;
    std::uint32_t part = 0;
    facts.value = named(facts.value, m_bank.type(term), term, plain, level(term, plain), part, false);
    facts.value = refined(facts.value, term, at);
    return facts;
}

Facts Analysis::computed(TermId term, EnvId at) {
    const ir::OpId op = m_bank.op(term);
    if (op.value >= opId(CoreOp::Count).value) return Application(*this, term, at).facts();
    switch (static_cast<CoreOp>(op.value)) {
        case CoreOp::Let: {
            const Facts value = operand(m_bank.child(term, 0), at);
            const Facts body = operand(m_bank.child(term, 1), below(term, 1, at));
            return {body.value, Certainty::Never, Certainty::Never, value.isTotal && body.isTotal,
                    value.isDefined && body.isDefined};
        }
        case CoreOp::Lam: return {m_values.function(term, at)};
        case CoreOp::Tuple:
        case CoreOp::Get: return applied(term, at);
        case CoreOp::Call: return called(term, at);
        default: return leaf(term, at);
    }
}

/// Tuples and their parts.
Facts Analysis::applied(TermId term, EnvId at) {
    Facts result;
    ValueList parts;
    for (std::size_t i = 0; i < m_bank.childCount(term); ++i) {
        const Facts child = operand(m_bank.child(term, i), at);
        result.isTotal = result.isTotal && child.isTotal;
        result.isDefined = result.isDefined && child.isDefined;
        parts.push_back(child.value);
    }
    if (m_bank.is(term, CoreOp::Tuple)) {
        result.value = m_values.tuple(parts);
        return result;
    }
    const ir::AbstractValue& tuple = m_values[parts[0]];
    const std::uint32_t index = m_bank.payload(term).projectionIndex();
    result.value = tuple.kind == ValueKind::Tuple && index < tuple.parts.size()
                       ? tuple.parts[index]
                       : m_values.anyOfType(m_bank.types(), m_bank.type(term));
    return result;
}

/// The body of the function, with the arguments as the values of its parameters.
Facts Analysis::called(TermId call, EnvId at) {
    Facts result = unknown(call);
    const TermId body = m_bank.function(m_bank.payload(call).asFunction()).body;
    if (!body.isValid() || m_bank.treeSize(body) > MostCalledNodes || m_bank.depth(body) > MostCalledLevels)
        return result;
    if (m_environments[at.value].calls >= MostCalls) return result;
    result.isTotal = result.isDefined = true;
    for (const TermId child : m_bank.children(call)) {
        const Facts argument = operand(child, at);
        result.isTotal = result.isTotal && argument.isTotal;
        result.isDefined = result.isDefined && argument.isDefined;
    }
    const Facts inside = evaluate(body, inCall(call, at));
    const bool isTotal = inside.isTotal && haveStatedSizes(call, at);
    result.value = inside.value;
    result.fails = isTotal ? Certainty::Never : Certainty::Maybe;
    result.isUndefined = inside.isDefined ? Certainty::Never : Certainty::Maybe;
    result.isTotal = result.isTotal && isTotal;
    result.isDefined = result.isDefined && isTotal && inside.isDefined;
    return result;
}

bool Analysis::haveStatedSizes(TermId call, EnvId at) {
    const ir::Function& function = m_bank.function(m_bank.payload(call).asFunction());
    absl::flat_hash_map<Symbol, Size> stated;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const ValueId argument = operand(m_bank.child(call, i), at).value;
        if (!hasStatedSizes(argument, function.parameters[i].type, false, stated)) return false;
    }
    return true;
}

bool Analysis::hasStatedSizes(ValueId id, TypeId type, bool isElement,
                              absl::flat_hash_map<Symbol, Size>& stated) const {
    const ir::TypeTable& types = m_bank.types();
    if (!statesSizes(types, type)) return true;
    const ir::AbstractValue& value = m_values[id];
    if (types.isTuple(type)) {
        const std::span<const TypeId> parts = types.children(type);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (!statesSizes(types, parts[i])) continue;
            if (value.kind != ValueKind::Tuple || !hasStatedSizes(value.parts[i], parts[i], isElement, stated)) {
                return false;
            }
        }
        return true;
    }
    if (!types.isTensor(type) || value.kind != ValueKind::Tensor) return false;
    const std::span<const Symbol> names = types.sizes(type);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!names[i].isValid()) continue;
        const Size size = m_values.isRagged(value.sizes[i]) ? Size() : value.sizes[i];
        if (isElement && !size.isKnown()) return false;
        if (const auto number = numberFrom<std::int64_t>(m_bank.text(names[i])); number && *number >= 0) {
            if (size != Size::of(*number)) return false;
            continue;
        }
        const auto [known, isFirst] = stated.try_emplace(names[i], size);
        if (!isFirst && (!size.isKnown() || known->second != size)) return false;
    }
    return hasStatedSizes(value.parts[0], types.element(type), true, stated);
}

ValueId Analysis::argument(TermId variable, const Environment& call) {
    const Symbol name = m_bank.payload(variable).asSymbol();
    const ir::Function& function = m_bank.function(m_bank.payload(call.source).asFunction());
    const auto of = [&](std::size_t parameter) {
        return operand(m_bank.child(call.source, parameter), call.outer).value;
    };
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        if (function.parameters[i].name == name) return of(i);
    }
    const auto size = std::ranges::find(function.sizes, name, &ir::SizeName::name);
    if (size == function.sizes.end()) return m_values.anyOfType(m_bank.types(), m_bank.type(variable));
    if (!size->parameter) return m_values.scalar(ir::sizeRange());
    ValueId value = of(*size->parameter);
    for (const std::uint32_t step : size->steps) {
        if (step >= m_values[value].parts.size()) return m_values.scalar(ir::sizeRange());
        value = m_values[value].parts[step];
    }
    const ir::Sizes& sizes = m_values[value].sizes;
    Size known = size->dimension < sizes.size() ? sizes[size->dimension] : Size();
    if (m_values.isRagged(known)) known = Size();
    return m_values.sizeValue({&known, 1});
}

Facts Analysis::leaf(TermId term, EnvId at) {
    if (m_bank.is(term, CoreOp::Literal)) return {m_values.literal(m_bank.payload(term))};
    if (m_bank.is(term, CoreOp::Variable)) {
        const Environment base = m_environments[m_environments[at.value].base.value];
        return {base.isCall ? argument(term, base) : variable(term)};
    }
    if (m_bank.is(term, CoreOp::Bound)) return {boundVariable(term, at)};
    return {m_values.anyOfType(m_bank.types(), m_bank.type(term))};
}

ValueId Analysis::variable(TermId term) {
    const Symbol name = m_bank.payload(term).asSymbol();
    const auto size = [this](Symbol symbol) {
        if (!symbol.isValid()) return Size();
        const std::optional<std::int64_t> number = numberFrom<std::int64_t>(m_bank.text(symbol));
        return number && *number >= 0 ? Size::of(*number) : m_values.variable(symbol);
    };
    if (m_function != nullptr) {
        const auto parameter = std::ranges::find(m_function->parameters, name, &ir::Parameter::name);
        if (parameter != m_function->parameters.end() && m_bank.type(term) != m_bank.types().integer()) {
            return m_values.ofType(m_bank.types(), parameter->type, size);
        }
        const bool isSize = std::ranges::find(m_function->sizes, name, &ir::SizeName::name) != m_function->sizes.end();
        if (isSize) return m_values.scalar(ir::sizeRange(), size(name));
    }
    if (m_bank.type(term) == m_bank.types().integer()) {
        return m_values.scalar(ir::Signed64.range(), m_values.variable(name));
    }
    return m_values.anyOfType(m_bank.types(), m_bank.type(term));
}

ValueId Analysis::boundVariable(TermId term, EnvId at) {
    std::uint32_t index = m_bank.payload(term).asIndex();
    while (m_environments[at.value].depth > 0) {
        const Environment& here = m_environments[at.value];
        if (!here.isFact && index-- == 0) {
            if (here.value.isValid()) return here.value;
            break;
        }
        at = here.outer;
    }
    return m_values.anyOfType(m_bank.types(), m_bank.type(term));
}

std::uint32_t Analysis::level(TermId term, EnvId at) const {
    std::uint32_t result = m_environments[m_environments[at.value].base.value].level;
    std::uint32_t index = 0;
    const std::uint32_t loose = m_bank.looseBound(term);
    while (index < loose && m_environments[at.value].depth > 0) {
        const Environment& here = m_environments[at.value];
        if (!here.isFact) {
            if (m_bank.mayMention(term, index, 1)) result = std::max(result, here.level);
            ++index;
        }
        at = here.outer;
    }
    return result;
}

ValueId Analysis::named(ValueId id, TypeId type, TermId term, EnvId at, std::uint32_t level, std::uint32_t& part,
                        bool isElement) {
    const ir::TypeTable& types = m_bank.types();
    const ir::AbstractValue& known = m_values[id];
    if (known.kind != ValueKind::Tuple && known.kind != ValueKind::Tensor) {
        const std::uint32_t own = part++;
        if (isElement || type != types.integer() || known.kind != ValueKind::Scalar || known.number.isKnown())
            return id;
        ir::AbstractValue value = known;
        value.number = m_values.named(term, at, own, level, false);
        return m_values.intern(std::move(value));
    }
    ir::AbstractValue value = known;
    for (Size& size : value.sizes) {
        const std::uint32_t own = part++;
        if (!size.isKnown()) size = m_values.named(term, at, own, level, isElement);
    }
    for (std::size_t i = 0; i < value.parts.size(); ++i) {
        const bool isTensor = value.kind == ValueKind::Tensor;
        const TypeId partType = isTensor ? types.element(type) : types.children(type)[i];
        value.parts[i] = named(value.parts[i], partType, term, at, level, part, isElement || isTensor);
    }
    return m_values.intern(std::move(value));
}

bool Analysis::hasOneShape(TermId term, std::uint32_t loops) {
    EnvId at = outside();
    for (std::uint32_t i = 0; i < loops; ++i) at = bound(at, TermId(), i, ValueId(), 1, 1, 0);
    return m_values.areSizesKnownOutside(of(term, at).value, 1);
}

// --- facts that conditions imply -----------------------------------------------------------------------------------------

ValueId Analysis::refined(ValueId id, TermId term, EnvId at) {
    if (!m_environments[at.value].hasFacts || m_values[id].kind != ValueKind::Scalar) return id;
    const std::uint32_t depth = m_environments[at.value].depth;
    ir::AbstractValue value = m_values[id];
    for (; m_environments[at.value].hasFacts; at = m_environments[at.value].outer) {
        const Environment& here = m_environments[at.value];
        if (!here.isFact || here.source != term) continue;
        if (m_bank.looseBound(term) == 0 || here.depth == depth) value.range = meet(value.range, here.fact);
    }
    return m_values.intern(std::move(value));
}

EnvId Analysis::noted(TermId subject, const ValueRange& own, const ValueRange& fact, EnvId at) {
    // A difference between two tuples says nothing about a single component.
    const ir::TypeKind kind = m_bank.types().kind(m_bank.type(subject));
    if (kind != ir::TypeKind::Float && kind != ir::TypeKind::Integer) return at;
    const ValueRange wanted = kind == ir::TypeKind::Integer ? ofWhole(meet(own, fact)) : fact;
    if (wanted == ValueRange() || meet(own, wanted) == own) return at;
    return withFact(at, subject, wanted);
}

EnvId Analysis::learned(TermId condition, bool holds, EnvId at) {
    if (isTooLarge(condition)) return at;
    const ir::OperatorInfo& info = m_bank.registry().info(m_bank.op(condition));
    switch (info.traits.truth) {
        case ir::Truth::Not: return learned(m_bank.child(condition, 0), !holds, at);
        case ir::Truth::And:
        case ir::Truth::Or: {
            if (holds != (info.traits.truth == ir::Truth::And)) return at;
            return learned(m_bank.child(condition, 1), holds, learned(m_bank.child(condition, 0), holds, at));
        }
        case ir::Truth::None: return at;
        default: break;
    }
    const TermId left = m_bank.child(condition, 0);
    const TermId right = m_bank.child(condition, 1);
    if (!m_bank.types().isNumeric(m_bank.type(left)) || !m_bank.types().isNumeric(m_bank.type(right))) return at;
    const bool isWhole = m_bank.type(left) == m_bank.types().integer() && m_bank.type(right) == m_bank.type(left);
    const ValueRange a = m_values.range(operand(left, at).value);
    const ValueRange b = m_values.range(operand(right, at).value);
    const ir::Truth known = holds ? info.traits.truth : opposite(info.traits.truth);
    const EnvId first = noted(left, a, comparedTo(known, b, isWhole), at);
    return noted(right, b, comparedTo(mirrored(known), a, isWhole), first);
}

std::size_t Analysis::bytes() const {
    using Values = ir::AbstractValues;
    return m_values.bytes() + Values::bytesOf(m_environments) + Values::bytesOf(m_environmentIds) +
           Values::bytesOf(m_facts);
}

Analysis& of(ir::TermBank& bank) {
    std::unique_ptr<ir::TermBank::Companion>& kept = bank.companion();
    if (kept == nullptr) kept = std::make_unique<Analysis>(bank);
    return static_cast<Analysis&>(*kept);
}

}  // namespace mitos::facts
