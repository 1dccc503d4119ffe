// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/internal/finite.h"

#include <algorithm>
#include <cmath>

namespace mitos::eval {

bool isFinite(const Value& value) {
    if (value.isFloat()) return std::isfinite(value.asFloat());
    if (value.isTuple()) return std::ranges::all_of(value.asTuple().elements, isFinite);
    if (value.isTensor()) return std::ranges::all_of(value.asTensor().elements, isFinite);
    if (value.isArray())
        return std::ranges::all_of(value.asArray().elements, [](double v) { return std::isfinite(v); });
    return true;
}

}  // namespace mitos::eval
