// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the REGAL experiment, as HTML; empty without runs.
#pragma once

#include "search/experiments/regal_results.h"

#include <string>

namespace mitos::search::experiments {

/// Histograms of the gains of REGAL, for each task. Ties are left out and count in the percentages, as in the paper.
[[nodiscard]] std::string gainHistograms(const RegalResults& results);
/// Seconds of a search by method.
[[nodiscard]] std::string methodSeconds(const RegalResults& results);
/// Gains of BRKGA and REGAL by evaluations, with their intervals.
[[nodiscard]] std::string evaluationCharts(const RegalResults& results);
/// Histograms over graphs of the entropy of the actions for devices.
[[nodiscard]] std::string entropyHistograms(const RegalResults& results);
/// The best gains on validation graphs by rounds of messages, and the training curves of the models that are used.
[[nodiscard]] std::string trainingCharts(const RegalResults& results);

}  // namespace mitos::search::experiments
