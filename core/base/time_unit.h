// SPDX-License-Identifier: GPL-3.0-or-later
// The unit in which a time is easy to read.
#pragma once

#include <string_view>

namespace mitos {

struct ReadableUnit {
    double factor = 1.0;    ///< by which amounts in the given unit are multiplied
    std::string_view unit;  ///< of the products
};

/// For an amount in ns, µs, ms or s, the one of these units in which it has at most four digits before the point and is not below 1, as far
/// as there is one: 10,190 µs is 10.19 ms. Other units stay as they are.
[[nodiscard]] ReadableUnit readableUnit(double amount, std::string_view unit);

/// Whether the unit is ns, µs, ms or s.
[[nodiscard]] bool isTimeUnit(std::string_view unit);

}  // namespace mitos
