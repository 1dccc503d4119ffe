// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the machine and records its transitions.
#include "core/rules/matching/trace.h"

#include "core/rules/directed_rule.h"
#include "core/rules/matching/internal/excerpt.h"
#include "core/rules/matching/internal/refusal_text.h"
#include "core/rules/matching/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::rules {

using ir::TermId;

namespace {

/// The name of the operator of a function variable's value.
std::string operatorText(const ir::TermBank& bank, TermId term) {
    const ir::Payload& payload = bank.payload(term);
    if (bank.is(term, ir::CoreOp::Call)) return bank.function(payload.asFunction()).name;
    if (payload.kind() != ir::PayloadKind::Attributes) return std::string(bank.opName(term));
    return fmt::format("{}${}", bank.opName(term), bank.text(payload.asSymbol()));
}

class Writer {
public:
    Writer(const ir::TermBank& bank, const CompiledRule& rule, const TermPrinter& print)
        : m_bank(bank),
          m_rule(rule),
          m_print(print) {}

    [[nodiscard]] TraceState state(const Machine& machine) const {
        TraceState result;
        switch (machine.status()) {
            case Machine::Status::Running: result.status = TraceStatus::Running; break;
            case Machine::Status::Success: result.status = TraceStatus::Success; break;
            case Machine::Status::Failure: result.status = TraceStatus::Failure; return result;
        }
        const MachineState& state = machine.state();
        for (std::size_t i = 0; i < m_rule.valueCount; ++i) {
            if (!state.bound[i] || m_rule.variables[i].kind == VarKind::Choices) continue;
            const bool isFunction = m_rule.variables[i].kind == VarKind::Function;
            const Binding& value = state.values.values[i];
            TraceValue written{m_rule.variables[i].name,
                               valueText(m_bank, m_rule.variables[i].kind, value, m_print),
                               value.term,
                               {value.sequence.begin(), value.sequence.end()},
                               state.places[i]};
            (isFunction ? result.phi : result.theta).push_back(std::move(written));
        }
        for (const MachineSlot& slot : state.slots) {
            const std::string text = slot.isFunction ? operatorText(m_bank, slot.term) : m_print(slot.term);
            TraceValue written{
                fmt::format("{} of {}#{}", slot.name, slot.pattern->name, slot.frame), text, slot.term, {}, slot.path};
            (slot.isFunction ? result.phi : result.theta).push_back(std::move(written));
        }
        result.stackDepth = machine.stack().size();
        for (const MachineContinuation* at = state.continuation.get(); at != nullptr; at = at->next.get()) {
            result.continuation.push_back(action(at->action));
        }
        return result;
    }

    [[nodiscard]] TraceAction action(const MachineAction& action) const {
        TraceAction result;
        const Frame* frame = action.pattern.frame;
        result.source = sourceOf(frame);
        const std::string place = ir::toString(action.path);
        switch (action.kind) {
            case MachineAction::Kind::Match:
                result.text = fmt::format("match({}, {})", shortened(patternText(action.pattern)), place);
                result.span = patternSpan(action.pattern);
                result.path = action.path;
                break;
            case MachineAction::Kind::MatchArguments:
                result.text = fmt::format("matchArguments({}, {})", shortened(patternText(action.pattern)), place);
                result.span = patternSpan(action.pattern);
                result.path = action.path;
                break;
            case MachineAction::Kind::MatchSequence:
                result.text =
                    fmt::format("matchSequence({}, {} arguments from {}/{})", shortened(patternText(action.pattern)),
                                action.end - action.index, place == "/" ? "" : place, action.index);
                result.span = patternSpan(action.pattern);
                result.path = action.path;
                break;
            case MachineAction::Kind::MatchAttribute:
                result.text = fmt::format("matchAttribute({}, {})", m_rule.variables[action.pattern.node->var].name,
                                          action.index);
                result.span = patternSpan(action.pattern);
                result.path = action.path;
                break;
            case MachineAction::Kind::Guard:
                result.span = frame == nullptr ? m_rule.guardSpan : frame->alternate->guardSpan;
                result.text = fmt::format("guard({})", shortened(text(frame, result.span)));
                break;
            case MachineAction::Kind::CheckName:
                result.span = patternSpan(action.pattern);
                result.text =
                    fmt::format("checkName({})", frame == nullptr ? m_rule.variables[action.index].name
                                                                  : frame->alternate->locals[action.index].name);
                break;
            case MachineAction::Kind::MatchConstr:
                result.span = action.constraint->span;
                result.text = fmt::format("matchConstr({}, {})", shortened(nodeText(frame, action.constraint->pattern)),
                                          nodeText(frame, action.constraint->subject));
                break;
        }
        return result;
    }

    static std::string valueText(const ir::TermBank& bank, VarKind kind, const Binding& value,
                                 const TermPrinter& print) {
        if (kind == VarKind::Function) return value.term.isValid() ? operatorText(bank, value.term) : "";
        if (kind != VarKind::Sequence && kind != VarKind::Choices) return value.term.isValid() ? print(value.term) : "";
        std::string result = "(";
        for (const TermId element : value.sequence) result += (result.size() > 1 ? ", " : "") + print(element);
        return result + ")";
    }

private:
    [[nodiscard]] const std::shared_ptr<const SourceText>& sourceOf(const Frame* frame) const {
        return frame == nullptr ? m_rule.source : m_rule.patterns->source;
    }

    [[nodiscard]] std::string text(const Frame* frame, SourceSpan span) const {
        return oneLine(sourceOf(frame)->text().substr(span.begin, span.end - span.begin));
    }

    [[nodiscard]] const NodeTable& tableOf(const Frame* frame) const {
        return frame == nullptr ? m_rule.table : frame->alternate->table;
    }

    [[nodiscard]] std::string nodeText(const Frame* frame, std::uint32_t node) const {
        return text(frame, tableOf(frame).nodes[node].span);
    }

    [[nodiscard]] SourceSpan patternSpan(const MachinePattern& pattern) const {
        if (pattern.node != nullptr) return pattern.node->span;
        if (pattern.frame == nullptr) return m_rule.table.nodes[m_rule.left].span;
        const Alternate& alternate = *pattern.frame->alternate;
        const std::size_t guards = alternate.guard == NoNode ? 0 : 1;
        const bool isBody = pattern.first == alternate.locals.size() + guards + alternate.constraints.size();
        return isBody ? alternate.table.nodes[alternate.root].span : alternate.span;
    }

    [[nodiscard]] std::string patternText(const MachinePattern& pattern) const {
        switch (pattern.form) {
            case MachinePattern::Form::Node: return text(pattern.frame, pattern.node->span);
            case MachinePattern::Form::Alternates: {
                const auto& alternates = m_rule.patterns->patterns[pattern.node->index].alternates;
                std::string result;
                for (std::size_t i = pattern.first; i < alternates.size(); ++i) {
                    result += (result.empty() ? "" : " || ") + layersText(layersOf(alternates[i]), 0);
                }
                return result;
            }
            case MachinePattern::Form::Layers: break;
        }
        const Frame* frame = pattern.frame;
        return layersText(frame == nullptr ? layersOf(m_rule) : layersOf(*frame->alternate), pattern.first);
    }

    /// The layers of a pattern, as written.
    struct Layers {
        const SourceText& source;
        const NodeTable& table;
        std::uint32_t root;
        const std::vector<CompiledConstraint>& constraints;
        std::uint32_t guard;
        SourceSpan guardSpan;
        std::vector<std::string> locals;

        [[nodiscard]] std::string text(SourceSpan span) const {
            return oneLine(source.text().substr(span.begin, span.end - span.begin));
        }
        [[nodiscard]] std::string node(std::uint32_t index) const { return text(table.nodes[index].span); }
    };

    [[nodiscard]] Layers layersOf(const CompiledRule& rule) const {
        std::vector<std::string> locals;
        for (const VarIndex local : rule.locals) locals.push_back(rule.variables[local].name);
        return {*rule.source, rule.table, rule.left, rule.constraints, rule.guard, rule.guardSpan, std::move(locals)};
    }

    [[nodiscard]] Layers layersOf(const Alternate& alternate) const {
        std::vector<std::string> locals;
        for (const LocalVariable& local : alternate.locals) locals.push_back(local.name);
        return {*m_rule.patterns->source, alternate.table,     alternate.root,   alternate.constraints,
                alternate.guard,          alternate.guardSpan, std::move(locals)};
    }

    /// ∃y. ((p; (p' ≈ x)); guard(g)) without the `done` outer layers.
    static std::string layersText(const Layers& layers, std::size_t done) {
        const std::size_t guards = layers.guard == NoNode ? 0 : 1;
        const std::size_t locals = layers.locals.size();
        std::string result = layers.node(layers.root);
        const std::size_t gone = done > locals + guards ? done - locals - guards : 0;
        for (std::size_t i = 0; i + gone < layers.constraints.size(); ++i) {
            result = fmt::format("({}; ({} ≈ {}))", result, layers.node(layers.constraints[i].pattern),
                                 layers.node(layers.constraints[i].subject));
        }
        if (guards == 1 && done <= locals) {
            result = fmt::format("({}; guard({}))", result, layers.text(layers.guardSpan));
        }
        for (std::size_t i = locals; i-- > done;) result = fmt::format("∃{}.{}", layers.locals[i], result);
        return result;
    }

    const ir::TermBank& m_bank;
    const CompiledRule& m_rule;
    const TermPrinter& m_print;
};

}  // namespace

std::string_view toString(TraceStatus status) {
    switch (status) {
        case TraceStatus::Running: return "running";
        case TraceStatus::Success: return "success";
        case TraceStatus::Failure: break;
    }
    return "failure";
}

MatchTrace traceMatch(ir::TermBank& bank, TermId subject, const DirectedRule& rule, const TraceOptions& options,
                      const TermPrinter& print) {
    const CompiledRule& compiled = *compiledOf(rule);
    const ProgramView view(bank);
    const TermPrinter brief = [&print](TermId term) { return shortened(print(term)); };
    Machine machine(view, compiled, view.placeOf(subject), brief);
    const Writer writer(bank, compiled, print);
    MatchTrace trace;
    Machine::Report furthest;
    trace.start = writer.state(machine);
    while (machine.status() == Machine::Status::Running ||
           (options.allMatches && machine.status() == Machine::Status::Success)) {
        if (trace.steps.size() >= options.maxSteps) {
            trace.isComplete = false;
            break;
        }
        TraceStep& step = trace.steps.emplace_back();
        step.transition = machine.step();
        const Machine::Report& report = machine.report();
        const bool refused = isRefusal(step.transition);
        const bool isFurthest = refused && (!trace.furthest || report.progress > trace.furthest->progress);
        if (report.hasAction && (trace.steps.size() <= options.maxStates || isFurthest)) {
            step.action = writer.action(report.action);
        }
        step.detail = report.detail;
        if (trace.steps.size() <= options.maxStates) step.after = writer.state(machine);
        if (step.transition == Transition::Success) {
            trace.matches.push_back(machine.state().values);
            trace.matchSteps.push_back(trace.steps.size() - 1);
        }
        if (!isFurthest) continue;
        trace.furthest = {trace.steps.size() - 1, report.progress, {}};
        furthest = report;
    }
    if (trace.matched()) trace.furthest.reset();
    if (trace.furthest) {
        const PlacePrinter plain = [&brief](const ir::Path&, TermId term) { return brief(term); };
        trace.furthest->text =
            refusalText(bank, compiled, subject, furthest, {options.atPlace ? options.atPlace : plain, brief});
    }
    return trace;
}

std::string valueText(const ir::TermBank& bank, const DirectedRule& rule, const Substitution& substitution,
                      std::size_t variable, const TermPrinter& print) {
    return Writer::valueText(bank, compiledOf(rule)->variables[variable].kind, substitution.values[variable], print);
}

bool isFunctionVariable(const DirectedRule& rule, std::size_t variable) {
    return compiledOf(rule)->variables[variable].kind == VarKind::Function;
}

}  // namespace mitos::rules
