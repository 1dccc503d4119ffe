// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the PyPM experiment, as HTML; empty without runs.
#pragma once

#include "search/experiments/pypm_results.h"

#include <string>

namespace mitos::search::experiments {

/// Figures 10 and 11: histograms of the relative speed-ups under a measure, one for each suite.
[[nodiscard]] std::string speedupHistograms(const PypmResults& results, const PypmMeasure& measure);
/// Figures 12 and 13: the time of a pass by its number of matches, one for each suite.
[[nodiscard]] std::string matchingCharts(const PypmResults& results);
/// The time of a pass by the size of the graph, for passes without a match.
[[nodiscard]] std::string sizeChart(const PypmResults& results);

}  // namespace mitos::search::experiments
