// SPDX-License-Identifier: GPL-3.0-or-later
// The claims of the REGAL paper and the aims of this project, judged by our runs.
#pragma once

#include "search/experiments/claim.h"
#include "search/experiments/regal_results.h"

#include <vector>

namespace mitos::search::experiments {

/// Claims about means are judged by their 95 % intervals (reaches(), exceeds()): one that contains the limit decides nothing.
[[nodiscard]] std::vector<Claim> regalClaims(const RegalResults& results);

}  // namespace mitos::search::experiments
