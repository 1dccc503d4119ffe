// SPDX-License-Identifier: GPL-3.0-or-later
// The compiled matcher: on success it continues with the rest of the list, on failure it returns.
#include "core/rules/matching/matcher.h"

#include "core/base/deep_stack.h"
#include "core/ir/attributes.h"
#include "core/rules/matching/conditions.h"

#include <algorithm>
#include <string>
#include <type_traits>

namespace mitos::rules {

using ir::CoreOp;
using ir::PayloadKind;
using ir::TermId;

namespace {

/// Whether the condition of an alternate can hold if its local function variable number `local` has the operator of the term: the condition is
/// evaluated on the whole match, but a recursive pattern that tries every operator first takes exponential time.
bool admitsOperator(const ir::TermBank& bank, const Alternate& alternate, std::uint32_t condition, std::uint32_t local,
                    TermId term) {
    if (condition == NoNode) return true;
    const ConditionNode& node = alternate.table.conditions[condition];
    if (node.kind == ConditionKind::And)
        return admitsOperator(bank, alternate, node.left, local, term) &&
               admitsOperator(bank, alternate, node.right, local, term);
    if (node.kind != ConditionKind::MemberOf || node.owner != Owner::Local || node.var != local) return true;
    return std::ranges::find(node.words, operatorName(bank, term)) != node.words.end();
}

}  // namespace

template <typename View>
MatcherOver<View>::MatcherOver(const View& view, const CompiledRule& rule, std::uint64_t maxSteps)
    : m_view(view),
      m_bank(view.bank()),
      m_rule(rule),
      m_maxSteps(maxSteps) {
    m_values.values.resize(rule.valueCount);
    m_bound.resize(rule.valueCount, false);
}

template <typename View>
bool MatcherOver<View>::run(PlaceId place, Found found) {
    return search(&m_rule.table.nodes[m_rule.left], place, found);
}

template <typename View>
bool MatcherOver<View>::runRest(const Substitution& start, Found found) {
    m_values = start;
    for (std::size_t i = 0; i < m_bound.size(); ++i) {
        m_bound[i] = start.values[i].term.isValid() || m_rule.variables[i].kind == VarKind::Sequence;
    }
    const bool isComplete = search(nullptr, PlaceId(), found);
    m_values.values.assign(m_rule.valueCount, Binding());
    std::fill(m_bound.begin(), m_bound.end(), false);
    return isComplete;
}

/// Runs the search. If `left` is null, only the actions after it are run.
template <typename View>
bool MatcherOver<View>::search(const Node* left, PlaceId place, Found found) {
    constexpr std::uint32_t FewSteps = 1000;
    constexpr std::uint32_t StepsPerLevel = 4;  // of withDeepStack
    std::vector<Todo> constraints(m_rule.constraints.size());
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        constraints[i].kind = Todo::Kind::Constraint;
        constraints[i].table = &m_rule.table;
        constraints[i].constraint = &m_rule.constraints[i];
        constraints[i].next = i + 1 < constraints.size() ? &constraints[i + 1] : nullptr;
    }
    const Todo* rest = constraints.empty() ? nullptr : constraints.data();
    Todo start;
    start.table = &m_rule.table;
    start.node = left;
    start.place = place;
    start.next = rest;
    const Todo* const todo = left == nullptr ? rest : &start;
    std::size_t reported = 0;
    const auto count = [&](const Substitution& match) {
        ++reported;
        return found(match);
    };
    const Found counting = count;
    m_found = &counting;
    if (exceedsDepth(todo, FewSteps)) {
        // The same matches come in the same order again.
        std::size_t known = reported;
        const auto skip = [&](const Substitution& match) {
            if (known == 0) return found(match);
            --known;
            return true;
        };
        const Found skipping = skip;
        m_found = &skipping;
        withDeepStack(MaxDepth / StepsPerLevel, [&] { exceedsDepth(todo, MaxDepth); });
    }
    m_found = nullptr;
    return m_steps <= m_maxSteps && !m_isTooDeep;
}

template <typename View>
bool MatcherOver<View>::exceedsDepth(const Todo* todo, std::uint32_t limit) {
    m_steps = 0;
    m_frames = 0;
    m_depth = 0;
    m_depthLimit = limit;
    m_isTooDeep = false;
    proceed(todo);
    return m_isTooDeep;
}

template <typename View>
bool MatcherOver<View>::complete() {
    if (!holds({m_bank, m_rule, m_values.values, m_rule.table}, m_rule.guard)) return true;
    if (!std::ranges::all_of(m_rule.locals, [&](VarIndex var) { return m_bound[var]; })) return true;
    return (*m_found)(m_values);
}

template <typename View>
bool MatcherOver<View>::proceed(const Todo* todo) {
    if (++m_steps > m_maxSteps) return false;
    if (todo == nullptr) return complete();
    if (m_depth == m_depthLimit) {
        m_isTooDeep = true;
        return false;
    }
    ++m_depth;
    const bool goOn = dispatch(*todo);
    --m_depth;
    return goOn;
}

template <typename View>
bool MatcherOver<View>::dispatch(const Todo& todo) {
    switch (todo.kind) {
        case Todo::Kind::Match: return matchNode(todo);
        case Todo::Kind::Children: return matchChildren(todo, NoVar, false);
        case Todo::Kind::Sequence: return matchSequence(todo);
        case Todo::Kind::Constraint: return matchConstraint(todo);
        case Todo::Kind::Guard: return guardOf(todo);
        case Todo::Kind::Locals: return localsOf(todo);
    }
    return true;
}

template <typename View>
bool MatcherOver<View>::matchNode(const Todo& todo) {
    const Node& node = *todo.node;
    switch (node.kind) {
        case NodeKind::Variable: return matchVariable(todo);
        case NodeKind::Unfold: return matchUnfold(todo);
        case NodeKind::Parameter: return matchParameter(todo);
        case NodeKind::Local: return matchLocal(todo, resolve(node, todo.frame));
        default: break;
    }
    if constexpr (std::is_same_v<View, ProgramView>) {
        return matchHead(todo, m_view.value(todo.place));
    } else {
        Todo chosen = todo;
        const auto count = static_cast<std::uint32_t>(m_view.nodeCount(todo.place));
        for (chosen.head = 0; chosen.head < count; ++chosen.head) {
            if (!matchHead(chosen, m_view.node(todo.place, chosen.head))) return false;
        }
        return true;
    }
}

/// Matches one node of the place.
template <typename View>
bool MatcherOver<View>::matchHead(const Todo& todo, TermId term) {
    const Node& node = *todo.node;
    switch (node.kind) {
        case NodeKind::Bound: return matchBound(todo, term);
        case NodeKind::Apply: return matchApply(todo, term);
        case NodeKind::Function: return matchFunction(todo, term);
        default: break;
    }
    switch (node.kind) {
        case NodeKind::Number:
        case NodeKind::Approx: return !isNumber(m_bank, term, node) || withChoice(term, todo.next);
        case NodeKind::AnyLiteral: return withChoice(term, todo.next);  // it matches attributes only
        default: break;
    }
    if (!m_bank.is(term, CoreOp::Literal)) return true;
    const ir::Payload& payload = m_bank.payload(term);
    switch (node.kind) {
        case NodeKind::Literal: return payload != node.payload || proceed(todo.next);
        case NodeKind::Text: {
            const bool same = payload.kind() == PayloadKind::String && m_bank.text(payload.asSymbol()) == node.name;
            return !same || proceed(todo.next);
        }
        default: return true;  // kinds that occur on right sides only
    }
}

template <typename View>
bool MatcherOver<View>::matchBound(const Todo& todo, TermId term) {
    if (!m_bank.is(term, CoreOp::Bound)) return true;
    std::uint32_t index = 0;
    const Scope* at = todo.scope;
    const BinderKey key{todo.frame == nullptr ? 0 : todo.frame->id, todo.node->var};
    while (at != nullptr && at->key != key) {
        at = at->outer;
        ++index;
    }
    return at == nullptr || m_bank.payload(term).asIndex() != index || proceed(todo.next);
}

template <typename View>
Surroundings MatcherOver<View>::surroundings(const Scope* scope) {
    Surroundings result;
    for (const Scope* at = scope; at != nullptr; at = at->outer) result.push_back(at->key);
    std::ranges::reverse(result);
    return result;
}

template <typename View>
Surroundings MatcherOver<View>::contextOf(VarIndex var) const {
    return rules::contextOf(m_bank, m_rule, m_values.values, var);
}

template <typename View>
Surroundings MatcherOver<View>::contextOf(const Resolved& resolved) const {
    if (resolved.owner == Owner::Rule) return contextOf(static_cast<VarIndex>(resolved.index));
    return rules::contextOf(resolved.frame->around, resolved.frame->id, resolved.local());
}

template <typename View>
template <typename Name>
TermId MatcherOver<View>::valueFor(const Name& variable, PlaceId place, const Scope* scope) const {
    const TermId value = m_view.value(place);
    if (m_bank.looseBound(value) == 0) return value;
    return moved(m_bank, value, surroundings(scope), contextOf(variable));
}

template <typename View>
template <typename Name>
bool MatcherOver<View>::standsFor(const Name& variable, TermId known, PlaceId place, const Scope* scope) const {
    if constexpr (std::is_same_v<View, ProgramView>) return valueFor(variable, place, scope) == known;
    if (m_bank.looseBound(known) == 0) return represents(m_view, place, known);
    const TermId here = moved(m_bank, known, contextOf(variable), surroundings(scope));
    return here.isValid() && represents(m_view, place, here);
}

/// Matches a local variable, whose value is recorded as a choice when it is bound.
template <typename View>
bool MatcherOver<View>::matchLocal(const Todo& todo, const Resolved& resolved) {
    Binding& value = *resolved.slot();
    if (value.term.isValid()) return !standsFor(resolved, value.term, todo.place, todo.scope) || proceed(todo.next);
    value.term = valueFor(resolved, todo.place, todo.scope);
    const bool goOn = !value.term.isValid() || withChoice(value.term, todo.next);
    value.term = TermId();
    return goOn;
}

/// Matches a parameter, whose argument is a variable or a pattern. A tracked one whose argument is a pattern is also bound to a term.
template <typename View>
bool MatcherOver<View>::matchParameter(const Todo& todo) {
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
    if (tracked->term.isValid())
        return !standsFor(resolved, tracked->term, todo.place, todo.scope) || proceed(todo.next);
    tracked->term = valueFor(resolved, todo.place, todo.scope);
    const bool goOn = !tracked->term.isValid() || matchNode(argument);
    tracked->term = TermId();
    return goOn;
}

template <typename View>
bool MatcherOver<View>::matchConstraint(const Todo& todo) {
    const Resolved subject = resolve(todo.table->nodes[todo.constraint->subject], todo.frame);
    const Binding* value = subject.owner == Owner::Rule ? &m_values.values[subject.index] : subject.slot();
    if (value == nullptr || !value->term.isValid()) return true;
    const Surroundings keys = contextOf(subject);
    absl::InlinedVector<Scope, 6> scopes(keys.size());  // those around the value
    for (std::size_t i = 0; i < keys.size(); ++i) scopes[i] = under(keys[i], i > 0 ? &scopes[i - 1] : nullptr);
    Todo pattern = todo;
    pattern.kind = Todo::Kind::Match;
    pattern.node = &todo.table->nodes[todo.constraint->pattern];
    pattern.place = m_view.placeOf(value->term);
    pattern.scope = scopes.empty() ? nullptr : &scopes.back();
    return proceed(&pattern);
}

template <typename View>
bool MatcherOver<View>::matchVariable(const Todo& todo) {
    const VarIndex var = todo.node->var;
    TermId& value = m_values.values[var].term;
    if (m_bound[var]) return !standsFor(var, value, todo.place, todo.scope) || proceed(todo.next);
    value = valueFor(var, todo.place, todo.scope);
    if (!value.isValid()) return true;
    m_bound[var] = true;
    const bool goOn = proceed(todo.next);
    m_values.values[var].term = TermId();
    m_bound[var] = false;
    return goOn;
}

template <typename View>
bool MatcherOver<View>::matchSequence(const Todo& todo) {
    const VarIndex var = todo.node->var;
    auto& known = m_values.values[var].sequence;
    if (m_bound[var] && known.size() != todo.to - todo.from) return true;
    const TermId term = m_view.node(todo.place, todo.head);
    const Scope inner = under({0, todo.function}, todo.scope);
    absl::InlinedVector<TermId, 2> elements;
    for (std::uint32_t i = todo.from; i < todo.to; ++i) {
        const Scope* scope = todo.isFunction && m_bank.boundIn(term, i) > 0 ? &inner : todo.scope;
        if (m_bound[var]) {
            if (!standsFor(var, known[i - todo.from], child(todo, i), scope)) return true;
            continue;
        }
        elements.push_back(valueFor(var, child(todo, i), scope));
        if (!elements.back().isValid()) return true;
    }
    if (m_bound[var]) return proceed(todo.next);
    m_bound[var] = true;
    known = std::move(elements);
    const bool goOn = proceed(todo.next);
    m_values.values[var].sequence.clear();
    m_bound[var] = false;
    return goOn;
}

template <typename View>
bool MatcherOver<View>::withChoice(TermId choice, const Todo* next) {
    auto& choices = m_values.values[m_rule.choices].sequence;
    choices.push_back(choice);
    const bool goOn = proceed(next);
    choices.pop_back();
    return goOn;
}

template <typename View>
bool MatcherOver<View>::bindBinder(const Node& node, TermId term, bool recorded, absl::FunctionRef<bool()> then) {
    const ir::TypeId type = m_bank.boundType(term);
    if (!recorded && m_bound[node.binder]) return m_bank.type(m_values.values[node.binder].term) != type || then();
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

template <typename View>
bool MatcherOver<View>::matchApply(const Todo& todo, TermId term) {
    const Node& node = *todo.node;
    if (!hasOperator(m_bank, term, node)) return true;
    if (!node.attributes.empty()) return matchAttributes(todo, term);
    if (node.binder != NoVar) return matchBinder(todo, term);
    if (node.op == ir::opId(CoreOp::Get)) {
        const std::uint32_t index = m_bank.payload(term).projectionIndex();
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

/// Matches a Let (the value, then the body under the variable) or a Lam (the body).
template <typename View>
bool MatcherOver<View>::matchBinder(const Todo& todo, TermId term) {
    const Node& node = *todo.node;
    const Scope inner = under(keyOf(node, todo.frame), todo.scope);
    const bool isLet = node.op == ir::opId(CoreOp::Let);
    Todo body = todo;
    body.node = &todo.table->child(node, isLet ? 1 : 0);
    body.place = child(todo, isLet ? 1 : 0);
    body.scope = &inner;
    Todo value = todo;
    value.next = &body;
    if (isLet) {
        value.node = &todo.table->child(node, 0);
        value.place = child(todo, 0);
    } else if (!node.binderType.empty() && node.binderType.front().in(m_bank.types()) != m_bank.boundType(term)) {
        return true;
    }
    return bindBinder(node, term, todo.frame != nullptr, [&] { return proceed(isLet ? &value : &body); });
}

template <typename View>
const std::vector<TermId>& MatcherOver<View>::attributesIn(Symbol text) {
    const auto [known, isNew] = m_attributes.try_emplace(text);
    if (isNew) {
        const std::string copy(m_bank.text(text));  // creating literals may move the bank's texts
        for (const std::string_view value : ir::attributeValues(copy)) {
            known->second.push_back(ir::attributeLiteral(m_bank, value));
        }
    }
    return known->second;
}

/// Matches the attributes, each against the literal of its value, then the children.
template <typename View>
bool MatcherOver<View>::matchAttributes(const Todo& todo, TermId term) {
    const Node& node = *todo.node;
    Todo children = todo;
    children.kind = Todo::Kind::Children;
    absl::InlinedVector<Todo, 2> items(node.attributes.size(), todo);
    std::size_t at = 0;
    for (const TermId value : attributesIn(m_bank.payload(term).asSymbol())) {
        items[at].node = &todo.table->nodes[node.attributes[at]];
        items[at].place = m_view.plainPlace(value);
        items[at].next = at + 1 < items.size() ? &items[at + 1] : &children;
        ++at;
    }
    return proceed(items.data());
}

template <typename View>
bool MatcherOver<View>::matchFunction(const Todo& todo, TermId term) {
    if (!isApplication(m_bank, term)) return true;
    const Resolved resolved = resolve(*todo.node, todo.frame);
    const bool isLocal = resolved.owner == Owner::Local;
    const auto function = isLocal ? NoVar : static_cast<VarIndex>(resolved.index);
    TermId& known = isLocal ? resolved.slot()->term : m_values.values[function].term;
    if (known.isValid()) {
        const bool same = m_bank.op(known) == m_bank.op(term) && m_bank.payload(known) == m_bank.payload(term);
        return !same || matchChildren(todo, function, true);
    }
    if (isLocal &&
        !admitsOperator(m_bank, *resolved.frame->alternate, resolved.frame->alternate->guard, resolved.index, term))
        return true;
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

template <typename View>
bool MatcherOver<View>::matchChildren(const Todo& todo, VarIndex function, bool isFunction) {
    const Node& node = *todo.node;
    const auto count = static_cast<std::uint32_t>(m_view.childCount(todo.place, todo.head));
    std::uint32_t sequences = 0;
    for (std::size_t i = 0; i < node.childCount; ++i) {
        if (todo.table->child(node, i).kind == NodeKind::Sequence) ++sequences;
    }
    const std::uint32_t fixed = node.childCount - sequences;
    if (count < fixed || (sequences == 0 && count != fixed)) return true;
    // Tries all ways to distribute the rest among the sequences; the length of the first one grows last.
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

template <typename View>
bool MatcherOver<View>::matchPartition(const Todo& todo, VarIndex function, bool isFunction,
                                       std::span<const std::uint32_t> lengths) {
    const Node& node = *todo.node;
    absl::InlinedVector<Todo, 4> items(node.childCount);
    const VarIndex bindsFor = node.owner == Owner::Rule ? function : NoVar;
    const Scope functionBinder = under({0, bindsFor}, todo.scope);
    const TermId term = m_view.node(todo.place, todo.head);
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
            item.place = todo.place;
            item.head = todo.head;
            item.from = at;
            item.to = at + lengths[sequence++];
            item.isFunction = isFunction;
            item.function = bindsFor;
            at = item.to;
            continue;
        }
        item.place = child(todo, at);
        if (isFunction && m_bank.boundIn(term, at) > 0) item.scope = &functionBinder;
        ++at;
    }
    return proceed(node.childCount > 0 ? items.data() : todo.next);
}

template <typename View>
bool MatcherOver<View>::matchUnfold(const Todo& todo) {
    const std::uint32_t depth = todo.frame == nullptr ? 1 : todo.frame->depth + 1;
    if (depth > MaxUnfoldDepth) return true;
    const NamedPattern& pattern = m_rule.patterns->patterns[todo.node->index];
    if (todo.frame != nullptr && todo.frame->isInside(pattern, todo.place)) return true;
    for (std::size_t i = 0; i < pattern.alternates.size(); ++i) {
        const Alternate& alternate = pattern.alternates[i];
        Frame frame{todo.table, todo.node, todo.frame, &pattern, &alternate, ++m_frames, depth, todo.place};
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

template <typename View>
bool MatcherOver<View>::guardOf(const Todo& todo) {
    const std::vector<const Binding*> parameters = parameterValues(*todo.frame, m_values.values);
    const ConditionInput input{m_bank, m_rule, m_values.values, *todo.table, parameters, todo.frame->locals};
    return !holds(input, todo.frame->alternate->guard) || proceed(todo.next);
}

template <typename View>
bool MatcherOver<View>::localsOf(const Todo& todo) {
    const auto& locals = todo.frame->locals;
    const bool bound = std::ranges::all_of(locals, [](const Binding& b) { return b.term.isValid(); });
    return !bound || proceed(todo.next);
}

template class MatcherOver<ProgramView>;
template class MatcherOver<GraphView>;

}  // namespace mitos::rules
