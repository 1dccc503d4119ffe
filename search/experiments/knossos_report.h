// SPDX-License-Identifier: GPL-3.0-or-later
// The report of the Knossos experiment.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/knossos_results.h"

#include <string>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// `missing`: methods without runs, with reasons.
[[nodiscard]] ExperimentReport knossosReport(const KnossosResults& results,
                                             const std::vector<std::pair<std::string, std::string>>& missing);

}  // namespace mitos::search::experiments
