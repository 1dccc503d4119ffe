// SPDX-License-Identifier: GPL-3.0-or-later
// The lines that measuring programs print. Private to search/experiments.
#pragma once

#include "search/experiments/coarsening.h"

#include <string>
#include <vector>

namespace mitos::search::experiments {

/// Reads times and memory; other lines are skipped, as ADOL-C writes remarks.
[[nodiscard]] std::vector<ConfigurationTimes> readTimes(const std::string& output);

}  // namespace mitos::search::experiments
