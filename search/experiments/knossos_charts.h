// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the Knossos experiment, as HTML; empty without runs.
#pragma once

#include "search/experiments/knossos_results.h"

#include <string>

namespace mitos::search::experiments {

/// Totals over epochs: with the largest number of evaluations beside the paper's levels, once with bands from the 20 to the 80 percentile over the
/// repetitions, once of one standard deviation; and the same with fewer evaluations.
[[nodiscard]] std::string knossosEpochCharts(const KnossosResults& results, KnossosTask task);
/// Totals over the number of evaluations: trained A* beside what learns nothing, and searches with and without a trained value function; and
/// totals over the time that a search takes, of each network beside the value function that needs no training.
[[nodiscard]] std::string knossosBudgetCharts(const KnossosResults& results, KnossosTask task);
/// States that each network rates in a second.
[[nodiscard]] std::string knossosSpeedChart(const KnossosResults& results);

}  // namespace mitos::search::experiments
