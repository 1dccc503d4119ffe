// SPDX-License-Identifier: GPL-3.0-or-later
// How files name a step's instance: by its number among the rule's matches, as substitutions hold terms.
#pragma once

#include "core/rewrite/step.h"

namespace mitos::rewrite {

/// The term that the rule's left side is at the step's position (the tuple, of several positions): in the program before the
/// step, of a reversed one in the program after it. Nothing: that program has no such position.
[[nodiscard]] std::optional<ir::TermId> leftSide(ir::TermBank& bank, const Step& step, ir::TermId before,
                                                 ir::TermId after);

/// 1-based number of the step's match among its rule's matches of the left side. A step that did not come from the matcher
/// counts as the first match with the same result; 0 if there is none.
[[nodiscard]] std::size_t matchNumber(ir::TermBank& bank, const Step& step, ir::TermId left);

/// A match that gives some of the step's values, where one root of several does not determine all of them.
struct PartialMatch {
    std::size_t number = 0;         ///< 1-based, among its rule's matches of the left side
    std::vector<std::size_t> open;  ///< variables that it leaves open; the step's values of them are terms
};
/// The first such match; nothing if there is none.
[[nodiscard]] std::optional<PartialMatch> partialMatch(ir::TermBank& bank, const Step& step, ir::TermId left);

/// The substitution of the match of that number, for a step whose rule and position are known. Error: there are not so many.
[[nodiscard]] Result<rules::Substitution> matchOf(ir::TermBank& bank, const Step& step, ir::TermId left,
                                                  std::size_t number);

}  // namespace mitos::rewrite
