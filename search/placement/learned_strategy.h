// SPDX-License-Identifier: GPL-3.0-or-later
// The genetic algorithm with mutants by a policy, as a strategy: REGAL.
#pragma once

#include "search/placement/strategies.h"

#include <vector>

namespace mitos::search::placement {

/// Those of the genetic algorithm, and `model`.
[[nodiscard]] std::vector<ParameterInfo> learnedParameters();

/// Fails as the genetic algorithm does, if LibTorch is missing, and for a model that cannot be read or does not fit the problem.
[[nodiscard]] Result<Placement> runLearned(const schedule::Problem& problem, const Request& request);

}  // namespace mitos::search::placement
