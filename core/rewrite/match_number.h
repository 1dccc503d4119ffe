// SPDX-License-Identifier: GPL-3.0-or-later
// Files identify a step's instance by its number among the rule's matches, because substitutions contain terms.
#pragma once

#include "core/rewrite/step.h"

namespace mitos::rewrite {

/// The term at the step's position that the rule's left side matches (a tuple if there are several positions): in the program before the
/// step, or in the program after a reversed step. Nothing if that program has no such position.
[[nodiscard]] std::optional<ir::TermId> leftSide(ir::TermBank& bank, const Step& step, ir::TermId before,
                                                 ir::TermId after);

/// The 1-based number of the step's match among its rule's matches of the term `left`. A step that did not come from the matcher
/// counts as the first match with the same result; 0 if there is none.
[[nodiscard]] std::size_t matchNumber(ir::TermBank& bank, const Step& step, ir::TermId left);

/// A match that determines only some of the step's values, which happens for one root of several.
struct PartialMatch {
    std::size_t number = 0;         ///< 1-based, among its rule's matches of the left side
    std::vector<std::size_t> open;  ///< variables that it leaves open; their values in the step are terms
};
/// The first match that agrees with the step; nothing if there is none.
[[nodiscard]] std::optional<PartialMatch> partialMatch(ir::TermBank& bank, const Step& step, ir::TermId left);

/// The substitution of the match with that number, for a step whose rule and position are known. Fails if there are fewer matches.
[[nodiscard]] Result<rules::Substitution> matchOf(ir::TermBank& bank, const Step& step, ir::TermId left,
                                                  std::size_t number);

}  // namespace mitos::rewrite
