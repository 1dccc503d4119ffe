// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/time_ratio.h"

#include "core/timing/internal/bootstrap.h"

#include <algorithm>
#include <cstddef>

namespace mitos::timing {

namespace {

double fast(std::vector<double>& times) {
    constexpr double Quarter = 0.25;
    return quantileOf(times, Quarter);
}

double ratioOf(PairedTimes& times) { return fast(times.other) / fast(times.first); }

}  // namespace

std::string_view toString(Pace pace) {
    return pace == Pace::Faster ? "faster" : pace == Pace::Slower ? "slower" : "same";
}

std::string_view wordsFor(Pace pace) { return pace == Pace::Same ? "no difference beyond noise" : toString(pace); }

TimeRatio timeRatio(const std::vector<PairedTimes>& blocks) {
    std::vector<double> ofBlocks;
    PairedTimes drawn;
    for (const PairedTimes& block : blocks) {
        drawn = block;
        ofBlocks.push_back(ratioOf(drawn));
    }
    TimeRatio ratio;
    ratio.value = medianOf(ofBlocks);
    const Interval interval = bootstrapped([&](Random& random) {
        ofBlocks.clear();
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const PairedTimes& block = blocks[random.below(blocks.size())];
            drawn.first.clear();
            drawn.other.clear();
            for (std::size_t r = 0; r < block.first.size(); ++r) {
                const std::size_t round = random.below(block.first.size());
                drawn.first.push_back(block.first[round]);
                drawn.other.push_back(block.other[round]);
            }
            ofBlocks.push_back(ratioOf(drawn));
        }
        return medianOf(ofBlocks);
    });
    ratio.low = std::min(interval.low, ratio.value);
    ratio.high = std::max(interval.high, ratio.value);
    return ratio;
}

}  // namespace mitos::timing
