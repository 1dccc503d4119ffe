// SPDX-License-Identifier: GPL-3.0-or-later
// States and the transitions that do not depend on single nodes; machine_nodes.cpp has the others.
#include "core/rules/matching/machine.h"

#include "core/rules/matching/conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rules {

using ir::TermId;

namespace {

/// The numbers of layers of a pattern around its body, the outermost first: ∃ for each local, the guard, the constraints from the last
/// to the first.
struct LayerCounts {
    std::uint32_t locals = 0;
    std::uint32_t guards = 0;
    std::uint32_t constraints = 0;

    [[nodiscard]] std::uint32_t all() const { return locals + guards + constraints; }
};

LayerCounts layersOf(const CompiledRule& rule, const Frame* frame) {
    const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    if (frame == nullptr) return {count(rule.locals), rule.guard == NoNode ? 0U : 1U, count(rule.constraints)};
    const Alternate& alternate = *frame->alternate;
    return {count(alternate.locals), alternate.guard == NoNode ? 0U : 1U, count(alternate.constraints)};
}

}  // namespace

Machine::Machine(const GraphView& view, const CompiledRule& rule, PlaceId subject, TermText text)
    : m_view(view),
      m_bank(view.bank()),
      m_rule(rule),
      m_text(std::move(text)) {
    m_state.values.values.resize(rule.valueCount);
    m_state.bound.resize(rule.valueCount, false);
    m_state.places.resize(rule.valueCount);
    Action start;
    start.pattern.form = MachinePattern::Form::Layers;
    start.pattern.table = &rule.table;
    start.place = subject;
    push(std::move(start));
}

Machine::Continuation Machine::cell(Action action, Continuation next) {
    return std::make_shared<const MachineContinuation>(MachineContinuation{std::move(action), std::move(next)});
}

void Machine::backtrack() {
    if (m_stack.empty()) {
        m_status = Status::Failure;
        return;
    }
    m_state = std::move(m_stack.back());
    m_stack.pop_back();
    m_status = Status::Running;
}

Machine::Status Machine::run(std::uint64_t maxSteps) {
    for (std::uint64_t steps = 0; m_status == Status::Running && steps < maxSteps; ++steps) step();
    return m_status;
}

Transition Machine::step() {
    m_report = Report();
    if (m_status == Status::Success) {
        m_report.transition = Transition::Next;
        backtrack();
    } else if (m_state.continuation == nullptr) {
        m_report.transition = Transition::Success;
        m_status = Status::Success;
    } else {
        const Continuation head = m_state.continuation;
        m_report.action = head->action;
        m_report.hasAction = true;
        m_state.continuation = head->next;
        m_report.transition = dispatch(head->action);
        m_report.progress = m_state.progress;
        if (!isRefusal(m_report.transition)) return m_report.transition;
        if (m_text) m_report.refused = m_state;
        backtrack();
    }
    return m_report.transition;
}

Transition Machine::progress(Transition transition) {
    ++m_state.progress;
    return transition;
}

Transition Machine::dispatch(const Action& action) {
    switch (action.kind) {
        case Action::Kind::Match: return match(action);
        case Action::Kind::Guard: return guard(action);
        case Action::Kind::CheckName: return checkName(action);
        case Action::Kind::MatchConstr: return matchConstr(action);
        case Action::Kind::MatchArguments: return shareOut(action);
        case Action::Kind::MatchSequence: return matchSequence(action);
        case Action::Kind::MatchAttribute: return matchAttribute(action);
    }
    return Transition::Count;
}

Transition Machine::match(const Action& action) {
    switch (action.pattern.form) {
        case MachinePattern::Form::Alternates: return alternates(action);
        case MachinePattern::Form::Layers: return layers(action);
        case MachinePattern::Form::Node: break;
    }
    const Node& node = *action.pattern.node;
    switch (node.kind) {
        case NodeKind::Unfold: return unfold(action);
        case NodeKind::Variable: return matchVariable(action, node.var);
        case NodeKind::Local: return matchSlot(action, resolve(node, action.pattern.frame));
        case NodeKind::Parameter: {
            const Resolved resolved = resolve(node, action.pattern.frame);
            if (resolved.owner == Owner::Rule) return matchVariable(action, static_cast<VarIndex>(resolved.index));
            if (resolved.slot() != nullptr) return matchSlot(action, resolved);
            // A parameter is only a name for its argument, a pattern.
            Action argument = action;
            argument.pattern = {MachinePattern::Form::Node, resolved.frame->table, resolved.argument,
                                resolved.frame->outer};
            return match(argument);
        }
        default: return matchNode(action);
    }
}

// --- variables ---------------------------------------------------------------------------------------------------------

const MachineSlot* Machine::slot(const Resolved& resolved) const {
    const auto found = std::ranges::find_if(m_state.slots, [&](const MachineSlot& s) {
        return s.frame == resolved.frame->id && s.owner == resolved.owner && s.index == resolved.index;
    });
    return found == m_state.slots.end() ? nullptr : &*found;
}

void Machine::bindSlot(const Resolved& resolved, TermId term, const ir::Path& path, bool isFunction) {
    m_state.slots.push_back({resolved.frame->id, resolved.owner, resolved.index, nameOf(resolved),
                             resolved.frame->pattern, isFunction, term, path});
}

TermId Machine::valueOf(const Resolved& resolved) const {
    if (resolved.owner == Owner::Rule) return m_state.values.values[resolved.index].term;
    const MachineSlot* known = slot(resolved);
    return known == nullptr ? TermId() : known->term;
}

Surroundings Machine::contextOf(const Resolved& resolved) const {
    if (resolved.owner == Owner::Rule) {
        return rules::contextOf(m_bank, m_rule, m_state.values.values, static_cast<VarIndex>(resolved.index));
    }
    return rules::contextOf(resolved.frame->around, resolved.frame->id, resolved.local());
}

std::string Machine::nameOf(const Resolved& resolved) const {
    switch (resolved.owner) {
        case Owner::Rule: return m_rule.variables[resolved.index].name;
        case Owner::Local: return resolved.local()->name;
        case Owner::Parameter: break;
    }
    return resolved.frame->pattern->parameters[resolved.index];
}

void Machine::record(MachineState& state, TermId choice) const {
    state.values.values[m_rule.choices].sequence.push_back(choice);
}

/// Whether the place of the action represents a variable's value, which is a term below the binders `context`.
bool Machine::standsFor(const Action& action, TermId known, const Surroundings& context) const {
    const TermId here = moved(m_bank, known, context, action.scope);
    return here.isValid() && represents(m_view, action.place, here);
}

Transition Machine::matchVariable(const Action& action, VarIndex var) {
    const std::string& name = m_rule.variables[var].name;
    const TermId value = m_view.value(action.place);
    const Surroundings context = rules::contextOf(m_bank, m_rule, m_state.values.values, var);
    TermId& known = m_state.values.values[var].term;
    if (m_state.bound[var] && standsFor(action, known, context)) return progress(Transition::MatchVarBound);
    const TermId term = moved(m_bank, value, action.scope, context);
    if (!term.isValid()) {
        return refuse(Transition::MatchVarEscape, [&] {
            return fmt::format("{} must not mention a variable that is bound around it here, {} does", name,
                               m_text(value));
        });
    }
    if (!m_state.bound[var]) {
        m_state.bound[var] = true;
        m_state.places[var] = action.path;
        known = term;
        return progress(Transition::MatchVarBind);
    }
    return refuse(Transition::MatchVarConflict, [&] {
        return fmt::format("{} stands for {} already, here is {}", name, m_text(known), m_text(term));
    });
}

/// Matches a local, or a tracked parameter whose argument is a pattern and whose value is a term that matches it.
Transition Machine::matchSlot(const Action& action, const Resolved& resolved) {
    const TermId value = m_view.value(action.place);
    const Surroundings context = contextOf(resolved);
    const MachineSlot* known = slot(resolved);
    if (known != nullptr && standsFor(action, known->term, context)) return progress(Transition::MatchVarBound);
    const TermId term = moved(m_bank, value, action.scope, context);
    if (!term.isValid()) {
        return refuse(Transition::MatchVarEscape, [&] {
            return fmt::format("{} must not mention a variable that is bound around it here, {} does", nameOf(resolved),
                               m_text(value));
        });
    }
    if (known != nullptr) {
        return refuse(Transition::MatchVarConflict, [&] {
            return fmt::format("{} stands for {} already, here is {}", nameOf(resolved), m_text(known->term),
                               m_text(term));
        });
    }
    bindSlot(resolved, term, action.path, false);
    if (resolved.owner == Owner::Local) {
        record(m_state, term);
    } else {
        Action argument = action;
        argument.pattern = {MachinePattern::Form::Node, resolved.frame->table, resolved.argument,
                            resolved.frame->outer};
        push(std::move(argument));
    }
    return progress(Transition::MatchVarBind);
}

// --- named patterns ----------------------------------------------------------------------------------------------------

MachinePattern Machine::enter(const Action& action, std::uint32_t index, MachineState& state) {
    const MachinePattern& use = action.pattern;
    auto frame = std::make_unique<Frame>();
    frame->table = use.table;
    frame->unfold = use.node;
    frame->outer = use.frame;
    frame->pattern = &m_rule.patterns->patterns[use.node->index];
    frame->alternate = &frame->pattern->alternates[index];
    frame->id = static_cast<std::uint32_t>(m_frames.size()) + 1;
    frame->depth = use.frame == nullptr ? 1 : use.frame->depth + 1;
    frame->place = action.place;
    frame->around = action.scope;
    frame->allocate();
    record(state, m_bank.integer(index));
    MachinePattern result{MachinePattern::Form::Layers, &frame->alternate->table, nullptr, frame.get()};
    m_frames.push_back(std::move(frame));
    return result;
}

Transition Machine::unfold(const Action& action) {
    const std::uint32_t depth = action.pattern.frame == nullptr ? 1 : action.pattern.frame->depth + 1;
    const NamedPattern& pattern = m_rule.patterns->patterns[action.pattern.node->index];
    if (depth > MaxUnfoldDepth) {
        return refuse(Transition::MatchMuLimit, [&] {
            return fmt::format("{} is unfolded more than {} times inside itself", pattern.name, MaxUnfoldDepth);
        });
    }
    if (action.pattern.frame != nullptr && action.pattern.frame->isInside(pattern, action.place)) {
        return refuse(Transition::MatchMuLimit, [&] {
            return fmt::format("{} is being unfolded at {} already", pattern.name, m_text(m_view.value(action.place)));
        });
    }
    Action body = action;
    if (pattern.alternates.size() == 1) {
        body.pattern = enter(action, 0, m_state);
    } else {
        body.pattern.form = MachinePattern::Form::Alternates;
    }
    push(std::move(body));
    return Transition::MatchMu;
}

Transition Machine::alternates(const Action& action) {
    const std::uint32_t first = action.pattern.first;
    const auto count =
        static_cast<std::uint32_t>(m_rule.patterns->patterns[action.pattern.node->index].alternates.size());
    MachineState other = m_state;
    Action rest = action;
    if (first + 2 == count) {
        rest.pattern = enter(action, first + 1, other);
    } else {
        ++rest.pattern.first;
    }
    other.continuation = cell(std::move(rest), other.continuation);
    m_stack.push_back(std::move(other));
    Action body = action;
    body.pattern = enter(action, first, m_state);
    push(std::move(body));
    return Transition::MatchAlt;
}

Transition Machine::layers(const Action& action) {
    const Frame* frame = action.pattern.frame;
    const LayerCounts counts = layersOf(m_rule, frame);
    const std::uint32_t layer = action.pattern.first;
    Action inner = action;
    if (layer == counts.all()) {
        inner.pattern.form = MachinePattern::Form::Node;
        inner.pattern.first = 0;
        inner.pattern.node = &action.pattern.table->nodes[frame == nullptr ? m_rule.left : frame->alternate->root];
        return match(inner);
    }
    ++inner.pattern.first;
    Action later;
    later.pattern = action.pattern;
    Transition transition = Transition::MatchExists;
    if (layer < counts.locals) {
        later.kind = Action::Kind::CheckName;
        later.index = frame == nullptr ? m_rule.locals[layer] : layer;
    } else if (layer < counts.locals + counts.guards) {
        later.kind = Action::Kind::Guard;
        transition = Transition::MatchGuard;
    } else {
        later.kind = Action::Kind::MatchConstr;
        const auto& constraints = frame == nullptr ? m_rule.constraints : frame->alternate->constraints;
        later.constraint = &constraints[counts.all() - layer - 1];
        transition = Transition::MatchMatchConstr;
    }
    push(std::move(later));
    push(std::move(inner));
    return transition;
}

Transition Machine::guard(const Action& action) {
    Frame* frame = action.pattern.frame;
    const NodeTable& table = frame == nullptr ? m_rule.table : frame->alternate->table;
    const std::uint32_t condition = frame == nullptr ? m_rule.guard : frame->alternate->guard;
    // The values of the parameters and of the locals, in the form that conditions read.
    std::vector<Binding> values;
    std::vector<const Binding*> parameters;
    std::vector<Binding> locals;
    if (frame != nullptr) {
        const auto count = static_cast<std::uint32_t>(frame->pattern->parameters.size());
        values.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const Resolved resolved = resolveParameter(i, frame);
            if (resolved.owner == Owner::Rule) {
                parameters.push_back(&m_state.values.values[resolved.index]);
                continue;
            }
            values[i].term = valueOf(resolved);
            parameters.push_back(&values[i]);
        }
        for (std::uint32_t i = 0; i < frame->alternate->locals.size(); ++i) {
            locals.push_back({valueOf({Owner::Local, i, frame, nullptr}), {}});
        }
    }
    const ConditionInput input{m_bank, m_rule, m_state.values.values, table, parameters, locals};
    if (holds(input, condition)) return progress(Transition::CheckGuardContinue);
    return refuse(Transition::CheckGuardBacktrack, [&] {
        const SourceText& source = frame == nullptr ? *m_rule.source : *m_rule.patterns->source;
        const SourceSpan span = table.conditions[failingPart(input, condition)].span;
        return fmt::format("the condition {} does not hold", source.text().substr(span.begin, span.end - span.begin));
    });
}

Transition Machine::checkName(const Action& action) {
    Frame* frame = action.pattern.frame;
    const Resolved local{frame == nullptr ? Owner::Rule : Owner::Local, action.index, frame, nullptr};
    const bool bound = frame == nullptr ? m_state.bound[action.index] : slot(local) != nullptr;
    if (bound) return progress(Transition::CheckName);
    return refuse(Transition::CheckNameUnbound,
                  [&] { return fmt::format("the local variable {} is not bound", nameOf(local)); });
}

Transition Machine::matchConstr(const Action& action) {
    Frame* frame = action.pattern.frame;
    const NodeTable& table = frame == nullptr ? m_rule.table : frame->alternate->table;
    const Resolved subject = resolve(table.nodes[action.constraint->subject], frame);
    const TermId value = valueOf(subject);
    if (!value.isValid()) {
        return refuse(Transition::MatchConstrUnbound, [&] {
            return fmt::format("{} is not bound, so its match constraint cannot be checked", nameOf(subject));
        });
    }
    Action next;
    next.pattern = {MachinePattern::Form::Node, &table, &table.nodes[action.constraint->pattern], frame};
    next.place = m_view.placeOf(value);
    next.scope = contextOf(subject);
    next.path = subject.owner == Owner::Rule ? m_state.places[subject.index] : slot(subject)->path;
    push(std::move(next));
    return progress(Transition::MatchConstr);
}

}  // namespace mitos::rules
