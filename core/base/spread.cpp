// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/spread.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace mitos {

Spread spreadOf(std::vector<double> values) {
    assert(!values.empty());
    std::ranges::sort(values);
    const auto at = [&values](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
    };
    return {values.front(), at(0.25), at(0.5), at(0.75), values.back()};
}

}  // namespace mitos
