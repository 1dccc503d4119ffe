// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/time_ratio.h"

#include "core/base/random.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace mitos::onnx {

namespace {

constexpr std::size_t Resamples = 2000;
constexpr double Outside = 0.025;  ///< on each side of the interval

/// The number below which that part of the others is. Changes the order.
double quantile(std::vector<double>& values, double part) {
    const auto place = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size()));
    const auto found = values.begin() + place;
    std::ranges::nth_element(values, found);
    return *found;
}

double fast(std::vector<double>& times) {
    constexpr double Quarter = 0.25;
    return quantile(times, Quarter);
}

double median(std::vector<double>& values) {
    const double upper = quantile(values, 0.5);
    if (values.size() % 2 == 1) return upper;
    return (*std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2)) +
            upper) /
           2.0;
}

/// The values without those outside of the interval.
Interval middle(std::vector<double> values) {
    std::ranges::sort(values);
    const auto at = [&](double share) {
        return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
    };
    return {at(Outside), at(1.0 - Outside)};
}

}  // namespace

TimeRatio timeRatio(const std::vector<PairedTimes>& blocks) {
    std::vector<double> ofBlocks;
    PairedTimes drawn;
    const auto ratioOfDrawn = [&drawn] { return fast(drawn.other) / fast(drawn.first); };
    for (const PairedTimes& block : blocks) {
        drawn = block;
        ofBlocks.push_back(ratioOfDrawn());
    }
    TimeRatio ratio;
    ratio.value = median(ofBlocks);
    Random random(1);
    std::vector<double> resampled;
    for (std::size_t i = 0; i < Resamples; ++i) {
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
            ofBlocks.push_back(ratioOfDrawn());
        }
        resampled.push_back(median(ofBlocks));
    }
    const Interval interval = middle(std::move(resampled));
    ratio.low = std::min(interval.low, ratio.value);
    ratio.high = std::max(interval.high, ratio.value);
    return ratio;
}

Interval medianInterval(const std::vector<std::vector<double>>& blocks) {
    Random random(1);
    std::vector<double> drawn;
    std::vector<double> resampled;
    for (std::size_t i = 0; i < Resamples; ++i) {
        drawn.clear();
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const std::vector<double>& block = blocks[random.below(blocks.size())];
            for (std::size_t r = 0; r < block.size(); ++r) drawn.push_back(block[random.below(block.size())]);
        }
        resampled.push_back(median(drawn));
    }
    return middle(std::move(resampled));
}

}  // namespace mitos::onnx
