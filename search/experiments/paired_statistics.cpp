// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/paired_statistics.h"

#include "core/base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace mitos::search::experiments {

namespace {

double meanOfAll(std::span<const double> numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

std::string signedText(double percent) {
    return fmt::format("{}{:.2f}", percent < -0.005 ? "−" : percent > 0.005 ? "+" : "", std::abs(percent));
}

}  // namespace

std::string gainText(double percent) { return signedText(percent) + " %"; }

std::string gainText(const IntervalMean& mean) {
    return fmt::format("{} % ({} to {})", signedText(mean.mean), signedText(mean.low), signedText(mean.high));
}

double quantileOf(std::span<const double> numbers, double share) {
    std::vector<double> sorted(numbers.begin(), numbers.end());
    std::ranges::sort(sorted);
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

IntervalMean intervalMean(std::span<const double> numbers) {
    constexpr std::size_t Draws = 10'000;
    constexpr std::size_t Tail = Draws / 40;  // 2.5 % on each side
    constexpr std::uint64_t Seed = 1;
    if (numbers.empty()) return {};
    Random random(Seed);
    std::vector<double> means;
    means.reserve(Draws);
    for (std::size_t i = 0; i < Draws; ++i) {
        double sum = 0.0;
        for (std::size_t k = 0; k < numbers.size(); ++k) sum += numbers[random.below(numbers.size())];
        means.push_back(sum / static_cast<double>(numbers.size()));
    }
    std::ranges::sort(means);
    return {.count = numbers.size(), .mean = meanOfAll(numbers), .low = means[Tail], .high = means[Draws - Tail - 1]};
}

IntervalMean PairedComparison::notWorse() const {
    constexpr double Percent = 100.0;
    std::vector<double> shares(better + equal, Percent);
    shares.resize(count(), 0.0);
    return intervalMean(shares);
}

PairedComparison compared(std::span<const double> ours, std::span<const double> reference) {
    constexpr double Percent = 100.0;
    constexpr double Rounding = 1e-7;  // per cent
    PairedComparison comparison;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double improvement = Percent * (1.0 - ours[i] / reference[i]);
        const bool isEqual = std::abs(improvement) < Rounding;
        comparison.improvements.push_back(isEqual ? 0.0 : improvement);
        ++(isEqual ? comparison.equal : improvement > 0.0 ? comparison.better : comparison.worse);
    }
    comparison.improvement = intervalMean(comparison.improvements);
    if (comparison.count() == 0) return comparison;
    const auto [worst, best] = std::ranges::minmax(comparison.improvements);
    comparison.best = best;
    comparison.worst = worst;
    return comparison;
}

Verdict reaches(const IntervalMean& mean, double limit) {
    if (mean.count < DecidingCount) return Verdict::Open;
    if (mean.low >= limit) return Verdict::Holds;
    return mean.high < limit ? Verdict::Fails : Verdict::Open;
}

Verdict exceeds(const IntervalMean& mean, double limit) {
    if (mean.count < DecidingCount) return Verdict::Open;
    if (mean.low > limit) return Verdict::Holds;
    return mean.high <= limit ? Verdict::Fails : Verdict::Open;
}

}  // namespace mitos::search::experiments
