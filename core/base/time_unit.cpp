// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/time_unit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mitos {

namespace {

constexpr std::array<std::string_view, 4> TimeUnits{"ns", "µs", "ms", "s"};
constexpr double Thousand = 1000.0;
// Amounts are shown in four digits, so that these are rounded to 10,000, 1,000 and 1.
constexpr double TooLarge = 9999.5;
constexpr double NextUnit = 999.95;
constexpr double TooSmall = 0.99995;

}  // namespace

bool isTimeUnit(std::string_view unit) { return std::ranges::find(TimeUnits, unit) != TimeUnits.end(); }

ReadableUnit readableUnit(double amount, std::string_view unit) {
    ReadableUnit found{.factor = 1.0, .unit = unit};
    double size = std::abs(amount);
    if (!isTimeUnit(unit) || !std::isfinite(size) || size == 0.0) return found;
    auto at = static_cast<std::size_t>(std::ranges::find(TimeUnits, unit) - TimeUnits.begin());
    if (size >= TooLarge) {
        for (; size >= NextUnit && at + 1 < TimeUnits.size(); ++at) {
            size /= Thousand;
            found.factor /= Thousand;
        }
    }
    for (; size < TooSmall && at > 0; --at) {
        size *= Thousand;
        found.factor *= Thousand;
    }
    found.unit = TimeUnits.at(at);
    return found;
}

}  // namespace mitos
