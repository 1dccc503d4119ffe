// SPDX-License-Identifier: GPL-3.0-or-later
// A search whose result has the values of its start. Rules are tested alone, but a result can differ from its start on some input all the
// same: the rule that is guilty is dropped then, and the search goes on without it.
#pragma once

#include "search/strategy.h"

#include <stop_token>

namespace mitos::search {

/// Runs the strategy, and compares the values of its result with those of the start on random inputs. If they differ, the result is
/// reduced to its cheapest part with the same values, the rule of the first step after it that changes them is dropped in all its directions
/// (SearchResult::dropped), and the strategy goes on from the end of that part without it, with what is left of the budget, but at least
/// the part `again` of it. Ends when a result holds, when nothing is left, or after eight rules.
///
/// This is Strategy::run() if the problem gives no time for it (SearchProblem::comparingSeconds), and for programs that are not quick to
/// compare (eval::isQuickToCompare()), which are left to the final comparison.
[[nodiscard]] Result<SearchResult> runHolding(const Strategy& strategy, const SearchProblem& problem,
                                              const std::stop_token& stop, Observer& observer, double again = 0.25);

/// The problem's rules without those dropped.
[[nodiscard]] std::vector<std::shared_ptr<const rules::DirectedRule>> rulesWithout(
    const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
    const std::vector<rewrite::RuleRemark>& dropped);

}  // namespace mitos::search
