// SPDX-License-Identifier: GPL-3.0-or-later
// What a comparison comes to: spreads over seeds, totals over programs, curves with their bands.
#pragma once

#include "search/compare/comparison.h"

#include <optional>
#include <vector>

namespace mitos::search {

/// Of some numbers: least, quartiles (linear between neighbours), greatest.
struct Spread {
    double least = 0.0;
    double lower = 0.0;
    double median = 0.0;
    double upper = 0.0;
    double most = 0.0;
};
/// Not of none.
[[nodiscard]] Spread spreadOf(std::vector<double> values);

/// One program under one strategy and budget: its seeds.
struct Cell {
    std::size_t program = 0;
    std::size_t strategy = 0;
    std::size_t budget = 0;
    std::vector<const RunRecord*> runs;  ///< those that were done
    const RunRecord* bestRun = nullptr;  ///< of least cost, then fewest steps, then the first; null if none was done
    Spread cost;                         ///< of the best costs
    double evaluationsToBest = 0.0;      ///< median
    double secondsToBest = 0.0;          ///< median
    double seconds = 0.0;                ///< median
    bool allChecked = false;             ///< every run's thread
    rewrite::Values values = rewrite::Values::NotCompared;  ///< the worst of the runs'
};
/// All cells in the order of the runs. They refer to the comparison.
[[nodiscard]] std::vector<Cell> cellsOf(const Comparison& comparison);

/// One strategy and budget over all programs that every strategy did with all seeds and budgets, so that totals compare.
struct Total {
    std::size_t strategy = 0;
    std::size_t budget = 0;
    std::size_t programs = 0;
    double initial = 0.0;
    double best = 0.0;     ///< the best seed of each program
    Spread cost;           ///< of the seeds' totals
    double seconds = 0.0;  ///< of all runs together
    std::uint64_t evaluations = 0;
};
[[nodiscard]] std::vector<Total> totalsOf(const Comparison& comparison);
/// The programs totals are over.
[[nodiscard]] std::vector<std::size_t> completePrograms(const Comparison& comparison);

enum class Axis { Evaluations, Seconds };

struct BandPoint {
    double x = 0.0;
    Spread y;
};
/// The best so far over evaluations or time, spread over groups: each group (a seed) counts as the sum of its runs (its
/// programs). Runs that ended stay where they were. At most `points` points, evenly by logarithm.
[[nodiscard]] std::vector<BandPoint> bandOf(const std::vector<std::vector<const RunRecord*>>& groups, Axis axis,
                                            std::size_t points = 160);
/// The groups of one strategy and budget over some programs: one for each seed whose runs were all done.
[[nodiscard]] std::vector<std::vector<const RunRecord*>> groupsOf(const Comparison& comparison,
                                                                  const std::vector<std::size_t>& programs,
                                                                  std::size_t strategy, std::size_t budget);

}  // namespace mitos::search
