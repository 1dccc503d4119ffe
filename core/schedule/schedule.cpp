// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/schedule.h"

#include <algorithm>
#include <utility>

namespace mitos::schedule {

Schedule inOrder(std::vector<std::uint32_t> device, std::span<const std::uint32_t> order) {
    Schedule schedule{.device = std::move(device), .priority = std::vector<float>(order.size())};
    for (std::size_t i = 0; i < order.size(); ++i) schedule.priority[order[i]] = -static_cast<float>(i);
    return schedule;
}

std::uint64_t Timeline::highestPeak() const { return peak.empty() ? 0 : *std::ranges::max_element(peak); }

}  // namespace mitos::schedule
