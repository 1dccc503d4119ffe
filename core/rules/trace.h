// SPDX-License-Identifier: GPL-3.0-or-later
// A run of the matching machine as plain data, for `mitos-cli match --trace` and for the match debugger: every transition
// with θ, φ, the stack and the continuation, in text and with places in the pattern's source and in the program; and the
// answer to "why does it not match here?".
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
#include "core/rules/rule.h"
#include "core/rules/transition.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// How terms are written, e.g. by ks::printTerm.
using TermPrinter = std::function<std::string(ir::TermId)>;

/// One entry of θ or φ.
struct TraceValue {
    std::string name;  ///< of the variable; locals and tracked parameters of unfoldings: "y of Tree#2"
    std::string text;  ///< a term, (a, b) for a sequence, the operator's name for a function variable
    ir::TermId term;   ///< invalid for sequences
    std::vector<ir::TermId> sequence;
    ir::Path path;  ///< where it was bound
};

/// An element of the continuation: match(p, t), guard(g), checkName(x), matchConstr(p, x) and our additions.
struct TraceAction {
    std::string text;                          ///< "match(Half(x), /0)"
    std::shared_ptr<const SourceText> source;  ///< what the span refers to
    SourceSpan span;                           ///< of the pattern or the condition
    std::optional<ir::Path> path;              ///< of the term it looks at, if it looks at one
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
    std::optional<TraceAction> action;  ///< what the transition worked on; none for ST-SUCCESS and ST-NEXT
    std::string detail;                 ///< of refusals: what was wanted and what was found
    TraceState after;                   ///< the state it led to (after a refusal: the one taken up from the stack)
};

/// The refusal after which most had been matched.
struct TraceRefusal {
    std::size_t step = 0;        ///< index into MatchTrace::steps
    std::uint32_t progress = 0;  ///< transitions on the way there that matched something: how near it came
    std::string text;            ///< one sentence: "a condition refused: …", with the place
};

struct MatchTrace {
    TraceState start;
    std::vector<TraceStep> steps;
    std::vector<Substitution> matches;     ///< in order
    std::vector<std::size_t> matchSteps;   ///< the ST-SUCCESS of each, index into `steps`
    bool isComplete = true;                ///< false: stopped at the limit of steps
    std::optional<TraceRefusal> furthest;  ///< set if nothing matches and something refused

    [[nodiscard]] bool matched() const { return !matches.empty(); }
};

struct TraceOptions {
    bool allMatches = false;  ///< go on after the first one
    std::size_t maxSteps = 100'000;
    /// States written out in full; further steps only have their transition. 0: only the result and the refusal.
    std::size_t maxStates = 2'000;
};

/// Matches a rule's left side against a term. `print` writes terms; it may not change the bank.
[[nodiscard]] MatchTrace traceMatch(ir::TermBank& bank, ir::TermId subject, const DirectedRule& rule,
                                    const TraceOptions& options, const TermPrinter& print);

/// A value of a substitution as it is shown in traces: a term, (a, b) for a sequence, an operator's name.
[[nodiscard]] std::string valueText(const ir::TermBank& bank, const DirectedRule& rule,
                                    const Substitution& substitution, std::size_t variable, const TermPrinter& print);
/// Whether the variable is one of φ: it stands for an operator.
[[nodiscard]] bool isFunctionVariable(const DirectedRule& rule, std::size_t variable);

}  // namespace mitos::rules
