// SPDX-License-Identifier: GPL-3.0-or-later
// The one summary of repeated measurements of a time.
#pragma once

#include "core/base/spread.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mitos::timing {

struct Interval {
    double low = 0.0;
    double high = 0.0;
};

/// Measurements by block, in seconds of one call. What is the same for a whole block (places in memory, other programs) makes the
/// measurements of that block alike.
using Blocks = std::vector<std::vector<double>>;

/// How long one call of a program takes. A measurement is the mean of a batch of calls.
struct TimeSummary {
    Spread seconds = {};      ///< of the measurements: seconds of one call
    Interval likely = {};     ///< contains the median with a confidence of 95 %
    std::size_t count = 0;    ///< measurements; 0: there is no time
    std::uint32_t calls = 1;  ///< in one measurement, at most
};

/// `likely` is a bootstrap over blocks and over the measurements of each. Requires at least one block, and a measurement in each.
/// Depends on its arguments alone.
[[nodiscard]] TimeSummary summaryOf(const Blocks& blocks, std::uint32_t calls = 1);

}  // namespace mitos::timing
