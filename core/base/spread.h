// SPDX-License-Identifier: GPL-3.0-or-later
// Summarizes repeated measurements.
#pragma once

#include <vector>

namespace mitos {

/// Minimum, quartiles (linearly interpolated) and maximum of some numbers.
struct Spread {
    double least = 0.0;
    double lower = 0.0;
    double median = 0.0;
    double upper = 0.0;
    double most = 0.0;

    /// The interquartile range.
    [[nodiscard]] double width() const { return upper - lower; }
};
/// Requires at least one value.
[[nodiscard]] Spread spreadOf(std::vector<double> values);

}  // namespace mitos
