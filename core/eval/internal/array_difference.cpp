// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/internal/array_difference.h"

#include "core/tensor/element_range.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mitos::eval {

using tensor::ArrayPtr;

namespace {

constexpr double LargestTelling = 1e4;

}  // namespace

double magnitude(const tensor::Array& array, double least) {
    return std::max(least, std::min(tensor::largestMagnitude(array.elements), 1.0));
}

ArrayDifference difference(std::span<const ArrayPtr> before, std::span<const ArrayPtr> after, double least,
                           bool mayFail) {
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
        const double scale = magnitude(a, least);
        const bool isFloating = ir::isFloating(a.dtype);
        for (std::size_t i = 0; i < a.elements.size(); ++i) {
            const double x = a.elements[i];
            const double y = b.elements[i];
            if (!std::isfinite(x) || (isFloating && std::abs(x) > LargestTelling)) result.isTelling = false;
            if (!std::isfinite(x) || (mayFail && !std::isfinite(y))) continue;
            ++result.compared;
            double far = HUGE_VAL;
            if (isFloating && std::isfinite(y))
                far = std::abs(x - y) / std::max({scale, std::abs(x), std::abs(y)});
            else if (x == y)
                far = 0.0;
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
