// SPDX-License-Identifier: GPL-3.0-or-later
// Branch and bound over devices and orders, for small problems of any kind.
#pragma once

#include "search/placement/placement.h"

#include <cstdint>
#include <stop_token>

namespace mitos::search::placement::internal {

struct TreeLimits {
    std::uint64_t nodes = 0;  ///< 0: no limit
    std::stop_token stop = {};
};

struct TreeResult {
    Placement best;  ///< the given one, or a better one
    bool isProven =
        false;  ///< no schedule has a better first part of the fitness and, for run time, none that fits ends earlier
    std::uint64_t nodes = 0;
    double bound =
        0.0;  ///< no schedule has a lower peak or, if one fits, a lower run time; which of them, the objective says
};

/// Looks for schedules that are better than `known`. Devices are chosen first, for operations in topological order (of equal devices that are not
/// used yet, only the first); then the order in which operations and transfers start. Subtrees are left out if a lower bound on their
/// fitness is not better than the best schedule, and if their schedules are those of others in another order, or not better than they: for the run time alone, tasks
/// start in the order of time, and none starts when another one could have ended by then; where memory counts, neighbours in the order
/// that share neither devices nor times are swapped if the second starts first.
[[nodiscard]] TreeResult branchAndBound(const schedule::Problem& problem, Objective objective, Placement known,
                                        const TreeLimits& limits);

}  // namespace mitos::search::placement::internal
