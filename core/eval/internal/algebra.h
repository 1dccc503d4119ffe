// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on whole values: sums, zeros, tangents, inner products, shapes. Private to core/eval.
#pragma once

#include "core/eval/internal/meter.h"

#include <absl/functional/function_ref.h>

#include <cstdint>

namespace mitos::eval {

enum class Arithmetic : std::uint8_t { Add, Sub, Mul, Div };

/// Integers wrap around modulo 2^64; div truncates towards zero and fails if the divisor is zero.
[[nodiscard]] double calculate(const Meter& meter, Arithmetic op, double a, double b);
[[nodiscard]] std::int64_t calculate(Arithmetic op, std::int64_t a, std::int64_t b);

/// Combines numbers, tuples and tensors part by part; a number is broadcast over a tuple or tensor. Fails if sizes differ.
[[nodiscard]] Value combine(Meter& meter, Arithmetic op, const Value& a, const Value& b);
/// Sum of two values of one type, for sumbuild, sum and buildFromSparse: Bools and Strings are taken from `a`.
[[nodiscard]] Value accumulate(Meter& meter, const Value& a, const Value& b);
/// Adds to x a tangent of its type (ts_add).
[[nodiscard]] Value addTangent(Meter& meter, const Value& x, const Value& dx);
/// Multiplies every Float by r; the rest is unchanged.
[[nodiscard]] Value scale(Meter& meter, double r, const Value& x);
/// Inner product over all Floats. Fails if sizes differ.
[[nodiscard]] double dot(Meter& meter, const Value& a, const Value& b);
[[nodiscard]] bool equal(Meter& meter, const Value& a, const Value& b);

/// A zero of the same shape: 0.0, 0, false or "" in every place.
[[nodiscard]] Value zeroLike(Meter& meter, const Value& x);
/// Converts the value to a tangent of its type: Integers, Bools and Strings become (Tuple).
[[nodiscard]] Value asTangent(Meter& meter, const Value& x);
/// The zero tangent of the value's type.
[[nodiscard]] Value zeroTangent(Meter& meter, const Value& x);
/// An arbitrary value of a type: zeros; tensors are empty ($dummy).
[[nodiscard]] Value someValue(Meter& meter, const ir::TypeTable& types, ir::TypeId type);

/// The shape of a value is what its type does not determine about its sizes (ks-language.md 3).
[[nodiscard]] bool hasTrivialShape(const ir::TypeTable& types, ir::TypeId type);
[[nodiscard]] Value shapeOf(Meter& meter, const ir::TypeTable& types, ir::TypeId type, const Value& x);
/// The zero of a type with that shape. Fails if the shape does not fit the type.
[[nodiscard]] Value zeroOfShape(Meter& meter, const ir::TypeTable& types, ir::TypeId type, const Value& shape);

/// A tensor of the same sizes that contains f of each element.
[[nodiscard]] Value mapTensor(Meter& meter, const TensorValue& tensor, absl::FunctionRef<Value(const Value&)> f);
[[nodiscard]] Value mapTuple(Meter& meter, const TupleValue& tuple, absl::FunctionRef<Value(const Value&)> f);

// --- indices: Integer for rank 1, else a tuple of Integers ------------------------------------------------------------

[[nodiscard]] Value indexValue(Meter& meter, const std::vector<std::int64_t>& index);
[[nodiscard]] std::vector<std::int64_t> indexOf(const Value& index);
/// Number of elements. Fails if a size is negative or if there are more than 2^62 elements.
[[nodiscard]] std::int64_t elementCount(const std::vector<std::int64_t>& dims);
/// Row-major offset; -1 if the index is out of range.
[[nodiscard]] std::int64_t offsetOf(const std::vector<std::int64_t>& dims, const Value& index);
/// "3" or "2 x 4", for messages.
[[nodiscard]] std::string sizesText(const std::vector<std::int64_t>& dims);

}  // namespace mitos::eval
