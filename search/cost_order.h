// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of costs with a tolerance for rounding.
#pragma once

#include <cmath>

namespace mitos::search {

/// Whether a cost is lower than another by more than rounding. Costs of large programs are sums that differ in their last bits.
[[nodiscard]] inline bool isLower(double cost, double than) {
    constexpr double RelativeTolerance = 1e-12;
    return cost < than - RelativeTolerance * std::abs(than);
}

}  // namespace mitos::search
