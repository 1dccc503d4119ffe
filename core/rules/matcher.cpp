// SPDX-License-Identifier: GPL-3.0-or-later
// The matching machine: success continues with the rest of the list, failure returns.
#include "core/rules/matcher.h"

#include "core/ir/binding.h"
#include "core/rules/conditions.h"

#include <algorithm>
#include <cmath>

namespace mitos::rules {

using ir::CoreOp;
using ir::PayloadKind;
using ir::TermId;

Matcher::Matcher(ir::TermBank& bank, const CompiledRule& rule, absl::FunctionRef<bool(const Substitution&)> found)
    : m_bank(bank),
      m_rule(rule),
      m_found(found) {
    m_values.values.resize(rule.valueCount);
    m_bound.resize(rule.valueCount, false);
}

void Matcher::run(TermId subject) {
    Todo start;
    start.table = &m_rule.table;
    start.node = &m_rule.table.nodes[m_rule.left];
    start.term = subject;
    proceed(&start);
}

bool Matcher::complete() {
    if (!holds({m_bank, m_rule, m_values.values, m_rule.table}, m_rule.guard)) return true;
    return m_found(m_values);
}

bool Matcher::proceed(const Todo* todo) {
    if (++m_steps > MaxSteps) return false;
    if (todo == nullptr) return complete();
    switch (todo->kind) {
        case Todo::Kind::Match: return matchNode(*todo);
        case Todo::Kind::Sequence: return matchSequence(*todo);
        case Todo::Kind::Guard: return guardOf(*todo);
    }
    return true;
}

bool Matcher::matchNode(const Todo& todo) {
    const Node& node = *todo.node;
    switch (node.kind) {
        case NodeKind::Variable: return matchVariable(todo);
        case NodeKind::Bound: {
            if (!m_bank.is(todo.term, CoreOp::Bound)) return true;
            std::uint32_t index = 0;
            const Scope* at = todo.scope;
            while (at != nullptr && at->var != node.var) {
                at = at->outer;
                ++index;
            }
            return at == nullptr || m_bank.payload(todo.term).asIndex() != index || proceed(todo.next);
        }
        case NodeKind::Literal:
            return !m_bank.is(todo.term, CoreOp::Literal) || m_bank.payload(todo.term) != node.payload ||
                   proceed(todo.next);
        case NodeKind::Text: {
            const bool same = m_bank.is(todo.term, CoreOp::Literal) &&
                              m_bank.payload(todo.term).kind() == PayloadKind::String &&
                              m_bank.text(m_bank.payload(todo.term).asSymbol()) == node.name;
            return !same || proceed(todo.next);
        }
        case NodeKind::Number:
        case NodeKind::Approx: return matchNumber(todo);
        case NodeKind::Apply: return matchApply(todo);
        case NodeKind::Function: return matchFunction(todo);
        case NodeKind::Unfold: return matchUnfold(todo);
        case NodeKind::Parameter: {
            const Environment& env = *todo.env;
            Todo argument = todo;
            argument.table = env.table;
            argument.node = &env.table->child(*env.unfold, node.index);
            argument.env = env.outer;
            return matchNode(argument);
        }
        default: return true;  // right sides only
    }
}

TermId Matcher::rescoped(VarIndex var, TermId term, const Scope* scope) {
    const std::uint32_t loose = m_bank.looseBound(term);
    if (loose == 0) return term;
    const Context context = effectiveContext(m_bank, m_rule, m_values.values, var);
    const auto size = static_cast<std::uint32_t>(context.size());
    const std::uint32_t depth = scope == nullptr ? 0 : scope->depth + 1;
    absl::InlinedVector<std::uint32_t, 4> target(depth);  // by index of the bound variable, innermost 0
    bool same = depth == size;
    std::uint32_t index = 0;
    for (const Scope* at = scope; at != nullptr; at = at->outer, ++index) {
        const auto found = std::find(context.begin(), context.end(), at->var);
        if (found == context.end() || at->var == NoVar) {
            if (index < loose && ir::mentions(m_bank, term, index)) return {};
            same = false;
            continue;
        }
        target[index] = static_cast<std::uint32_t>(context.end() - found - 1);
        same = same && target[index] == index;
    }
    if (same) return term;
    const auto by = static_cast<std::int32_t>(size) - static_cast<std::int32_t>(depth);
    return ir::substituteLoose(m_bank, term, depth, by,
                               [&](std::uint32_t i, ir::TypeId type) { return m_bank.bound(target[i], type); });
}

bool Matcher::matchVariable(const Todo& todo) {
    const VarIndex var = todo.node->var;
    const TermId term = rescoped(var, todo.term, todo.scope);
    if (!term.isValid()) return true;
    if (m_bound[var]) return m_values.values[var].term != term || proceed(todo.next);
    m_bound[var] = true;
    m_values.values[var].term = term;
    const bool goOn = proceed(todo.next);
    m_values.values[var].term = TermId();
    m_bound[var] = false;
    return goOn;
}

bool Matcher::matchSequence(const Todo& todo) {
    const VarIndex var = todo.node->var;
    absl::InlinedVector<TermId, 2> elements;
    for (std::uint32_t i = todo.from; i < todo.to; ++i) {
        const TermId child = m_bank.child(todo.term, i);
        const bool bound = todo.isFunction && m_bank.boundIn(todo.term, i) > 0;
        const Scope inner = under(todo.function, todo.scope);
        elements.push_back(rescoped(var, child, bound ? &inner : todo.scope));
        if (!elements.back().isValid()) return true;
    }
    if (m_bound[var]) return m_values.values[var].sequence != elements || proceed(todo.next);
    m_bound[var] = true;
    m_values.values[var].sequence = std::move(elements);
    const bool goOn = proceed(todo.next);
    m_values.values[var].sequence.clear();
    m_bound[var] = false;
    return goOn;
}

bool Matcher::withChoice(TermId choice, const Todo* next) {
    auto& choices = m_values.values[m_rule.choices].sequence;
    choices.push_back(choice);
    const bool goOn = proceed(next);
    choices.pop_back();
    return goOn;
}

bool Matcher::matchNumber(const Todo& todo) {
    if (!m_bank.is(todo.term, CoreOp::Literal)) return true;
    const ir::Payload payload = m_bank.payload(todo.term);
    const Node& node = *todo.node;
    bool same = false;
    if (node.kind == NodeKind::Approx) {
        same = payload.kind() == PayloadKind::Float &&
               std::abs(payload.asFloat() - node.value) <= ApproximateTolerance * std::max(1.0, std::abs(node.value));
    } else {
        same = payload == node.payload || payload == ir::Payload::floating(node.value);
    }
    return !same || withChoice(todo.term, todo.next);
}

bool Matcher::bindBinder(const Node& node, TermId term, bool recorded, absl::FunctionRef<bool()> then) {
    const ir::TypeId type = m_bank.boundType(term);
    if (!recorded && m_bound[node.binder]) {
        return m_bank.type(m_values.values[node.binder].term) != type || then();
    }
    const Symbol hint = m_bank.hint(term);
    const TermId value = m_bank.variable(hint.isValid() ? hint : m_bank.symbols().intern(node.name), type);
    if (recorded) {
        auto& choices = m_values.values[m_rule.choices].sequence;
        choices.push_back(value);
        const bool goOn = then();
        choices.pop_back();
        return goOn;
    }
    m_bound[node.binder] = true;
    m_values.values[node.binder].term = value;
    const bool goOn = then();
    m_values.values[node.binder].term = TermId();
    m_bound[node.binder] = false;
    return goOn;
}

bool Matcher::matchApply(const Todo& todo) {
    const Node& node = *todo.node;
    if (m_bank.op(todo.term) != node.op) return true;
    if (node.binder != NoVar) {
        // Let: value, then body under the variable; Lam: the body.
        const Scope inner = under(node.binder, todo.scope);
        const bool isLet = node.op == ir::opId(CoreOp::Let);
        Todo body = todo;
        body.node = &todo.table->child(node, isLet ? 1 : 0);
        body.term = m_bank.child(todo.term, isLet ? 1 : 0);
        body.scope = &inner;
        Todo value = todo;
        value.next = &body;
        if (isLet) {
            value.node = &todo.table->child(node, 0);
            value.term = m_bank.child(todo.term, 0);
        } else if (!node.binderType.empty() &&
                   node.binderType.front().in(m_bank.types()) != m_bank.boundType(todo.term)) {
            return true;
        }
        return bindBinder(node, todo.term, todo.env != nullptr, [&] { return proceed(isLet ? &value : &body); });
    }
    if (node.op == ir::opId(CoreOp::Get)) {
        const std::uint32_t index = m_bank.payload(todo.term).projectionIndex();
        if (node.var == NoVar) return index != node.index || matchChildren(todo, NoVar, false);
        const TermId value = m_bank.integer(index);
        if (m_bound[node.var]) return m_values.values[node.var].term != value || matchChildren(todo, NoVar, false);
        m_bound[node.var] = true;
        m_values.values[node.var].term = value;
        const bool goOn = matchChildren(todo, NoVar, false);
        m_values.values[node.var].term = TermId();
        m_bound[node.var] = false;
        return goOn;
    }
    return matchChildren(todo, NoVar, false);
}

VarIndex Matcher::functionOf(const Node& node, const Environment* env) const {
    const Node* named = &node;
    for (const Environment* at = env; named->functionParameter; at = at->outer) {
        named = &at->table->child(*at->unfold, named->index);
    }
    return named->var;
}

bool Matcher::matchFunction(const Todo& todo) {
    const TermId term = todo.term;
    if (m_bank.is(term, CoreOp::Literal) || m_bank.is(term, CoreOp::Variable) || m_bank.is(term, CoreOp::Bound) ||
        m_bank.is(term, CoreOp::Lam)) {
        return true;
    }
    const VarIndex function = functionOf(*todo.node, todo.env);
    if (m_bound[function]) {
        const TermId known = m_values.values[function].term;
        const bool same = m_bank.op(known) == m_bank.op(term) && m_bank.payload(known) == m_bank.payload(term);
        return !same || matchChildren(todo, function, true);
    }
    m_bound[function] = true;
    m_values.values[function].term = term;
    const bool goOn = matchChildren(todo, function, true);
    m_values.values[function].term = TermId();
    m_bound[function] = false;
    return goOn;
}

bool Matcher::matchChildren(const Todo& todo, VarIndex function, bool isFunction) {
    const Node& node = *todo.node;
    const auto count = static_cast<std::uint32_t>(m_bank.childCount(todo.term));
    std::uint32_t sequences = 0;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        if (todo.table->child(node, i).kind == NodeKind::Sequence) ++sequences;
    }
    const std::uint32_t fixed = node.childCount - sequences;
    if (count < fixed || (sequences == 0 && count != fixed)) return true;
    // All ways to share the rest among the sequences, the first one growing last.
    absl::InlinedVector<std::uint32_t, 3> lengths(sequences, 0);
    const std::uint32_t rest = count - fixed;
    if (sequences > 0) lengths.back() = rest;
    while (true) {
        if (!matchPartition(todo, function, isFunction, lengths)) return false;
        if (sequences < 2) return true;
        std::size_t at = sequences - 1;
        std::uint32_t spare = lengths.back();
        lengths.back() = 0;
        while (at > 0 && spare == 0) {
            --at;
            if (at == 0) break;
            spare = lengths[at];
            lengths[at] = 0;
        }
        if (at == 0) return true;
        ++lengths[at - 1];
        lengths.back() = spare - 1;
    }
}

bool Matcher::matchPartition(const Todo& todo, VarIndex function, bool isFunction,
                             std::span<const std::uint32_t> lengths) {
    const Node& node = *todo.node;
    absl::InlinedVector<Todo, 4> items(node.childCount);
    const Scope functionBinder = under(node.functionParameter ? NoVar : function, todo.scope);
    std::uint32_t at = 0;
    std::size_t sequence = 0;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        Todo& item = items[i];
        item.table = todo.table;
        item.node = &todo.table->child(node, i);
        item.scope = todo.scope;
        item.env = todo.env;
        item.next = i + 1 < node.childCount ? &items[i + 1] : todo.next;
        if (item.node->kind == NodeKind::Sequence) {
            item.kind = Todo::Kind::Sequence;
            item.term = todo.term;
            item.from = at;
            item.to = at + lengths[sequence++];
            item.isFunction = isFunction;
            item.function = node.functionParameter ? NoVar : function;
            at = item.to;
            continue;
        }
        item.term = m_bank.child(todo.term, at);
        if (isFunction && m_bank.boundIn(todo.term, at) > 0) item.scope = &functionBinder;
        ++at;
    }
    return proceed(node.childCount > 0 ? items.data() : todo.next);
}

bool Matcher::matchUnfold(const Todo& todo) {
    const std::uint32_t depth = todo.env == nullptr ? 1 : todo.env->depth + 1;
    if (depth > MaxUnfoldDepth) return true;
    const NamedPattern& pattern = m_rule.patterns->patterns[todo.node->index];
    const Environment inner{todo.table, todo.node, todo.env, depth};
    for (std::size_t i = 0; i < pattern.alternates.size(); ++i) {
        const Alternate& alternate = pattern.alternates[i];
        Todo guard = todo;
        guard.kind = Todo::Kind::Guard;
        guard.table = &alternate.table;
        guard.env = &inner;
        guard.alternate = &alternate;
        Todo body = todo;
        body.table = &alternate.table;
        body.node = &alternate.table.nodes[alternate.root];
        body.env = &inner;
        if (alternate.guard != NoNode) body.next = &guard;
        if (!withChoice(m_bank.integer(static_cast<std::int64_t>(i)), &body)) return false;
    }
    return true;
}

bool Matcher::guardOf(const Todo& todo) {
    std::vector<VarIndex> parameters;
    const Environment& env = *todo.env;
    for (std::size_t i = 0; i < env.unfold->childCount; ++i) {
        const Node* argument = &env.table->child(*env.unfold, i);
        for (const Environment* at = env.outer; argument->kind == NodeKind::Parameter || argument->functionParameter;
             at = at->outer) {
            argument = &at->table->child(*at->unfold, argument->index);
        }
        const bool isVariable = argument->kind == NodeKind::Variable || argument->kind == NodeKind::Function;
        parameters.push_back(isVariable ? argument->var : NoVar);
    }
    const ConditionInput input{m_bank, m_rule, m_values.values, *todo.table, parameters};
    return !holds(input, todo.alternate->guard) || proceed(todo.next);
}

}  // namespace mitos::rules
