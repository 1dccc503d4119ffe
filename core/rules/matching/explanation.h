// SPDX-License-Identifier: GPL-3.0-or-later
// The outcome of a match for readers: one sentence, and the pattern part by part with what stands at its place. Made from the machine's
// trace (trace.h), for `mitos-cli match` and for the match debugger.
#pragma once

#include "core/ir/function.h"
#include "core/ir/path.h"
#include "core/rules/matching/trace.h"
#include "core/rules/rule.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::rules {

/// A part of a rule's left side (a node, a match constraint, or the condition) and how far it got.
struct MatchPart {
    enum class Mark : std::uint8_t { NotReached, Matched, Refused };

    std::string pattern;      ///< as the rule has it
    std::uint32_t depth = 0;  ///< parts are in pre-order
    Mark mark = Mark::NotReached;
    std::optional<ir::Path> path = {};  ///< of the term that it was matched against, from the subject of the match
    std::string found = {};             ///< that term, as readers know it; empty if there is none
};

struct MatchExplanation {
    /// "mul_by_add does not match here: it needs the sum `b + c` at the right of the product, but there is `f(x)`." Program text and
    /// rule text stand between backquotes.
    std::string sentence;
    std::vector<MatchPart> parts;
};

/// Matches a rule with one root at a position of a program. `trace` has all matches.
struct ExplainedMatch {
    MatchTrace trace;
    MatchExplanation explanation;
};
/// `print` prints terms in the trace; the explanation quotes the program's reading form (ir/reading_form.h). With a match, the sentence says
/// what the subterm would become; the result is built in `bank`. The position must exist.
[[nodiscard]] ExplainedMatch explainMatch(ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                                          const DirectedRule& rule, TraceOptions options, const TermPrinter& print);

}  // namespace mitos::rules
