// SPDX-License-Identifier: GPL-3.0-or-later
// The coarsening experiment as text: a table for the terminal, a report and all times as files.
#pragma once

#include "core/experiments/coarsening.h"

#include <string>

namespace mitos::experiments {

/// A line for each configuration: times of a call, and the speed-ups beside the paper's.
[[nodiscard]] std::string coarseningTable(const CoarseningResults& results);
/// All times as CSV, in seconds.
[[nodiscard]] std::string coarseningCsv(const CoarseningResults& results);
/// Writes report.md and times.csv into a folder, which is made if it is not there.
[[nodiscard]] Status writeCoarseningReport(const CoarseningResults& results, const std::string& machine,
                                           const std::string& folder);
/// Whether every benchmark was measured and no gradient is further off than MostApart.
[[nodiscard]] bool allGradientsAgree(const CoarseningResults& results);

}  // namespace mitos::experiments
