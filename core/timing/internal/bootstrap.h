// SPDX-License-Identifier: GPL-3.0-or-later
// Intervals of statistics by resampling, as percentiles. Private to core/timing.
#pragma once

#include "core/base/random.h"
#include "core/timing/summary.h"

#include <functional>
#include <vector>

namespace mitos::timing {

/// The value that this share of the others does not reach. Changes the order. Requires at least one value.
[[nodiscard]] double quantileOf(std::vector<double>& values, double share);
/// The mean of the two values in the middle, if their number is even. Changes the order. Requires at least one value.
[[nodiscard]] double medianOf(std::vector<double>& values);

/// The interval that contains a statistic with a confidence of 95 %; `drawn` returns the statistic of one resample. The random
/// numbers are the same in every call.
[[nodiscard]] Interval bootstrapped(const std::function<double(Random&)>& drawn);

}  // namespace mitos::timing
