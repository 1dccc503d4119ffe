// SPDX-License-Identifier: GPL-3.0-or-later
// The compiled matcher: success continues with the rest of the list, failure returns.
#include "core/rules/matcher.h"

#include "core/ir/attributes.h"
#include "core/rules/conditions.h"

#include <algorithm>
#include <string>

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
    std::vector<Todo> constraints(m_rule.constraints.size());
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        constraints[i].kind = Todo::Kind::Constraint;
        constraints[i].table = &m_rule.table;
        constraints[i].constraint = &m_rule.constraints[i];
        constraints[i].next = i + 1 < constraints.size() ? &constraints[i + 1] : nullptr;
    }
    Todo start;
    start.table = &m_rule.table;
    start.node = &m_rule.table.nodes[m_rule.left];
    start.term = subject;
    start.next = constraints.empty() ? nullptr : constraints.data();
    proceed(&start);
}

bool Matcher::complete() {
    if (!holds({m_bank, m_rule, m_values.values, m_rule.table}, m_rule.guard)) return true;
    if (!std::all_of(m_rule.locals.begin(), m_rule.locals.end(), [&](VarIndex var) { return m_bound[var]; }))
        return true;
    return m_found(m_values);
}

bool Matcher::proceed(const Todo* todo) {
    if (++m_steps > MaxSteps) return false;
    if (todo == nullptr) return complete();
    switch (todo->kind) {
        case Todo::Kind::Match: return matchNode(*todo);
        case Todo::Kind::Children: return matchChildren(*todo, NoVar, false);
        case Todo::Kind::Sequence: return matchSequence(*todo);
        case Todo::Kind::Constraint: return matchConstraint(*todo);
        case Todo::Kind::Guard: return guardOf(*todo);
        case Todo::Kind::Locals: return localsOf(*todo);
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
            const BinderKey key{todo.frame == nullptr ? 0 : todo.frame->id, node.var};
            while (at != nullptr && at->key != key) {
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
        case NodeKind::Parameter: return matchParameter(todo);
        case NodeKind::Local: return matchLocal(todo, resolve(node, todo.frame));
        case NodeKind::AnyLiteral: return !m_bank.is(todo.term, CoreOp::Literal) || withChoice(todo.term, todo.next);
        default: return true;  // right sides only
    }
}

Surroundings Matcher::surroundings(const Scope* scope) {
    Surroundings result;
    for (const Scope* at = scope; at != nullptr; at = at->outer) result.push_back(at->key);
    std::reverse(result.begin(), result.end());
    return result;
}

Surroundings Matcher::contextOf(const Resolved& resolved) const {
    if (resolved.owner == Owner::Rule) {
        return rules::contextOf(m_bank, m_rule, m_values.values, static_cast<VarIndex>(resolved.index));
    }
    return rules::contextOf(resolved.frame->around, resolved.frame->id, resolved.local());
}

TermId Matcher::rescoped(VarIndex var, TermId term, const Scope* scope) {
    if (m_bank.looseBound(term) == 0) return term;
    return moved(m_bank, term, surroundings(scope), rules::contextOf(m_bank, m_rule, m_values.values, var));
}

/// A local variable; its value is recorded where it is bound.
bool Matcher::matchLocal(const Todo& todo, const Resolved& resolved) {
    const TermId term = moved(m_bank, todo.term, surroundings(todo.scope), contextOf(resolved));
    if (!term.isValid()) return true;
    Binding& value = *resolved.slot();
    if (value.term.isValid()) return value.term != term || proceed(todo.next);
    value.term = term;
    const bool goOn = withChoice(term, todo.next);
    value.term = TermId();
    return goOn;
}

/// A parameter stands for a variable, or for a pattern; a tracked one that stands for a pattern stands for one term.
bool Matcher::matchParameter(const Todo& todo) {
    const Resolved resolved = resolve(*todo.node, todo.frame);
    if (resolved.owner == Owner::Local) return matchLocal(todo, resolved);
    Todo argument = todo;
    if (resolved.owner == Owner::Rule) {
        const Frame* at = todo.frame;
        const Node* node = &at->argument(todo.node->index);
        for (; node->kind == NodeKind::Parameter; node = &at->argument(node->index)) at = at->outer;
        argument.node = node;
        return matchVariable(argument);
    }
    argument.table = resolved.frame->table;
    argument.node = resolved.argument;
    argument.frame = resolved.frame->outer;
    Binding* tracked = resolved.slot();
    if (tracked == nullptr) return matchNode(argument);
    const TermId term = moved(m_bank, todo.term, surroundings(todo.scope), contextOf(resolved));
    if (!term.isValid()) return true;
    if (tracked->term.isValid()) return tracked->term != term || proceed(todo.next);
    tracked->term = term;
    const bool goOn = matchNode(argument);
    tracked->term = TermId();
    return goOn;
}

bool Matcher::matchConstraint(const Todo& todo) {
    const Resolved subject = resolve(todo.table->nodes[todo.constraint->subject], todo.frame);
    const Binding* value = subject.owner == Owner::Rule ? &m_values.values[subject.index] : subject.slot();
    if (value == nullptr || !value->term.isValid()) return true;
    const Surroundings keys = contextOf(subject);
    absl::InlinedVector<Scope, 6> scopes(keys.size());  // the pattern stands where the value came from
    for (std::size_t i = 0; i < keys.size(); ++i) scopes[i] = under(keys[i], i > 0 ? &scopes[i - 1] : nullptr);
    Todo pattern = todo;
    pattern.kind = Todo::Kind::Match;
    pattern.node = &todo.table->nodes[todo.constraint->pattern];
    pattern.term = value->term;
    pattern.scope = scopes.empty() ? nullptr : &scopes.back();
    return proceed(&pattern);
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
        const Scope inner = under({0, todo.function}, todo.scope);
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
    return !isNumber(m_bank, todo.term, *todo.node) || withChoice(todo.term, todo.next);
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
    if (!hasOperator(m_bank, todo.term, node)) return true;
    if (!node.attributes.empty()) return matchAttributes(todo);
    if (node.binder != NoVar) {
        // Let: value, then body under the variable; Lam: the body.
        const Scope inner = under(keyOf(node, todo.frame), todo.scope);
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
        return bindBinder(node, todo.term, todo.frame != nullptr, [&] { return proceed(isLet ? &value : &body); });
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

/// The attributes first, each against the literal of its value, then the children.
bool Matcher::matchAttributes(const Todo& todo) {
    const Node& node = *todo.node;
    const std::string text(m_bank.text(m_bank.payload(todo.term).asSymbol()));
    Todo children = todo;
    children.kind = Todo::Kind::Children;
    absl::InlinedVector<Todo, 2> items(node.attributes.size(), todo);
    std::size_t at = 0;
    for (const std::string_view value : ir::attributeValues(text)) {
        items[at].node = &todo.table->nodes[node.attributes[at]];
        items[at].term = ir::attributeLiteral(m_bank, value);
        items[at].next = at + 1 < items.size() ? &items[at + 1] : &children;
        ++at;
    }
    return proceed(items.data());
}

bool Matcher::matchFunction(const Todo& todo) {
    const TermId term = todo.term;
    if (!isApplication(m_bank, term)) return true;
    const Resolved resolved = resolve(*todo.node, todo.frame);
    const bool isLocal = resolved.owner == Owner::Local;
    const auto function = isLocal ? NoVar : static_cast<VarIndex>(resolved.index);
    TermId& known = isLocal ? resolved.slot()->term : m_values.values[function].term;
    if (known.isValid()) {
        const bool same = m_bank.op(known) == m_bank.op(term) && m_bank.payload(known) == m_bank.payload(term);
        return !same || matchChildren(todo, function, true);
    }
    known = term;
    if (!isLocal) m_bound[function] = true;
    auto& choices = m_values.values[m_rule.choices == NoVar ? 0 : m_rule.choices].sequence;
    if (isLocal) choices.push_back(term);
    const bool goOn = matchChildren(todo, function, true);
    if (isLocal) choices.pop_back();
    if (!isLocal) m_bound[function] = false;
    known = TermId();
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
    const VarIndex bindsFor = node.owner == Owner::Rule ? function : NoVar;
    const Scope functionBinder = under({0, bindsFor}, todo.scope);
    std::uint32_t at = 0;
    std::size_t sequence = 0;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        Todo& item = items[i];
        item.table = todo.table;
        item.node = &todo.table->child(node, i);
        item.scope = todo.scope;
        item.frame = todo.frame;
        item.next = i + 1 < node.childCount ? &items[i + 1] : todo.next;
        if (item.node->kind == NodeKind::Sequence) {
            item.kind = Todo::Kind::Sequence;
            item.term = todo.term;
            item.from = at;
            item.to = at + lengths[sequence++];
            item.isFunction = isFunction;
            item.function = bindsFor;
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
    const std::uint32_t depth = todo.frame == nullptr ? 1 : todo.frame->depth + 1;
    if (depth > MaxUnfoldDepth) return true;
    const NamedPattern& pattern = m_rule.patterns->patterns[todo.node->index];
    for (std::size_t i = 0; i < pattern.alternates.size(); ++i) {
        const Alternate& alternate = pattern.alternates[i];
        Frame frame{todo.table, todo.node, todo.frame, &pattern, &alternate, ++m_frames, depth};
        frame.allocate();
        if (!frame.locals.empty() || !frame.parameters.empty()) frame.around = surroundings(todo.scope);
        Todo body = todo;
        body.table = &alternate.table;
        body.node = &alternate.table.nodes[alternate.root];
        body.frame = &frame;
        // The body, the constraints, the guard, the check of the locals.
        absl::InlinedVector<Todo, 4> after(alternate.constraints.size(), body);
        for (std::size_t k = 0; k < after.size(); ++k) {
            after[k].kind = Todo::Kind::Constraint;
            after[k].constraint = &alternate.constraints[k];
        }
        if (alternate.guard != NoNode) after.emplace_back(body).kind = Todo::Kind::Guard;
        if (!frame.locals.empty()) after.emplace_back(body).kind = Todo::Kind::Locals;
        for (std::size_t k = 0; k + 1 < after.size(); ++k) after[k].next = &after[k + 1];
        if (!after.empty()) body.next = after.data();
        if (!withChoice(m_bank.integer(static_cast<std::int64_t>(i)), &body)) return false;
    }
    return true;
}

bool Matcher::guardOf(const Todo& todo) {
    const std::vector<const Binding*> parameters = parameterValues(*todo.frame, m_values.values);
    const ConditionInput input{m_bank, m_rule, m_values.values, *todo.table, parameters, todo.frame->locals};
    return !holds(input, todo.frame->alternate->guard) || proceed(todo.next);
}

bool Matcher::localsOf(const Todo& todo) {
    const auto& locals = todo.frame->locals;
    const bool bound = std::all_of(locals.begin(), locals.end(), [](const Binding& b) { return b.term.isValid(); });
    return !bound || proceed(todo.next);
}

}  // namespace mitos::rules
