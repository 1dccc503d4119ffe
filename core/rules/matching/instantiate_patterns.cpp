// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the terms of named patterns, match constraints and declared operators. A pattern is traversed in the order in
// which it is matched, because the recorded choices come in that order.
#include "core/ir/attributes.h"
#include "core/rules/language/array_operators.h"
#include "core/rules/matching/internal/instantiate.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;
using ir::TypeId;

namespace {

Error patternFailure(std::string message) { return Error{ErrorCode::InvalidInput, std::move(message)}; }

}  // namespace

Surroundings Instantiator::contextOf(const Resolved& resolved) const {
    if (resolved.owner == Owner::Rule) {
        return rules::contextOf(m_bank, m_rule, m_values, static_cast<VarIndex>(resolved.index));
    }
    return rules::contextOf(resolved.frame->around, resolved.frame->id, resolved.local());
}

Result<TermId> Instantiator::localValue(const Resolved& resolved) {
    Binding& value = *resolved.slot();
    if (value.term.isValid()) return value.term;
    MITOS_TRY(const TermId recorded, nextChoice());
    value.term = recorded;
    if (m_corrected != nullptr) m_localChoices.emplace_back(&value, m_choice - 1);
    return recorded;
}

Result<TermId> Instantiator::local(const Resolved& resolved) {
    MITOS_TRY(const TermId value, localValue(resolved));
    return placed(contextOf(resolved), value, resolved.local()->name);
}

Result<TermId> Instantiator::parameter(const Node& node, TypeId expected, Frame* frame) {
    const Resolved resolved = resolve(node, frame);
    if (resolved.owner == Owner::Rule) {
        const auto var = static_cast<VarIndex>(resolved.index);
        return placed(var, m_values[var].term);
    }
    if (resolved.owner == Owner::Local) return local(resolved);
    Frame& owner = *resolved.frame;
    Binding* tracked = resolved.slot();
    const std::string& name = owner.pattern->parameters[resolved.index];
    if (tracked != nullptr && tracked->term.isValid()) return placed(contextOf(resolved), tracked->term, name);
    Result<TermId> built = build(*owner.table, *resolved.argument, expected, owner.outer);
    if (!built || tracked == nullptr) return built;
    tracked->term = moved(m_bank, *built, surroundings(), contextOf(resolved));
    if (!tracked->term.isValid()) return patternFailure(fmt::format("{} mentions a variable that it must not", name));
    return built;
}

Result<ir::Payload> Instantiator::attributes(const NodeTable& table, const Node& node, Frame* frame) {
    if (node.attributes.empty()) return ir::Payload();
    std::vector<std::string> values;
    const ir::OperatorInfo& info = m_bank.registry().info(node.op);
    for (const std::uint32_t attribute : node.attributes) {
        MITOS_TRY(const TermId literal, build(table, table.nodes[attribute], {}, frame));
        const std::optional<std::string> text = ir::attributeText(m_bank, literal);
        if (!text) return patternFailure("the value of an attribute is no number, word, truth value or list of such");
        const bool isComputed = table.nodes[attribute].kind == NodeKind::Const;
        if (isComputed && !holdsAttribute(m_bank, info, values.size(), literal))
            return patternFailure("single precision cannot hold a number that the rule would compute");
        MITOS_TRY(std::string canonical, canonicalAttribute(info, values.size(), *text));
        values.push_back(std::move(canonical));
    }
    return ir::attributesPayload(m_bank, values);
}

Result<TermId> Instantiator::declared(const Node& node, ir::Payload attributes, std::span<const TermId> children) {
    if (node.attributes.empty()) {
        std::vector<TypeId> types;
        for (const TermId child : children) types.push_back(m_bank.type(child));
        const TypeId argument = types.size() == 1 ? types[0] : m_bank.types().tuple(types);
        const ir::FunctionId function = m_bank.findFunction(m_bank.registry().info(node.op).name, argument);
        if (function.isValid() && m_bank.function(function).parameters.size() == children.size()) {
            return m_bank.call(function, children);
        }
    }
    return m_bank.make(node.op, children, attributes);
}

Status Instantiator::constraint(const NodeTable& table, const CompiledConstraint& required, Frame* frame) {
    const Resolved subject = resolve(table.nodes[required.subject], frame);
    const Binding* value = subject.owner == Owner::Rule ? &m_values[subject.index] : subject.slot();
    if (value == nullptr || !value->term.isValid())
        return patternFailure("the subject of a match constraint is not bound");
    // The pattern is built in the surroundings of the value.
    const std::vector<Entry> scope = std::exchange(m_scope, {});
    const std::uint32_t depth = std::exchange(m_depth, 0);
    for (const BinderKey& key : contextOf(subject)) {
        TypeId type;
        for (const auto& [known, boundType] : m_boundTypes) {
            if (known == key) type = boundType;
        }
        m_scope.push_back({key, false, {}, m_depth++, type});
    }
    const Result<TermId> built = build(table, table.nodes[required.pattern], {}, frame);
    m_scope = scope;
    m_depth = depth;
    if (!built) return built.error();
    if (*built == value->term) return Success{};
    if (m_corrected != nullptr) return correct(subject, *built);
    return patternFailure("a match constraint does not hold under the substitution");
}

Status Instantiator::correct(const Resolved& subject, TermId term) {
    std::pair<Owner, std::size_t> slot(subject.owner, subject.index);
    if (subject.owner == Owner::Rule) {
        m_corrected->values[subject.index].term = term;
    } else if (subject.owner == Owner::Local) {
        Binding& value = *subject.slot();
        const auto known = std::find_if(m_localChoices.rbegin(), m_localChoices.rend(),
                                        [&](const auto& choice) { return choice.first == &value; });
        if (known == m_localChoices.rend()) return patternFailure("a local variable has a value that is no choice");
        slot.second = known->second;
        m_corrected->values[m_rule.choices].sequence[known->second] = term;
        value.term = term;
    } else {
        return patternFailure("the subject of a match constraint is a term that another pattern builds");
    }
    // Two constraints that require different terms would keep replacing the value.
    if (std::ranges::find(m_changes, slot) != m_changes.end()) {
        return patternFailure("match constraints require different terms of one variable");
    }
    m_changes.push_back(slot);
    return Success{};
}

Result<TermId> Instantiator::unfold(const NodeTable& table, const Node& node, TypeId expected, Frame* outer) {
    const NamedPattern& pattern = m_rule.patterns->patterns[node.index];
    MITOS_TRY(const TermId choice, nextChoice());
    if (!m_bank.is(choice, CoreOp::Literal) || m_bank.payload(choice).kind() != ir::PayloadKind::Integer) {
        return patternFailure("the alternate taken is not recorded as a number");
    }
    const auto index = static_cast<std::uint64_t>(m_bank.payload(choice).asInteger());
    if (index >= pattern.alternates.size())
        return patternFailure(fmt::format("{} has no such alternate", pattern.name));
    const Alternate& alternate = pattern.alternates[index];
    Frame frame{&table, &node, outer, &pattern, &alternate, ++m_frames, outer == nullptr ? 1 : outer->depth + 1};
    if (frame.depth > MaxUnfoldDepth) return patternFailure(fmt::format("{} is unfolded too deeply", pattern.name));
    frame.around = surroundings();
    frame.allocate();
    Result<TermId> result = build(alternate.table, alternate.table.nodes[alternate.root], expected, &frame);
    for (const CompiledConstraint& required : alternate.constraints) {
        if (!result) return result;
        MITOS_REQUIRE(constraint(alternate.table, required, &frame));
    }
    if (!result) return result;
    const std::vector<const Binding*> parameters = parameterValues(frame, m_values);
    const ConditionInput input{m_bank, m_rule, m_values, alternate.table, parameters, frame.locals};
    const bool isJudged = m_corrected == nullptr;  // while correcting, the values are not final
    if (isJudged && !holds(input, alternate.guard))
        return patternFailure(fmt::format("the condition of {} does not hold", pattern.name));
    for (std::size_t i = 0; i < frame.locals.size(); ++i) {
        if (!frame.locals[i].term.isValid()) {
            return patternFailure(fmt::format("the local variable {} is not bound", alternate.locals[i].name));
        }
    }
    return result;
}

Result<TermId> exactLeft(ir::TermBank& bank, const CompiledRule& rule, Substitution& substitution) {
    // A constraint inside the term that another one builds is corrected first; the other one follows in the next pass.
    for (std::uint32_t pass = 0; pass <= MaxUnfoldDepth; ++pass) {
        Instantiator correcting(bank, rule, substitution, Instantiator::Correcting{});
        MITOS_REQUIRE(correcting.left());
        if (!correcting.hasCorrected()) return Instantiator(bank, rule, substitution).left();
    }
    return patternFailure("match constraints require different terms of one variable");
}

}  // namespace mitos::rules
