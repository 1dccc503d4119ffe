// SPDX-License-Identifier: GPL-3.0-or-later
// Graph partitioning and depth-first orders, a baseline of the REGAL paper (section 5.2, "GP+DFS").
#pragma once

#include "search/placement/placement.h"

#include <cstdint>
#include <vector>

namespace mitos::search::placement {

struct PartitionOptions {
    Objective objective = Objective::Runtime;
    std::uint32_t seed = 1;  ///< of METIS's own random numbers
};

/// A device for each operation, so that few bytes cross devices and each device has its share: of the durations, by speed, or for memory of
/// the bytes that operations make, by the memory of the devices (equal shares if one has no limit). METIS decides (Karypis and Kumar, "A fast and high
/// quality multilevel scheme for partitioning irregular graphs", 1998), by recursive bisection up to eight devices, else k ways at once. It
/// knows nothing about the direction of edges, so the devices of a pipeline wait for each other. Weights are scaled to METIS's integers.
/// Where there are more devices than operations, the fastest have one each. Fails if METIS does.
[[nodiscard]] Result<std::vector<std::uint32_t>> partitioned(const schedule::Problem& problem,
                                                             const PartitionOptions& options = {});

/// The best of XLA's three orders on these devices.
[[nodiscard]] Result<Placement> partitionAndOrder(const schedule::Problem& problem,
                                                  const PartitionOptions& options = {});

}  // namespace mitos::search::placement
