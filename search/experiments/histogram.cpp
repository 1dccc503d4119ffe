// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/experiments/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::search::experiments {

namespace {

/// The least of 1, 2, 5, 10, … (times a power of ten) with which a range has at most so many bins.
double binWidth(double range, double most) {
    double width = 0.01;
    while (true) {
        for (const double factor : {1.0, 2.0, 5.0}) {
            if (range <= most * factor * width) return factor * width;
        }
        width *= 10.0;
    }
}

/// The bin of a number among those that begin at 0. A number that is computed, such as 1.1 with bins of 0.1, may lie beside its border by rounding.
double binFrom0(double number, double width) {
    constexpr double Rounding = 1e-9;
    return std::floor(number / width + Rounding);
}

}  // namespace

std::string Bins::text(std::size_t bin) const {
    constexpr double Digits = 1e6;
    const auto border = [this](std::size_t number) {
        return std::round((begin + width * static_cast<double>(number)) * Digits) / Digits + 0.0;  // not -0
    };
    return fmt::format("{:g} to {:g}", border(bin), border(bin + 1));
}

Bins binsOf(std::span<const double> numbers, double included, double most) {
    double least = included;
    double greatest = included;
    for (const double number : numbers) {
        least = std::min(least, number);
        greatest = std::max(greatest, number);
    }
    const double width = binWidth(greatest - least, most);
    const double first = binFrom0(least, width);
    return {.begin = first * width,
            .width = width,
            .count = static_cast<std::size_t>(binFrom0(greatest, width) - first) + 1};
}

std::vector<double> binShares(std::span<const double> numbers, const Bins& bins, std::size_t all) {
    constexpr double Percent = 100.0;
    std::vector<double> shares(bins.count, 0.0);
    for (const double number : numbers) {
        const double place = binFrom0(number - bins.begin, bins.width);
        const auto bin = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins.count - 1)));
        shares[bin] += Percent / static_cast<double>(all);
    }
    return shares;
}

}  // namespace mitos::search::experiments
