// SPDX-License-Identifier: GPL-3.0-or-later
// A run of the matching machine as plain data, for `mitos-cli match --trace` and for the match debugger: every transition
// with θ, φ, the stack and the continuation, as text and with places in the pattern's source and in the program; and, if the
// pattern does not match, the reason.
//
//     ir::TermBank& bank = …;                              // holds the program
//     const MatchTrace trace = traceMatch(bank, subject, *rule, {.allMatches = true}, print);
//     for (const TraceStep& step : trace.steps) …          // step.transition, step.after.theta, …
//
// Values and actions carry ids and paths too: a path is relative to the subject of the match (append it to the position of
// the subject in the program). Source spans are byte offsets into `source->text()`: usually the rule's file, for the rule
// itself, or the file of the named patterns; both are kept alive by the trace.
#pragma once

#include "core/ir/path.h"
#include "core/rules/matching/transition.h"
#include "core/rules/rule.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// Prints terms, e.g. ks::printTerm.
using TermPrinter = std::function<std::string(ir::TermId)>;

/// Prints the term at a place as readers know it; the path is relative to the subject of the match.
using PlacePrinter = std::function<std::string(const ir::Path&, ir::TermId)>;

/// One entry of θ or φ.
struct TraceValue {
    std::string name;  ///< of the variable; locals and tracked parameters of unfoldings: "y of Tree#2"
    std::string text;  ///< a term; (a, b) for a sequence; the operator's name for a function variable
    ir::TermId term;   ///< invalid for sequences
    std::vector<ir::TermId> sequence;
    ir::Path path;  ///< where it was bound
};

/// An element of the continuation: match(p, t), guard(g), checkName(x), matchConstr(p, x) and our additions.
struct TraceAction {
    std::string text;                          ///< "match(Half(x), /0)"
    std::shared_ptr<const SourceText> source;  ///< the text that the span refers to
    SourceSpan span;                           ///< of the pattern or the condition
    std::optional<ir::Path> path;              ///< of the term that the action concerns, if any
};

enum class TraceStatus : std::uint8_t { Running, Success, Failure };
[[nodiscard]] std::string_view toString(TraceStatus status);  ///< "running", "success", "failure"

struct TraceState {
    TraceStatus status = TraceStatus::Running;
    std::vector<TraceValue> theta;
    std::vector<TraceValue> phi;
    std::size_t stackDepth = 0;
    std::vector<TraceAction> continuation;
};

struct TraceStep {
    Transition transition = Transition::Count;
    std::optional<TraceAction> action;  ///< the action of the transition; none for ST-SUCCESS and ST-NEXT
    std::string detail;                 ///< of refusals: what was expected and what was found
    TraceState after;                   ///< the next state (after a refusal: the one popped from the stack)
};

/// The refusal that was reached after the most progress.
struct TraceRefusal {
    std::size_t step = 0;        ///< index into MatchTrace::steps
    std::uint32_t progress = 0;  ///< number of transitions before it that matched something
    std::string text;            ///< the reason in plain words: "it needs the sum `b + c`, but there is `x`"
};

struct MatchTrace {
    TraceState start;
    std::vector<TraceStep> steps;
    std::vector<Substitution> matches;     ///< in order
    std::vector<std::size_t> matchSteps;   ///< the ST-SUCCESS of each, index into `steps`
    bool isComplete = true;                ///< false if the run stopped at the limit on steps
    std::optional<TraceRefusal> furthest;  ///< set if there is no match but there was a refusal

    [[nodiscard]] bool matched() const { return !matches.empty(); }
};

struct TraceOptions {
    bool allMatches = false;  ///< continue after the first match
    std::size_t maxSteps = 100'000;
    /// The number of states recorded in full; further steps have their transition only. With 0, only the result and the refusal remain.
    std::size_t maxStates = 2'000;
    /// Prints the terms in the text of the refusal; if empty, `print` does.
    PlacePrinter atPlace = {};
};

/// Matches a rule's left side against a term. `print` prints terms; it must not change the bank.
[[nodiscard]] MatchTrace traceMatch(ir::TermBank& bank, ir::TermId subject, const DirectedRule& rule,
                                    const TraceOptions& options, const TermPrinter& print);

/// The text of a substitution's value, as shown in traces: a term, (a, b) for a sequence, or an operator's name.
[[nodiscard]] std::string valueText(const ir::TermBank& bank, const DirectedRule& rule,
                                    const Substitution& substitution, std::size_t variable, const TermPrinter& print);
/// Whether the variable belongs to φ, that is, its value is an operator.
[[nodiscard]] bool isFunctionVariable(const DirectedRule& rule, std::size_t variable);

}  // namespace mitos::rules
