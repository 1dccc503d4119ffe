// SPDX-License-Identifier: GPL-3.0-or-later
// Values that change in place, and operations of the runtime library on whole values, with what they count. Private to core/loops.
#pragma once

#include "core/base/result.h"
#include "core/eval/value.h"
#include "core/ir/type_table.h"
#include "core/loops/interpreter.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mitos::loops {

struct Datum;
struct Closure;

struct TupleDatum {
    std::vector<Datum> parts;
};

/// Elements in row-major order, one size for each dimension.
struct TensorDatum {
    std::vector<std::int64_t> dims;
    std::vector<Datum> elements;
};

/// A value, or none yet.
struct Datum {
    std::variant<std::monostate, double, std::int64_t, bool, std::string, TupleDatum, TensorDatum,
                 std::shared_ptr<const Closure>>
        is = {};

    [[nodiscard]] bool isSet() const { return !std::holds_alternative<std::monostate>(is); }
    [[nodiscard]] bool isTensor() const { return std::holds_alternative<TensorDatum>(is); }
    [[nodiscard]] bool isTuple() const { return std::holds_alternative<TupleDatum>(is); }
    [[nodiscard]] double number() const { return std::get<double>(is); }
    [[nodiscard]] std::int64_t integer() const { return std::get<std::int64_t>(is); }
    [[nodiscard]] bool truth() const { return std::get<bool>(is); }
    [[nodiscard]] TensorDatum& tensor() { return std::get<TensorDatum>(is); }
    [[nodiscard]] const TensorDatum& tensor() const { return std::get<TensorDatum>(is); }
    [[nodiscard]] std::vector<Datum>& parts() { return std::get<TupleDatum>(is).parts; }
    [[nodiscard]] const std::vector<Datum>& parts() const { return std::get<TupleDatum>(is).parts; }
};

/// Ends a run.
struct Failure {
    ErrorCode code = ErrorCode::Evaluation;
    std::string message = {};
};
[[noreturn]] void fail(std::string_view message);

/// Throws Failure for functions.
[[nodiscard]] Datum fromValue(const eval::Value& value);
/// Throws Failure for functions, and for numbers that were not set.
[[nodiscard]] eval::Value toValue(const Datum& datum);

/// Zeros; tensors are empty.
[[nodiscard]] Datum emptyOf(const ir::TypeTable& types, ir::TypeId type);
/// The number of elements of a tensor of these sizes. Throws Failure if one is negative.
[[nodiscard]] std::size_t elementCount(const std::vector<std::int64_t>& dims);
/// Vectors and tensors with elements.
[[nodiscard]] std::uint64_t buffersOf(const Datum& datum);
/// Bytes of the numbers and truth values in a value's vectors.
[[nodiscard]] std::uint64_t bytesOf(const Datum& datum);

[[nodiscard]] bool areEqual(const Datum& a, const Datum& b);
[[nodiscard]] Datum zeroLike(const Datum& datum);
/// Every number becomes zero; sizes stay.
void clear(Datum& datum);
/// A matrix of a product, or the one whose columns are its rows.
struct Factor {
    const Datum& matrix;
    bool isTransposed = false;
};
/// Adds the products of rows of the left factor and columns of the right one; the sizes are those of rows, terms and columns.
void addProduct(Datum& sum, const Factor& left, const Factor& right, const std::array<std::int64_t, 3>& sizes,
                Counts& counts);
[[nodiscard]] Datum shapeOf(const ir::TypeTable& types, ir::TypeId type, const Datum& datum);
[[nodiscard]] Datum zeroOf(const ir::TypeTable& types, ir::TypeId type, const Datum& shape);
[[nodiscard]] Datum asTangent(const Datum& datum);
[[nodiscard]] Datum unzipped(const ir::TypeTable& types, ir::TypeId type, const Datum& tensor);

/// Arithmetic part by part, which fails where sizes differ.
enum class PartsOperator : std::uint8_t { Add, Sub, Mul, Div };
/// One operation on two Floats or two Integers; Integers wrap around.
[[nodiscard]] Datum calculated(PartsOperator op, const Datum& a, const Datum& b, Counts& counts);
/// An Integer, or the nearest one between two others.
[[nodiscard]] Datum clamped(const Datum& number, const Datum& least, const Datum& largest);
/// A number on either side goes with all of the other.
[[nodiscard]] Datum combined(PartsOperator op, const Datum& a, const Datum& b, Counts& counts);
/// Adds every number of the term to that of the sum, or subtracts it; the rest of the sum stays.
void addTo(Datum& sum, const Datum& term, bool isDifference, Counts& counts);
/// Adds the Floats of a tangent.
void addTangent(Datum& value, const Datum& tangent, Counts& counts);
void scale(double factor, Datum& value, Counts& counts);
[[nodiscard]] double dot(const Datum& a, const Datum& b, Counts& counts);

/// As ks prints.
void print(std::string& out, const Datum& datum);

}  // namespace mitos::loops
