// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/internal/bootstrap.h"

#include <algorithm>
#include <cstddef>

namespace mitos::timing {

namespace {

constexpr std::size_t Resamples = 2000;
constexpr double Outside = 0.025;  ///< on each side of the interval

}  // namespace

double quantileOf(std::vector<double>& values, double share) {
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
    const auto found = values.begin() + place;
    std::ranges::nth_element(values, found);
    return *found;
}

double medianOf(std::vector<double>& values) {
    const double upper = quantileOf(values, 0.5);
    if (values.size() % 2 == 1) return upper;
    return (*std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2)) +
            upper) /
           2.0;
}

Interval bootstrapped(const std::function<double(Random&)>& drawn) {
    Random random(1);
    std::vector<double> resampled;
    resampled.reserve(Resamples);
    for (std::size_t i = 0; i < Resamples; ++i) resampled.push_back(drawn(random));
    std::ranges::sort(resampled);
    const auto at = [&](double share) {
        return resampled[static_cast<std::size_t>(share * static_cast<double>(resampled.size() - 1))];
    };
    return {at(Outside), at(1.0 - Outside)};
}

}  // namespace mitos::timing
