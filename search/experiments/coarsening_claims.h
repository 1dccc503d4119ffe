// SPDX-License-Identifier: GPL-3.0-or-later
// The coarsening paper's claims, each checked against our runs.
#pragma once

#include "search/experiments/claim.h"
#include "search/experiments/coarsening.h"

#include <vector>

namespace mitos::search::experiments {

[[nodiscard]] std::vector<Claim> coarseningClaims(const CoarseningResults& results);

}  // namespace mitos::search::experiments
