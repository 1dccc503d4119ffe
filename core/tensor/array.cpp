// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/array.h"

#include "core/tensor/element_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::tensor {

namespace {

/// Rounds to a binary format of `digits` explicit mantissa bits, whose normal numbers begin at 2^minExponent.
double roundToFormat(double value, int digits, int minExponent, double largest) {
    if (value == 0.0 || !std::isfinite(value)) return value;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(value), minExponent) - digits);
    const double rounded = std::nearbyint(value / unit) * unit;
    return std::abs(rounded) > largest ? std::copysign(HUGE_VAL, value) : rounded;
}

double wrapped(double value, int bits, bool isSigned) {
    if (!std::isfinite(value)) return 0.0;
    const double range = std::ldexp(1.0, bits);
    double rest = std::fmod(std::trunc(value), range);  // exact
    if (isSigned && rest >= range / 2) rest -= range;
    if (isSigned && rest < -range / 2) rest += range;
    if (!isSigned && rest < 0) rest += range;
    return rest + 0.0;  // no negative zero
}

}  // namespace

std::int64_t elementCount(std::span<const std::int64_t> shape) {
    if (std::ranges::find(shape, 0) != shape.end()) return 0;
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (__builtin_mul_overflow(count, size, &count)) return std::numeric_limits<std::int64_t>::max();
    }
    return count;
}

Shape strides(std::span<const std::int64_t> shape) {
    Shape result(shape.size(), 1);
    for (std::size_t i = shape.size(); i > 1; --i) result[i - 2] = result[i - 1] * shape[i - 1];
    return result;
}

std::int64_t wholeNumber(double element) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (std::isnan(element)) return 0;
    if (element >= 0x1p63) return Limits::max();
    return element < -0x1p63 ? Limits::min() : static_cast<std::int64_t>(element);
}

std::vector<std::int64_t> integersIn(const Array& array) {
    std::vector<std::int64_t> result;
    result.reserve(array.elements.size());
    for (const double element : array.elements) result.push_back(wholeNumber(element));
    return result;
}

bool isExact(const Array& array) {
    if (ir::isFloating(array.dtype)) return true;
    return std::ranges::all_of(array.elements, [](double element) { return std::abs(element) < EndOfExact; });
}

bool isComputable(ir::Dtype dtype) {
    using ir::Dtype;
    return dtype != Dtype::String && dtype != Dtype::C64 && dtype != Dtype::C128 && dtype != Dtype::Unknown;
}

double roundTo(ir::Dtype dtype, double value) {
    using ir::Dtype;
    switch (dtype) {
        case Dtype::F16: return roundToFormat(value, 10, -14, 65504.0);
        case Dtype::Bf16: return roundToFormat(value, 7, -126, 0x1.FEp127);
        case Dtype::F32: return static_cast<float>(value);
        case Dtype::I8: return wrapped(value, 8, true);
        case Dtype::I16: return wrapped(value, 16, true);
        case Dtype::I32: return wrapped(value, 32, true);
        case Dtype::I64: return wrapped(value, 64, true);
        case Dtype::U8: return wrapped(value, 8, false);
        case Dtype::U16: return wrapped(value, 16, false);
        case Dtype::U32: return wrapped(value, 32, false);
        case Dtype::U64: return wrapped(value, 64, false);
        case Dtype::Bool: return value != 0.0 ? 1.0 : 0.0;
        case Dtype::F64:
        case Dtype::String:
        case Dtype::C64:
        case Dtype::C128:
        case Dtype::Unknown: break;
    }
    return value;
}

}  // namespace mitos::tensor
