// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the report on the experiment of the e-graph MCTS paper: its page, CSV files, and the summary for the terminal.
#pragma once

#include "search/experiments/claims.h"
#include "search/experiments/experiment.h"
#include "search/experiments/summary.h"

#include <string>
#include <vector>

namespace mitos::search::experiments {

/// Tables with the paper's numbers beside ours, charts and heatmaps.
[[nodiscard]] ReportPage pageOf(const ExperimentPlan& plan, const ExperimentResults& results, const Summary& summary);

/// CSV files of runs and parts; numbers are exact.
[[nodiscard]] std::vector<ExperimentFile> csvFiles(const ExperimentPlan& plan, const ExperimentResults& results,
                                                   const Summary& summary);

/// Tables as text of several lines.
[[nodiscard]] std::string summaryText(const ExperimentPlan& plan, const ExperimentResults& results,
                                      const Summary& summary);
/// One JSON object with the same numbers.
[[nodiscard]] std::string summaryJson(const ExperimentPlan& plan, const Summary& summary,
                                      const ExperimentResults& results);

}  // namespace mitos::search::experiments
