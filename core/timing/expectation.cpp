// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/expectation.h"

#include <fmt/format.h>

#include <cmath>

namespace mitos::timing {

namespace {

std::string written(double ratio, const RatioWriter& write) { return write ? write(ratio) : ratioText(ratio); }

}  // namespace

Pace Expectation::expectedPace() const {
    if (expected < 1.0 - Noise) return Pace::Faster;
    return expected > 1.0 + Noise ? Pace::Slower : Pace::Same;
}

bool Expectation::isMet() const {
    return expectedPace() == measured.pace() || (measured.low <= expected && expected <= measured.high);
}

std::optional<Expectation> expectationOf(const std::optional<double>& firstCost, const std::optional<double>& otherCost,
                                         const TimeRatio& measured) {
    if (!firstCost || !otherCost || *firstCost <= 0.0) return std::nullopt;
    return Expectation{*otherCost / *firstCost, measured};
}

int ratioDigits(double ratio) {
    constexpr double Close = 0.05;
    return std::abs(ratio - 1.0) < Close ? 3 : 2;
}

std::string ratioText(double ratio) { return fmt::format("{:.{}f}", ratio, ratioDigits(ratio)); }

std::string ratioText(const TimeRatio& ratio, const RatioWriter& write) {
    return fmt::format("{} ({} to {})", written(ratio.value, write), written(ratio.low, write),
                       written(ratio.high, write));
}

std::string measuredText(const TimeRatio& measured, const RatioWriter& write) {
    return fmt::format("measured {}: {}", ratioText(measured, write), wordsFor(measured.pace()));
}

std::string costModelText(std::string_view name) {
    return fmt::format("The cost model {}", name.substr(0, name.find(':')));
}

std::string expectationText(std::string_view who, const Expectation& expectation, std::string_view what,
                            const RatioWriter& write) {
    return fmt::format("{} expected {} of the {}; {}.", who, written(expectation.expected, write), what,
                       measuredText(expectation.measured, write));
}

}  // namespace mitos::timing
