// SPDX-License-Identifier: GPL-3.0-or-later
// Means over the graphs of a test set, with intervals, and what they say about a limit.
#pragma once

#include "search/experiments/claim.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mitos::search::experiments {

/// A mean with the 95 % interval that drawing the numbers again gives (percentile bootstrap; Efron and Tibshirani, "An introduction to the
/// bootstrap", 1993).
struct IntervalMean {
    std::size_t count = 0;
    double mean = 0.0;
    double low = 0.0;
    double high = 0.0;
};
/// The same numbers give the same interval. All is 0 without numbers.
[[nodiscard]] IntervalMean intervalMean(std::span<const double> numbers);

/// "+3.56 %", "−0.20 %"
[[nodiscard]] std::string gainText(double percent);
/// "+3.56 % (+2.10 to +4.80)"
[[nodiscard]] std::string gainText(const IntervalMean& mean);

/// The number below which a share of all lies, linearly interpolated between neighbours in order. Requires numbers, and a share in [0, 1].
[[nodiscard]] double quantileOf(std::span<const double> numbers, double share);

/// How two methods compare on the same graphs.
struct PairedComparison {
    IntervalMean improvement = {};          ///< in per cent: 100 × (1 - ours / reference), of each graph
    std::vector<double> improvements = {};  ///< by graph
    std::size_t better = 0;
    std::size_t equal = 0;  ///< apart by rounding only
    std::size_t worse = 0;
    double best = 0.0;  ///< the highest improvement, and the lowest
    double worst = 0.0;

    [[nodiscard]] std::size_t count() const { return improvements.size(); }
    /// The share of graphs that are better or equal, in per cent.
    [[nodiscard]] IntervalMean notWorse() const;
};
/// Less is better. Requires as many references, all above 0.
[[nodiscard]] PairedComparison compared(std::span<const double> ours, std::span<const double> reference);

/// So many numbers are enough for an interval to decide something.
inline constexpr std::size_t DecidingCount = 10;
/// Whether the mean is at least as high as a limit: it is if the whole interval is, it is not if the whole interval is below, and else, or
/// for fewer than DecidingCount numbers, the runs do not decide it.
[[nodiscard]] Verdict reaches(const IntervalMean& mean, double limit);
/// Whether it is above the limit, in the same sense.
[[nodiscard]] Verdict exceeds(const IntervalMean& mean, double limit);

}  // namespace mitos::search::experiments
