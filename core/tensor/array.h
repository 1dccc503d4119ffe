// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays are the values of terms of the tensor dialect.
#pragma once

#include "core/ir/type_table.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mitos::tensor {

using Shape = std::vector<std::int64_t>;

/// Elements in row-major order, kept in double precision whatever their type: the reference evaluator verifies rewrites,
/// so it must not add rounding of its own. Bool is 0 and 1; Integers are exact up to 2^53. No strings, no complex numbers.
struct Array {
    ir::Dtype dtype = ir::Dtype::F32;
    Shape shape;  ///< empty: a scalar
    std::vector<double> elements;
};

/// Arrays are passed and kept as shared, immutable pointers, since consumers, reshapes and weights share them.
using ArrayPtr = std::shared_ptr<const Array>;

/// Product of the dimensions, none of which is negative; 1 for a scalar, and the largest int64 if it is larger.
[[nodiscard]] std::int64_t elementCount(std::span<const std::int64_t> shape);
/// The distance between neighbouring elements in each dimension, row-major.
[[nodiscard]] Shape strides(std::span<const std::int64_t> shape);

/// An element as an index, a size or a count: truncated, and clamped to the nearest int64 if it is out of range (2^63 - 1
/// is 2^63 in double precision). 0 for NaN.
[[nodiscard]] std::int64_t wholeNumber(double element);
/// The elements of an Integer array, converted by wholeNumber.
[[nodiscard]] std::vector<std::int64_t> integersIn(const Array& array);
/// Whether the elements certainly equal those of the file: false if some are Integers beyond 2^53.
[[nodiscard]] bool isExact(const Array& array);

/// Whether the evaluator computes with that element type: false for strings, complex numbers and unknown types.
[[nodiscard]] bool isComputable(ir::Dtype dtype);
/// The value as the element type holds it: Integers are truncated and wrap around, floating-point numbers are rounded to
/// nearest even, Bool is 1 for any value except 0. As an Integer, a value that is not finite becomes 0.
[[nodiscard]] double roundTo(ir::Dtype dtype, double value);

}  // namespace mitos::tensor
