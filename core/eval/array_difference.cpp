// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/array_difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mitos::eval {

using tensor::ArrayPtr;

namespace {

constexpr double LargestTelling = 1e4;
/// Below it a difference may be the rounding of larger numbers that were subtracted.
constexpr double LeastMagnitude = 1e-6;

}  // namespace

double magnitude(const tensor::Array& array) {
    double largest = LeastMagnitude;
    for (const double x : array.elements) {
        if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    }
    return std::min(largest, 1.0);
}

ArrayDifference difference(std::span<const ArrayPtr> before, std::span<const ArrayPtr> after, bool mayFail) {
    ArrayDifference result;
    for (std::size_t output = 0; output < before.size(); ++output) {
        if (before[output] == nullptr) continue;
        const tensor::Array& a = *before[output];
        if (output >= after.size() || after[output] == nullptr || after[output]->shape != a.shape ||
            after[output]->dtype != a.dtype) {
            result.deviation = HUGE_VAL;
            result.output = output;
            result.mismatch = "an array of another shape or element type";
            return result;
        }
        const tensor::Array& b = *after[output];
        const double least = magnitude(a);
        for (std::size_t i = 0; i < a.elements.size(); ++i) {
            const double x = a.elements[i];
            const double y = b.elements[i];
            if (!std::isfinite(x) || std::abs(x) > LargestTelling) result.isTelling = false;
            if (!std::isfinite(x) || (mayFail && !std::isfinite(y))) continue;
            ++result.compared;
            const double far =
                std::isfinite(y) ? std::abs(x - y) / std::max({least, std::abs(x), std::abs(y)}) : HUGE_VAL;
            if (far <= result.deviation) continue;
            result.deviation = far;
            result.output = output;
            result.element = i;
        }
    }
    return result;
}

std::string indexText(const tensor::Array& array, std::size_t element) {
    std::vector<std::int64_t> index(array.shape.size());
    auto rest = static_cast<std::int64_t>(element);
    for (std::size_t d = array.shape.size(); d-- > 0;) {
        index[d] = rest % array.shape[d];
        rest /= array.shape[d];
    }
    return fmt::format("[{}]", fmt::join(index, ","));
}

}  // namespace mitos::eval
