// SPDX-License-Identifier: GPL-3.0-or-later
// Regions of one form, such as those of the layers of a network: what holds of one holds of all.
#pragma once

#include "core/partition/partition.h"

#include <string>
#include <string_view>

namespace mitos::partition {

/// The name of a region in threads, from the pattern's and its index: "Attention 1" for the first.
[[nodiscard]] std::string regionName(std::string_view pattern, std::size_t index);

/// The indexes of regions that have equal operators with equal types and equal edges among them, to their inputs and to outside; their weights and numbers may
/// differ. So they are copies of one part (ir::RepeatedPart).
struct RegionGroup {
    std::vector<std::size_t> regions;
};

/// All regions, each in one group, in the order of the groups' first regions.
[[nodiscard]] std::vector<RegionGroup> groupsOf(const ir::TermBank& bank, const std::vector<Region>& regions);

}  // namespace mitos::partition
