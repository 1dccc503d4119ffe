// SPDX-License-Identifier: GPL-3.0-or-later
// Means over runs.
#pragma once

#include <cstddef>
#include <vector>

namespace mitos::search::experiments {

/// Mean and sample standard deviation.
struct Measure {
    double mean = 0.0;
    double deviation = 0.0;  ///< 0 for one value
    std::size_t count = 0;
};
[[nodiscard]] Measure measureOf(const std::vector<double>& values);

}  // namespace mitos::search::experiments
