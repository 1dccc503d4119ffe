// SPDX-License-Identifier: GPL-3.0-or-later
// Identical machines with precedence (P|prec|Cmax), solved by Gecode.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

namespace mitos::search::placement::internal {

struct MachineTasks {
    std::vector<int> durations = {};                          ///< whole numbers; their sum must be at most MostTime
    std::vector<std::vector<std::uint32_t>> successors = {};  ///< by task
    std::vector<std::uint32_t> order = {};                    ///< all tasks, each after its predecessors
    std::uint32_t machines = 1;
};

/// Above it, sums of times might leave the range of Gecode's integers.
inline constexpr int MostTime = 1'000'000'000;

struct StartTimes {
    std::vector<int> start = {};  ///< by task; empty if no schedule shorter than `upper` was found
    int upper = 0;                ///< the length of the shortest schedule known
    int lower = 0;                ///< no schedule is shorter
    std::uint64_t nodes = 0;      ///< of all search trees
};

/// Looks for schedules shorter than `upper`, the length of a known one, until none is possible, `nodes` are used up (0: no limit) or a stop is
/// requested. Tasks without duration need no machine. Tries in turn to reach the lower bound, the middle between the bounds, and just less than the best, in
/// search trees whose limits grow. A tree decides about the task that can start first: it starts then, or not before something
/// else has delayed it (Le Pape et al., "Time-versus-capacity compromises in project scheduling", 1994).
[[nodiscard]] StartTimes shortestStarts(const MachineTasks& tasks, int lower, int upper, std::uint64_t nodes,
                                        const std::stop_token& stop);

}  // namespace mitos::search::placement::internal
