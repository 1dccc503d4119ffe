// SPDX-License-Identifier: GPL-3.0-or-later
// How much longer one program takes than another, from times that were measured alternately.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace mitos::timing {

/// How long one program takes beside another, beyond the noise of the measurement.
enum class Pace : std::uint8_t { Faster, Same, Slower };
/// "faster", "same", "slower": the keys in JSON.
[[nodiscard]] std::string_view toString(Pace pace);
/// "faster", "no difference beyond noise", "slower": the words in sentences.
[[nodiscard]] std::string_view wordsFor(Pace pace);

/// Smaller differences of times or costs, relative to the first, are never reported as such.
inline constexpr double Noise = 0.01;

/// How many times as long as the first program another one takes.
struct TimeRatio {
    double value = 1.0;
    double low = 1.0;  ///< with `high`, the interval that contains the ratio with a confidence of 95 %
    double high = 1.0;

    [[nodiscard]] bool isFaster() const { return high < 1.0 && value < 1.0 - Noise; }
    [[nodiscard]] bool isSlower() const { return low > 1.0 && value > 1.0 + Noise; }
    [[nodiscard]] Pace pace() const { return isFaster() ? Pace::Faster : isSlower() ? Pace::Slower : Pace::Same; }
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

}  // namespace mitos::timing
