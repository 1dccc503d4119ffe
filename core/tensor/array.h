// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays: what a term of the tensor dialect evaluates to.
#pragma once

#include "core/ir/type_table.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mitos::tensor {

using Shape = std::vector<std::int64_t>;

/// Elements in row-major order, whatever their type kept in double precision: the reference evaluator verifies rewrites,
/// so it must not add rounding of its own. Bool is 0 and 1; Integers are exact up to 2^53. No strings, no complex numbers.
struct Array {
    ir::Dtype dtype = ir::Dtype::F32;
    Shape shape;  ///< empty: a scalar
    std::vector<double> elements;
};

/// Arrays are passed and kept by shared, immutable pointers: several consumers, reshapes, weights.
using ArrayPtr = std::shared_ptr<const Array>;

/// Product of the dimensions; 1 for a scalar.
[[nodiscard]] std::int64_t elementCount(std::span<const std::int64_t> shape);
/// Distance between neighbours in each dimension, row-major.
[[nodiscard]] Shape strides(std::span<const std::int64_t> shape);

/// An element as an index, a size or a count: cut off, and the nearest that there is for one that is too large (2^63 - 1
/// is 2^63 in double precision). 0 for what is not a number.
[[nodiscard]] std::int64_t wholeNumber(double element);
/// The elements of an Integer array, as wholeNumber.
[[nodiscard]] std::vector<std::int64_t> integersIn(const Array& array);
/// Whether the elements are certainly those of a file: not if some are Integers beyond 2^53.
[[nodiscard]] bool isExact(const Array& array);

/// Whether arrays of that element type can be computed with: not strings, complex numbers, unknown ones.
[[nodiscard]] bool isComputable(ir::Dtype dtype);
/// The value as the element type holds it: Integers are truncated and wrap around, floating numbers are rounded to
/// nearest even, Bool is whether it is not 0. What is not finite becomes the Integer 0.
[[nodiscard]] double roundTo(ir::Dtype dtype, double value);

}  // namespace mitos::tensor
