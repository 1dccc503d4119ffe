// SPDX-License-Identifier: GPL-3.0-or-later
// Exact search: the best schedule of all, with a proof, or a bound where a limit ends the search.
#pragma once

#include "search/placement/placement.h"

#include <cstdint>
#include <stop_token>

namespace mitos::search::placement {

struct ExactOptions {
    Objective objective = Objective::Runtime;
    std::uint64_t nodes = 0;  ///< most nodes of search trees; 0: no limit
    std::stop_token stop = {};
};

/// The best schedule found, its bound, and whether it is proven to be the best (Placement::isProven). Starts from the schedules of simple
/// methods, which are the answer if a limit ends the search before it has found a better one. Three methods share the problems:
///
/// - The run time on equal devices with instant transfers and without a limit of memory is that of parallel machines with precedence. There,
///   devices play no part until all starts are known, so that one cumulative constraint is an exact model, which Gecode solves
///   (Schulte, Tack and Lagerkvist, "Modeling and programming with Gecode"). Durations are made whole numbers; where that is not exact, they are
///   rounded down, which only lowers the bound. Graphs with more than some hundred operations get bounds alone.
/// - The peak on one device is found by leastMemoryOrder().
/// - All else is solved by branch and bound over devices and orders under the performance model, which is meant for about a dozen operations.
///
/// Under the objective memory, the proof and the bound are about the peak. For run time, a schedule that does not fit into memory and is proven shows
/// that none fits. Sums of durations that are not whole numbers are compared up to a relative error of 1e-12.
[[nodiscard]] Result<Placement> searchExactly(const schedule::Problem& problem, const ExactOptions& options);

}  // namespace mitos::search::placement
