// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/matching/explanation.h"

#include "core/ir/binding.h"
#include "core/ir/reading_form.h"
#include "core/rules/directed_rule.h"
#include "core/rules/matching/internal/excerpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::rules {

using ir::TermId;

namespace {

constexpr std::size_t LongestTerm = 160;

/// The parts of a left side, and what a trace says about each.
class PartMarker {
public:
    PartMarker(const CompiledRule& rule) : m_rule(rule) {
        addNode(rule.left, 0);
        for (const CompiledConstraint& constraint : rule.constraints) {
            add(constraint.span, 0);
            addNode(constraint.pattern, 1);
        }
        if (rule.guard != NoNode) add(rule.guardSpan, 0);
    }

    /// Follows the machine to the first match or to the furthest refusal. What was matched on a way that was given up is not marked.
    void follow(const MatchTrace& trace) {
        const std::size_t end = trace.matched()  ? trace.matchSteps.front()
                                : trace.furthest ? trace.furthest->step
                                                 : trace.steps.size();
        std::vector<std::vector<MatchPart>> kept;
        for (std::size_t i = 0; i <= end && i < trace.steps.size(); ++i) {
            const TraceStep& step = trace.steps[i];
            const bool isRefused = isRefusal(step.transition);
            while (kept.size() < step.after.stackDepth) kept.push_back(m_parts);
            if (step.action) mark(*step.action, isRefused);
            if (!isRefused || i == end || kept.empty()) continue;
            m_parts = std::move(kept.back());
            kept.pop_back();
        }
        const auto isRefused = [](const MatchPart& part) { return part.mark == MatchPart::Mark::Refused; };
        if (trace.furthest && std::ranges::none_of(m_parts, isRefused)) m_parts[m_last].mark = MatchPart::Mark::Refused;
    }

    [[nodiscard]] std::vector<MatchPart> take() { return std::move(m_parts); }

private:
    void addNode(std::uint32_t index, std::uint32_t depth) {
        const Node& node = m_rule.table.nodes[index];
        add(node.span, depth);
        if (node.kind == NodeKind::Unfold) return;
        for (std::uint32_t i = 0; i < node.childCount; ++i) {
            addNode(m_rule.table.children[node.firstChild + i], depth + 1);
        }
    }

    void add(SourceSpan span, std::uint32_t depth) {
        const std::string_view text = m_rule.source->text();
        m_parts.push_back(
            {.pattern = std::string(ir::withoutParentheses(oneLine(text.substr(span.begin, span.end - span.begin)))),
             .depth = depth});
        m_spans.push_back(span);
    }

    void mark(const TraceAction& action, bool isRefused) {
        if (action.source != m_rule.source) return;
        const auto isAt = [&](SourceSpan span) {
            return span.begin == action.span.begin && span.end == action.span.end;
        };
        const auto found = std::ranges::find_if(m_spans, isAt);
        if (found == m_spans.end()) return;
        m_last = static_cast<std::size_t>(found - m_spans.begin());
        MatchPart& part = m_parts[m_last];
        part.mark = isRefused ? MatchPart::Mark::Refused : MatchPart::Mark::Matched;
        part.path = action.path;
    }

    const CompiledRule& m_rule;
    std::vector<MatchPart> m_parts;
    std::vector<SourceSpan> m_spans;  ///< by part
    std::size_t m_last = 0;           ///< the part marked last
};

/// Writes the sentence.
class Teller {
public:
    Teller(ir::TermBank& bank, const ir::Program& program, const ir::Path& position, const DirectedRule& rule,
           const ir::ReadingForm& reading)
        : m_bank(bank),
          m_program(program),
          m_position(position),
          m_rule(rule),
          m_reading(reading) {}

    [[nodiscard]] std::string sentence(const MatchTrace& trace) const {
        const std::string name = m_rule.rule().text.starts_with("rule") ? m_rule.name() : "the pattern";
        if (trace.matched()) return fmt::format("{} matches here{}.", name, outcome(trace));
        if (!trace.isComplete) {
            return fmt::format("{} was not decided within {} transitions of the machine.", name, trace.steps.size());
        }
        if (!trace.furthest) return fmt::format("{} does not match here.", name);
        const bool isCondition = trace.steps[trace.furthest->step].transition == Transition::CheckGuardBacktrack;
        return isCondition ? fmt::format("{} matches here, but {}.", name, trace.furthest->text)
                           : fmt::format("{} does not match here: {}.", name, trace.furthest->text);
    }

private:
    [[nodiscard]] std::string outcome(const MatchTrace& trace) const {
        std::string text = trace.matches.size() == 1 ? "" : fmt::format(" in {} ways", trace.matches.size());
        if (const std::string values = bindings(trace); !values.empty()) {
            text += fmt::format(" with {}{}", trace.matches.size() == 1 ? "" : "first ", values);
        }
        if (!m_rule.rule().text.starts_with("rule")) return text;
        const TermId subject = *ir::subterm(m_bank, m_program.root, m_position);
        const Result<TermId> result = m_rule.apply(m_bank, trace.matches.front(), subject);
        if (!result) return text + ", but it cannot be applied: " + result.error().message;
        const Result<TermId> root = ir::replaceAt(m_bank, m_program.root, m_position, *result);
        if (!root) return text + ", but it cannot be applied: " + root.error().message;
        const ir::ReadingForm after(m_bank, {m_program.function, *root}, m_position);
        return text + fmt::format("; it would become `{}`", shortened(after.at({}, *result), LongestTerm));
    }

    [[nodiscard]] std::string bindings(const MatchTrace& trace) const {
        const std::size_t step = trace.matchSteps.front();
        std::string text;
        const auto add = [&text](const std::string& name, const std::string& value) {
            text += fmt::format("{}{} = `{}`", text.empty() ? "" : ", ", name, value);
        };
        const CompiledRule& compiled = *compiledOf(m_rule);
        for (const TraceValue& value : trace.steps[step].after.theta) {
            const auto variable = std::ranges::find(compiled.variables, value.name, &Variable::name);
            const bool isTerm = variable != compiled.variables.end() && variable->kind == VarKind::Term;
            if (variable == compiled.variables.end() || variable->kind == VarKind::Binder) continue;
            add(value.name, isTerm ? shortened(m_reading.at(value.path, value.term), LongestTerm / 2) : value.text);
        }
        for (const TraceValue& value : trace.steps[step].after.phi) add(value.name, value.text);
        return text;
    }

    ir::TermBank& m_bank;
    const ir::Program& m_program;
    const ir::Path& m_position;
    const DirectedRule& m_rule;
    const ir::ReadingForm& m_reading;
};

}  // namespace

ExplainedMatch explainMatch(ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                            const DirectedRule& rule, TraceOptions options, const TermPrinter& print) {
    const TermId subject = *ir::subterm(bank, program.root, position);
    const ir::ReadingForm reading(bank, program, position);
    options.atPlace = [&reading](const ir::Path& path, TermId term) { return reading.at(path, term); };
    ExplainedMatch result{traceMatch(bank, subject, rule, options, print), {}};
    PartMarker marker(*compiledOf(rule));
    marker.follow(result.trace);
    result.explanation.parts = marker.take();
    for (MatchPart& part : result.explanation.parts) {
        if (!part.path) continue;
        const auto term = ir::subterm(bank, subject, *part.path);
        if (term) part.found = shortened(reading.at(*part.path, *term), LongestTerm);
    }
    result.explanation.sentence = Teller(bank, program, position, rule, reading).sentence(result.trace);
    return result;
}

}  // namespace mitos::rules
