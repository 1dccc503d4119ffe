// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules by methods without a search, which others begin with or look at.
#pragma once

#include "search/placement/placement.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace mitos::search::placement {

/// The names of the methods, in the order of simpleSchedules(): list scheduling (HLFET), earliest finish (HEFT), least memory at each step, the best
/// of XLA's orders on the devices of the list schedule, the order of the graph on one device, and a partition by METIS with the best of
/// XLA's orders. Those from greedy-memory to one-device save memory rather than time.
inline constexpr std::array<std::string_view, 6> SimpleMethods{"list", "earliest-finish", "greedy-memory",
                                                               "xla",  "one-device",      "partition"};

/// The schedules of the methods; nothing for those that save memory if they are not asked for, for a graph that METIS refuses, and for a
/// partition into one part.
[[nodiscard]] std::vector<std::optional<schedule::Schedule>> simpleSchedules(const schedule::Problem& problem,
                                                                             Objective objective, bool savesMemory);

/// Those that a search for the objective begins with: for run time without a limit of memory those that save time.
[[nodiscard]] std::vector<schedule::Schedule> usualStarts(const schedule::Problem& problem, Objective objective);

}  // namespace mitos::search::placement
