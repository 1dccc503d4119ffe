// SPDX-License-Identifier: GPL-3.0-or-later
// The report on the PyPM experiment.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/pypm_results.h"

namespace mitos::search::experiments {

[[nodiscard]] ExperimentReport pypmReport(const PypmResults& results);

}  // namespace mitos::search::experiments
