// SPDX-License-Identifier: GPL-3.0-or-later
// The answer with which the report begins, in sentences computed from the runs, and the warnings beside it.
#pragma once

#include "search/report/internal/contest.h"

#include <string>
#include <vector>

namespace mitos::search::report {

/// The answer for one program in one or two sentences of HTML: which strategies found the cheapest confirmed program, its cost, and how
/// far the others came. `outcome` is that of the program.
[[nodiscard]] std::string answerText(const Contest& contest, const Outcome& outcome, std::size_t program);
/// The answer for all programs: by totals over those that every strategy finished, and by the number of programs.
[[nodiscard]] std::string overallAnswerText(const Contest& contest, const std::vector<Outcome>& outcomes);
/// Boxes that cannot be overlooked: results that are wrong, cheaper ones that are not confirmed, searches that failed or did not run.
[[nodiscard]] std::string warningBoxes(const Contest& contest, const std::vector<Outcome>& outcomes);
[[nodiscard]] std::string warningBox(const std::string& what, const std::string& text);

}  // namespace mitos::search::report
