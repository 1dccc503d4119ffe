// SPDX-License-Identifier: GPL-3.0-or-later
// Baselines of the REGAL paper (section 5.2) that need no population.
#pragma once

#include "search/placement/placement.h"

#include <cstdint>

namespace mitos::search::placement {

struct LocalSearchOptions {
    Objective objective = Objective::Runtime;
    std::uint64_t seed = 1;
};

/// The best of many random schedules: devices and priorities of operations and transfers are uniform. Fails if the limits do not allow one
/// evaluation; of them, only evaluations, deadline and stop matter.
[[nodiscard]] Result<Placement> searchAtRandom(const schedule::Problem& problem, const LocalSearchOptions& options,
                                               const random_keys::Limits& limits);

/// Starts at a random schedule and takes the best of all moves (an operation to another device, or a swap with its neighbour in the order of
/// priorities) as long as one improves the schedule; then starts again. Limits are those of searchAtRandom.
[[nodiscard]] Result<Placement> searchLocally(const schedule::Problem& problem, const LocalSearchOptions& options,
                                              const random_keys::Limits& limits);

}  // namespace mitos::search::placement
