// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/optimizer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mitos::search::learned {

void Adam::step(std::span<float> parameters, std::span<const float> gradient, double rate) {
    constexpr double MeanDecay = 0.9;
    constexpr double SquareDecay = 0.999;
    constexpr double Tiny = 1e-8;
    ++steps;
    const auto count = static_cast<double>(steps);
    const double meanScale = 1.0 / (1.0 - std::pow(MeanDecay, count));
    const double squareScale = 1.0 / (1.0 - std::pow(SquareDecay, count));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto slope = static_cast<double>(gradient[i]);
        const double first = MeanDecay * static_cast<double>(mean[i]) + (1.0 - MeanDecay) * slope;
        const double second = SquareDecay * static_cast<double>(square[i]) + (1.0 - SquareDecay) * slope * slope;
        mean[i] = static_cast<float>(first);
        square[i] = static_cast<float>(second);
        parameters[i] -= static_cast<float>(rate * first * meanScale / (std::sqrt(second * squareScale) + Tiny));
    }
}

void Adam::averageOver(std::span<const float> parameters, double kept) {
    constexpr double Warmth = 10.0;
    const auto count = static_cast<double>(steps);
    const double share = 1.0 - std::min(kept, (1.0 + count) / (Warmth + count));
    if (average.empty()) average.assign(parameters.begin(), parameters.end());
    for (std::size_t i = 0; i < average.size(); ++i)
        average[i] += static_cast<float>(share * (double{parameters[i]} - double{average[i]}));
}

double clipTo(double longest, std::span<float> gradient) {
    double sum = 0.0;
    for (const float one : gradient) sum += static_cast<double>(one) * static_cast<double>(one);
    const double length = std::sqrt(sum);
    if (!std::isfinite(length)) {
        std::ranges::fill(gradient, 0.0F);
    } else if (length > longest) {
        const auto scale = static_cast<float>(longest / length);
        for (float& one : gradient) one *= scale;
    }
    return length;
}

}  // namespace mitos::search::learned
