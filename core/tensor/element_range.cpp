// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/element_range.h"

#include "core/tensor/array.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::tensor {

namespace {

double smallestNormal(ir::Dtype dtype) {
    switch (dtype) {
        case ir::Dtype::F16: return 0x1p-14;
        case ir::Dtype::Bf16:
        case ir::Dtype::F32: return std::numeric_limits<float>::min();
        default: return std::numeric_limits<double>::min();
    }
}

}  // namespace

bool isHeld(ir::Dtype dtype, double value) {
    const double rounded = roundTo(dtype, value);
    if (!ir::isFloating(dtype)) return rounded == value && std::abs(value) < EndOfExact;
    return value == 0.0 || (std::isfinite(rounded) && std::abs(rounded) >= smallestNormal(dtype));
}

double largestMagnitude(std::span<const double> elements) {
    double largest = 0.0;
    for (const double element : elements) {
        if (std::isfinite(element)) largest = std::max(largest, std::abs(element));
    }
    return largest;
}

}  // namespace mitos::tensor
