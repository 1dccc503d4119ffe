// SPDX-License-Identifier: GPL-3.0-or-later
// The paper's claims, each checked against our runs.
#pragma once

#include "search/experiments/claim.h"
#include "search/experiments/summary.h"

#include <vector>

namespace mitos::search::experiments {

[[nodiscard]] std::vector<Claim> claimsOf(const ExperimentPlan& plan, const ExperimentResults& results,
                                          const Summary& summary);

}  // namespace mitos::search::experiments
