// SPDX-License-Identifier: GPL-3.0-or-later
// The machine's transitions at operators, literals, binders and sequences.
#include "core/ir/attributes.h"
#include "core/rules/matching/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rules {

using ir::CoreOp;
using ir::TermId;

namespace {

std::uint32_t sequencesOf(const NodeTable& table, const Node& node) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        if (table.child(node, i).kind == NodeKind::Sequence) ++count;
    }
    return count;
}

using Lengths = std::vector<std::uint32_t>;

/// All ways to distribute `rest` arguments among `sequences`, those with the shortest first sequences first.
std::vector<Lengths> sharings(std::uint32_t rest, std::uint32_t sequences) {
    if (sequences == 0) return {Lengths()};
    if (sequences == 1) return {Lengths{rest}};
    std::vector<Lengths> result;
    for (std::uint32_t first = 0; first <= rest; ++first) {
        for (const Lengths& others : sharings(rest - first, sequences - 1)) {
            Lengths one{first};
            one.insert(one.end(), others.begin(), others.end());
            result.push_back(std::move(one));
        }
    }
    return result;
}

Surroundings with(Surroundings scope, BinderKey key) {
    scope.push_back(key);
    return scope;
}

}  // namespace

Transition Machine::matchNode(const Action& action) {
    const std::size_t count = m_view.nodeCount(action.place);
    if (!action.isChosen && action.node + 1 < count) {
        MachineState other = m_state;
        Action rest = action;
        ++rest.node;
        other.continuation = cell(std::move(rest), other.continuation);
        m_stack.push_back(std::move(other));
        Action chosen = action;
        chosen.isChosen = true;
        push(std::move(chosen));
        return Transition::MatchChoice;
    }
    const TermId term = m_view.node(action.place, action.node);
    switch (action.pattern.node->kind) {
        case NodeKind::Bound: return matchBound(action, term);
        case NodeKind::Apply:
            return action.pattern.node->binder == NoVar ? matchApply(action, term) : matchBinder(action, term);
        case NodeKind::Function: return matchFunction(action, term);
        default: return matchLiteral(action, term);
    }
}

bool Machine::fitsArity(const Action& action) const {
    const Node& node = *action.pattern.node;
    const std::size_t count = m_view.childCount(action.place, action.node);
    const std::uint32_t sequences = sequencesOf(*action.pattern.table, node);
    const std::uint32_t fixed = node.childCount - sequences;
    return sequences == 0 ? count == fixed : count >= fixed;
}

void Machine::pushArguments(const Action& action, std::span<const std::uint32_t> lengths, Continuation& onto) {
    const NodeTable& table = *action.pattern.table;
    const Node& node = *action.pattern.node;
    const TermId term = m_view.node(action.place, action.node);
    const bool isFunction = node.kind == NodeKind::Function;
    const VarIndex function = node.owner == Owner::Rule ? node.var : NoVar;
    std::vector<Action> arguments;
    std::uint32_t at = 0;
    std::size_t sequence = 0;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        Action argument;
        argument.pattern = {MachinePattern::Form::Node, &table, &table.child(node, i), action.pattern.frame};
        argument.scope = action.scope;
        if (argument.pattern.node->kind == NodeKind::Sequence) {
            argument.kind = Action::Kind::MatchSequence;
            argument.place = action.place;
            argument.node = action.node;
            argument.path = action.path;
            argument.index = at;
            at += lengths[sequence++];
            argument.end = at;
            argument.isFunction = isFunction;
            argument.function = function;
        } else {
            argument.place = m_view.child(action.place, action.node, at);
            argument.path = ir::child(action.path, at);
            if (isFunction && m_bank.boundIn(term, at) > 0) argument.scope.push_back({0, function});
            ++at;
        }
        arguments.push_back(std::move(argument));
    }
    while (!arguments.empty()) {
        onto = cell(std::move(arguments.back()), std::move(onto));
        arguments.pop_back();
    }
}

/// Puts the arguments in front of the continuation, preceded by the action that distributes them if there is more than one way.
void Machine::pushOperands(const Action& action, TermId term) {
    const Node& node = *action.pattern.node;
    const std::uint32_t sequences = sequencesOf(*action.pattern.table, node);
    const auto count = static_cast<std::uint32_t>(m_view.childCount(action.place, action.node));
    const std::vector<Lengths> ways = sharings(count - (node.childCount - sequences), sequences);
    if (ways.size() == 1) {
        pushArguments(action, ways.front(), m_state.continuation);
    } else {
        Action share = action;
        share.kind = Action::Kind::MatchArguments;
        push(std::move(share));
    }
    pushAttributes(action, term, m_state.continuation);
}

void Machine::pushAttributes(const Action& action, TermId term, Continuation& onto) {
    const Node& node = *action.pattern.node;
    if (node.attributes.empty()) return;
    const std::string text(m_bank.text(m_bank.payload(term).asSymbol()));
    const std::vector<std::string_view> values = ir::attributeValues(text);
    for (std::size_t i = values.size(); i-- > 0;) {
        Action attribute = action;
        attribute.pattern.node = &action.pattern.table->nodes[node.attributes[i]];
        attribute.place = m_view.plainPlace(ir::attributeLiteral(m_bank, values[i]));
        attribute.node = 0;
        attribute.isChosen = false;
        onto = cell(std::move(attribute), std::move(onto));
    }
}

Transition Machine::matchApply(const Action& action, TermId term) {
    const Node& node = *action.pattern.node;
    if (!hasOperator(m_bank, term, node) || !fitsArity(action)) {
        return refuse(Transition::MatchFunConflict, [&] {
            return fmt::format("the pattern has {} here, the program {}", m_bank.registry().info(node.op).name,
                               m_text(term));
        });
    }
    if (node.op == ir::opId(CoreOp::Get)) {
        const std::uint32_t index = m_bank.payload(term).projectionIndex();
        if (node.var == NoVar && index != node.index) {
            return refuse(Transition::MatchFunConflict, [&] {
                return fmt::format("the pattern takes element {} here, the program element {}", node.index, index);
            });
        }
        pushOperands(action, term);
        if (node.var != NoVar) {
            Action attribute = action;
            attribute.kind = Action::Kind::MatchAttribute;
            attribute.index = index;
            push(std::move(attribute));
        }
        return progress(Transition::MatchFun);
    }
    pushOperands(action, term);
    return progress(Transition::MatchFun);
}

Transition Machine::matchAttribute(const Action& action) {
    const VarIndex var = action.pattern.node->var;
    const TermId value = m_bank.integer(action.index);
    TermId& known = m_state.values.values[var].term;
    if (!m_state.bound[var]) {
        m_state.bound[var] = true;
        m_state.places[var] = action.path;
        known = value;
        return progress(Transition::MatchAttributeBind);
    }
    if (known == value) return progress(Transition::MatchAttributeBound);
    return refuse(Transition::MatchAttributeConflict, [&] {
        return fmt::format("{} stands for {} already, here is {}", m_rule.variables[var].name, m_text(known),
                           m_text(value));
    });
}

Transition Machine::matchBinder(const Action& action, TermId term) {
    const Node& node = *action.pattern.node;
    if (m_bank.op(term) != node.op) {
        return refuse(Transition::MatchFunConflict, [&] {
            return fmt::format("the pattern has {} here, the program {}", m_bank.registry().info(node.op).name,
                               m_text(term));
        });
    }
    const ir::TypeId type = m_bank.boundType(term);
    const bool isOfRule = action.pattern.frame == nullptr;
    const bool wrongType = !node.binderType.empty() && node.binderType.front().in(m_bank.types()) != type;
    const bool otherType =
        isOfRule && m_state.bound[node.binder] && m_bank.type(m_state.values.values[node.binder].term) != type;
    if (wrongType || otherType) {
        return refuse(Transition::MatchBinderConflict,
                      [&] { return fmt::format("{} cannot be a {}", node.name, m_bank.types().toShortString(type)); });
    }
    const Symbol hint = m_bank.hint(term);
    const TermId variable = m_bank.variable(hint.isValid() ? hint : m_bank.symbols().intern(node.name), type);
    if (!isOfRule) {
        record(m_state, variable);
    } else if (!m_state.bound[node.binder]) {
        m_state.bound[node.binder] = true;
        m_state.places[node.binder] = action.path;
        m_state.values.values[node.binder].term = variable;
    }
    const bool isLet = node.op == ir::opId(CoreOp::Let);
    Action body = action;
    body.isChosen = false;
    body.node = 0;
    Action value = body;
    const std::uint32_t bodyAt = isLet ? 1 : 0;
    body.pattern.node = &action.pattern.table->child(node, bodyAt);
    body.place = m_view.child(action.place, action.node, bodyAt);
    body.path = ir::child(action.path, bodyAt);
    body.scope = with(action.scope, {isOfRule ? 0 : action.pattern.frame->id, node.binder});
    push(std::move(body));
    if (isLet) {
        value.pattern.node = &action.pattern.table->child(node, 0);
        value.place = m_view.child(action.place, action.node, 0);
        value.path = ir::child(action.path, 0);
        push(std::move(value));
    }
    return progress(Transition::MatchBinder);
}

Transition Machine::matchFunction(const Action& action, TermId term) {
    const Node& node = *action.pattern.node;
    const Resolved function = resolve(node, action.pattern.frame);
    const std::string name = nameOf(function);
    const TermId known = valueOf(function);
    const bool same =
        !known.isValid() || (m_bank.op(known) == m_bank.op(term) && m_bank.payload(known) == m_bank.payload(term));
    if (!isApplication(m_bank, term) || !same || !fitsArity(action)) {
        return refuse(Transition::MatchFunVarConflict, [&] {
            if (!isApplication(m_bank, term)) return fmt::format("{} has no operator for {}", m_text(term), name);
            if (!same)
                return fmt::format("{} stands for the operator of {}, here is {}", name, m_text(known), m_text(term));
            return fmt::format("{} has another number of arguments here: {}", name, m_text(term));
        });
    }
    if (!known.isValid() && function.owner == Owner::Rule) {
        m_state.bound[function.index] = true;
        m_state.places[function.index] = action.path;
        m_state.values.values[function.index].term = term;
    } else if (!known.isValid()) {
        bindSlot(function, term, action.path, true);
        record(m_state, term);
    }
    pushOperands(action, term);
    return progress(known.isValid() ? Transition::MatchFunVarBound : Transition::MatchFunVarBind);
}

Transition Machine::matchBound(const Action& action, TermId term) {
    const Node& node = *action.pattern.node;
    const BinderKey key{action.pattern.frame == nullptr ? 0 : action.pattern.frame->id, node.var};
    const auto found = std::find(action.scope.rbegin(), action.scope.rend(), key);
    const bool same = found != action.scope.rend() && m_bank.is(term, CoreOp::Bound) &&
                      m_bank.payload(term).asIndex() == static_cast<std::uint32_t>(found - action.scope.rbegin());
    if (same) return progress(Transition::MatchBound);
    return refuse(Transition::MatchBoundConflict,
                  [&] { return fmt::format("the pattern has its bound variable here, the program {}", m_text(term)); });
}

Transition Machine::matchLiteral(const Action& action, TermId term) {
    const Node& node = *action.pattern.node;
    const bool isLiteral = m_bank.is(term, CoreOp::Literal);
    switch (node.kind) {
        case NodeKind::Literal:
            if (isLiteral && m_bank.payload(term) == node.payload) return progress(Transition::MatchFun);
            break;
        case NodeKind::Text:
            if (isLiteral && m_bank.payload(term).kind() == ir::PayloadKind::String &&
                m_bank.text(m_bank.payload(term).asSymbol()) == node.name) {
                return progress(Transition::MatchFun);
            }
            break;
        case NodeKind::AnyLiteral: record(m_state, term); return progress(Transition::MatchAny);
        default:
            if (isNumber(m_bank, term, node)) {
                record(m_state, term);
                return progress(Transition::MatchNumber);
            }
            return refuse(Transition::MatchNumberConflict, [&] {
                return fmt::format("the pattern has the number {} here, the program {}", node.value, m_text(term));
            });
    }
    return refuse(Transition::MatchFunConflict,
                  [&] { return fmt::format("the pattern has another constant here than {}", m_text(term)); });
}

Transition Machine::shareOut(const Action& action) {
    const Node& node = *action.pattern.node;
    const std::uint32_t sequences = sequencesOf(*action.pattern.table, node);
    const auto count = static_cast<std::uint32_t>(m_view.childCount(action.place, action.node));
    const std::vector<Lengths> ways = sharings(count - (node.childCount - sequences), sequences);
    for (std::size_t i = ways.size(); i-- > 1;) {
        MachineState other = m_state;
        pushArguments(action, ways[i], other.continuation);
        m_stack.push_back(std::move(other));
    }
    pushArguments(action, ways.front(), m_state.continuation);
    return Transition::MatchSeqSplit;
}

Transition Machine::matchSequence(const Action& action) {
    const VarIndex var = action.pattern.node->var;
    const std::string& name = m_rule.variables[var].name;
    const TermId term = m_view.node(action.place, action.node);
    const Surroundings context = rules::contextOf(m_bank, m_rule, m_state.values.values, var);
    auto& known = m_state.values.values[var].sequence;
    const bool isBound = m_state.bound[var];
    bool same = known.size() == action.end - action.index;
    absl::InlinedVector<TermId, 2> elements;
    for (std::uint32_t i = action.index; i < action.end; ++i) {
        const PlaceId place = m_view.child(action.place, action.node, i);
        const TermId value = m_view.value(place);
        const bool bound = action.isFunction && m_bank.boundIn(term, i) > 0;
        const Surroundings scope = bound ? with(action.scope, {0, action.function}) : action.scope;
        elements.push_back(moved(m_bank, value, scope, context));
        if (isBound && same) {
            const TermId here = moved(m_bank, known[i - action.index], context, scope);
            same = here.isValid() && represents(m_view, place, here);
            if (same) continue;
        }
        if (elements.back().isValid()) continue;
        return refuse(Transition::MatchSeqEscape, [&] {
            return fmt::format("{} must not mention a variable that is bound around it here, {} does", name,
                               m_text(value));
        });
    }
    if (!isBound) {
        m_state.bound[var] = true;
        m_state.places[var] = action.path;
        known = std::move(elements);
        return progress(Transition::MatchSeqBind);
    }
    if (same) return progress(Transition::MatchSeqBound);
    return refuse(Transition::MatchSeqConflict,
                  [&] { return fmt::format("{} stands for other arguments already", name); });
}

}  // namespace mitos::rules
