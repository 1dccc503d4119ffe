// SPDX-License-Identifier: GPL-3.0-or-later
// The sections of the report.
#pragma once

#include "search/report/internal/answer.h"
#include "search/report/internal/contest.h"

#include <string>
#include <vector>

namespace mitos::search::report {

enum class ChartRole { Main, Further, Small };  ///< further ones are as large as the main one, but coarser

/// The best cost so far, a line for each contestant under its largest limit, summed over the programs. Empty if no run is counted.
[[nodiscard]] std::string bestSoFarChart(const Contest& contest, const std::vector<std::size_t>& programs, Axis axis,
                                         ChartRole role);
/// The best cost over the limit on evaluations; empty unless there are several limits.
[[nodiscard]] std::string limitsChart(const Contest& contest, const std::vector<std::size_t>& programs);

[[nodiscard]] std::string strategyTable(const Contest& contest, const Outcome& outcome, std::size_t program);
/// Totals over the programs that every contestant finished.
[[nodiscard]] std::string totalsTable(const Contest& contest, const std::vector<Outcome>& outcomes);
/// A row for each program.
[[nodiscard]] std::string programTable(const Contest& contest, const std::vector<Outcome>& outcomes);
/// A row for each group: program, contestant and limit.
[[nodiscard]] std::string groupTable(const Contest& contest);
/// A row for each run under the largest limits.
[[nodiscard]] std::string runTable(const Contest& contest);
/// The strategies' descriptions and all their parameters.
[[nodiscard]] std::string methodTable(const Contest& contest, std::span<const StrategyInfo> strategies);

/// The thread of the best confirmed run as steps, its path, and the programs in their exchange form. Empty if there is no such run.
[[nodiscard]] std::string threadSection(const Contest& contest, const Outcome& outcome, std::size_t program,
                                        const rules::RuleBook& rules, std::size_t bytes);

}  // namespace mitos::search::report
