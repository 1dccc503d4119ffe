// SPDX-License-Identifier: GPL-3.0-or-later
// How much longer one thing takes than another, from times that were measured alternately.
#pragma once

#include <vector>

namespace mitos::onnx {

/// How many times as long as the first model another one takes.
struct TimeRatio {
    double value = 1.0;
    double low = 1.0;  ///< with `high`, the interval that contains the ratio with a confidence of 95 %
    double high = 1.0;

    /// Smaller differences are never reported as such.
    static constexpr double Noise = 0.01;
    [[nodiscard]] bool isFaster() const { return high < 1.0 && value < 1.0 - Noise; }
    [[nodiscard]] bool isSlower() const { return low > 1.0 && value > 1.0 + Noise; }
    /// Whether costs expect the contrary: less where it is slower, or more where it is faster. Costs that differ by no more than noise
    /// expect nothing.
    [[nodiscard]] bool contradicts(double firstCost, double otherCost) const {
        return (otherCost < (1.0 - Noise) * firstCost && isSlower()) ||
               (otherCost > (1.0 + Noise) * firstCost && isFaster());
    }
};

struct Interval {
    double low = 0.0;
    double high = 0.0;
};

/// Times of both by round.
struct PairedTimes {
    std::vector<double> first;
    std::vector<double> other;  ///< as many
};

/// The ratio from blocks of rounds. In a block it is that of the times which a quarter of the rounds does not reach, since other programs
/// only add time; of the blocks' ratios, the median. The interval is a bootstrap over blocks and over the rounds of each, because
/// what is the same for a block (places in memory, other programs) makes its rounds alike. Requires at least one block, and a round in
/// each. Depends on its argument alone.
[[nodiscard]] TimeRatio timeRatio(const std::vector<PairedTimes>& blocks);
/// The interval that contains the median of all rounds with a confidence of 95 %: a bootstrap like that of timeRatio(), with the same
/// requirements.
[[nodiscard]] Interval medianInterval(const std::vector<std::vector<double>>& blocks);

}  // namespace mitos::onnx
