// SPDX-License-Identifier: GPL-3.0-or-later
// What the experiment's folder gets at the end: CSV files and one HTML page. Also the summary for the terminal.
#pragma once

#include "search/experiments/claims.h"
#include "search/experiments/summary.h"

#include <span>
#include <string>
#include <utility>

namespace mitos::search::experiments {

using Environment =
    std::vector<std::pair<std::string, std::string>>;  ///< name, value: version, machine, rules, date, …

/// Writes report.html, claims.csv, runs.csv and a CSV file for each part of the plan. Fails if a file cannot be written.
[[nodiscard]] Status writeReport(const ExperimentPlan& plan, const ExperimentResults& results, const Summary& summary,
                                 const Environment& environment, const std::string& folder);

/// The page: claims with their verdicts, tables with the paper's numbers beside ours, charts and heatmaps.
[[nodiscard]] std::string htmlReport(const ExperimentPlan& plan, const ExperimentResults& results,
                                     const Summary& summary, const Environment& environment);

/// CSV files by name; numbers are exact.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> csvFiles(const ExperimentPlan& plan,
                                                                        const ExperimentResults& results,
                                                                        const Summary& summary);

/// Tables and claims as text of several lines.
[[nodiscard]] std::string summaryText(const ExperimentPlan& plan, const ExperimentResults& results,
                                      const Summary& summary);
/// One JSON object with the same numbers.
[[nodiscard]] std::string summaryJson(const ExperimentPlan& plan, const ExperimentResults& results,
                                      const Summary& summary);

}  // namespace mitos::search::experiments
