// SPDX-License-Identifier: GPL-3.0-or-later
// The report of the REGAL experiment.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/regal_results.h"

#include <string>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// The parts of the plan, with their tables and figures. `missing` are the methods that have no runs, with the reasons.
[[nodiscard]] ExperimentReport regalReport(const RegalResults& results,
                                           const std::vector<std::pair<std::string, std::string>>& missing);

}  // namespace mitos::search::experiments
