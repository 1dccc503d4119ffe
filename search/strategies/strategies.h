// SPDX-License-Identifier: GPL-3.0-or-later
// The list of all strategies, and those that run others.
#pragma once

#include "search/strategy.h"

#include <memory>
#include <string_view>
#include <vector>

namespace mitos::search {

/// Runs searches in sequence, each with its own rules (internal/schedule.h), such as the paper's two-phase schedule (Knossos 5).
[[nodiscard]] std::unique_ptr<Strategy> makePhases();
/// Searches one of several equal parts of a graph and repeats what was found in the others.
[[nodiscard]] std::unique_ptr<Strategy> makeBlocks();
inline constexpr std::string_view BlocksName = "blocks";
/// Divides a graph by a pattern and searches each region by itself.
[[nodiscard]] std::unique_ptr<Strategy> makeRegions();
inline constexpr std::string_view RegionsName = "regions";
/// Whether the strategy can search a region: it rewrites, and does not divide the program by itself or choose among several results.
[[nodiscard]] bool searchesRegions(const StrategyInfo& info);
/// Several strategies within one budget, in parallel if only the time is limited; reports which one found the best program.
[[nodiscard]] std::unique_ptr<Strategy> makePortfolio();

/// Every strategy, in listing order, with restarts where they can change the result (search/restarts.h): those that rewrite, the one that
/// searches regions, those that make schedules, then trainings.
[[nodiscard]] std::vector<std::shared_ptr<const Strategy>> allStrategies();
/// Those of them that rewrite programs, for programs of any dialect.
[[nodiscard]] std::vector<std::shared_ptr<const Strategy>> rewritingStrategies();
/// Those of them that search for programs or schedules of a dialect.
[[nodiscard]] std::vector<std::shared_ptr<const Strategy>> strategiesFor(const ir::Dialect& dialect);
/// Finds a strategy by name; the error lists the known names of its kind, those that rewrite or those that make schedules.
[[nodiscard]] Result<std::shared_ptr<const Strategy>> findStrategy(std::string_view name);

}  // namespace mitos::search
