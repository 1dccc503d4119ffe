// SPDX-License-Identifier: GPL-3.0-or-later
// The claims of the PyPM paper's section 4.1, and aims of ours, checked against our runs.
#pragma once

#include "search/experiments/claim.h"
#include "search/experiments/pypm_results.h"

#include <vector>

namespace mitos::search::experiments {

[[nodiscard]] std::vector<Claim> pypmClaims(const PypmResults& results);

}  // namespace mitos::search::experiments
