// SPDX-License-Identifier: GPL-3.0-or-later
// The report on the coarsening experiment.
#pragma once

#include "search/experiments/coarsening.h"
#include "search/experiments/experiment.h"

#include <string>
#include <vector>

namespace mitos::search::experiments {

/// Its page, claims, tables and times; of the tables those named, or all if none is.
[[nodiscard]] ExperimentReport coarseningReport(const CoarseningResults& results,
                                                const std::vector<std::string>& parts);
/// A line on a run: the speed-ups of a gradient.
[[nodiscard]] std::string coarseningSummary(const CoarseningRun& run);
/// The libraries that took part, and the others with the package that has them.
[[nodiscard]] std::string librariesText(const CoarseningTools& tools);

}  // namespace mitos::search::experiments
