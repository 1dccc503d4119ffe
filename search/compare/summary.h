// SPDX-License-Identifier: GPL-3.0-or-later
// Summarizes a comparison: spreads over seeds, totals over programs, curves with their bands.
#pragma once

#include "core/base/spread.h"
#include "search/compare/comparison.h"

#include <optional>
#include <vector>

namespace mitos::search {

/// The runs of one program under one strategy and budget, one for each seed.
struct Cell {
    std::size_t program = 0;
    std::size_t strategy = 0;
    std::size_t budget = 0;
    std::vector<const ComparedRun*> runs;  ///< those that are done
    const ComparedRun* bestRun = nullptr;  ///< of least cost, then fewest steps, then the first; null if none is done
    Spread cost;                           ///< of the best costs
    double evaluationsToBest = 0.0;        ///< median
    double secondsToBest = 0.0;            ///< median
    double seconds = 0.0;                  ///< median
    bool allChecked = false;               ///< whether the checker accepted every run's thread
    rewrite::Values values = rewrite::Values::NotCompared;  ///< the worst outcome among the runs
};
/// All cells in the order of the runs. They point into the comparison.
[[nodiscard]] std::vector<Cell> cellsOf(const Comparison& comparison);

/// One strategy and budget, summed over the programs that every strategy completed with all seeds and budgets, so that totals are
/// comparable.
struct Total {
    std::size_t strategy = 0;
    std::size_t budget = 0;
    std::size_t programs = 0;
    double initial = 0.0;
    double best = 0.0;     ///< sum over the best seed of each program
    Spread cost;           ///< of the seeds' totals
    double seconds = 0.0;  ///< of all runs together
    std::uint64_t evaluations = 0;
};
[[nodiscard]] std::vector<Total> totalsOf(const Comparison& comparison);
/// The programs that totals include.
[[nodiscard]] std::vector<std::size_t> completePrograms(const Comparison& comparison);

enum class Axis { Evaluations, Seconds, Iterations };

struct BandPoint {
    double x = 0.0;
    Spread y;
};
/// The best cost so far over evaluations, time or iterations of an e-graph, as a spread over groups. A group (a seed) counts as the sum of its runs (its
/// programs). A run that has ended keeps its last value. Returns at most `points` points, evenly spaced on a logarithmic axis.
[[nodiscard]] std::vector<BandPoint> bandOf(const std::vector<std::vector<const Run*>>& groups, Axis axis,
                                            std::size_t points = 160);
/// The groups of one strategy and budget over some programs: one for each seed whose runs are all done.
[[nodiscard]] std::vector<std::vector<const Run*>> groupsOf(const Comparison& comparison,
                                                            const std::vector<std::size_t>& programs,
                                                            std::size_t strategy, std::size_t budget);

}  // namespace mitos::search
