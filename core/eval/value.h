// SPDX-License-Identifier: GPL-3.0-or-later
// Values of programs: those of the ks language, and arrays.
#pragma once

#include "core/base/result.h"
#include "core/ir/term_bank.h"
#include "core/tensor/array.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace mitos::eval {

class Value;
/// A linear map (LM S T), kept as it was constructed; see linear_map.h.
struct LinearMapValue;
/// A function with its captured values; only the interpreter that made it can run it.
struct FunctionValue;

/// A tuple's elements.
struct TupleValue {
    std::vector<Value> elements;
};

/// Elements in row-major order; dims has one entry per dimension (rank 1: one). Elements of a Vec of Vecs are Values themselves, so
/// tensors of tensors may be jagged.
struct TensorValue {
    std::vector<std::int64_t> dims;
    std::vector<Value> elements;
};

/// A value; copying is cheap (compound values share their immutable data).
class Value {
public:
    Value() : Value(TupleValue{}) {}  ///< the empty tuple
    explicit Value(double v) : m_data(v) {}
    explicit Value(std::int64_t v) : m_data(v) {}
    explicit Value(bool v) : m_data(v) {}
    explicit Value(std::string v) : m_data(std::make_shared<const std::string>(std::move(v))) {}
    explicit Value(TupleValue v) : m_data(std::make_shared<const TupleValue>(std::move(v))) {}
    explicit Value(TensorValue v) : m_data(std::make_shared<const TensorValue>(std::move(v))) {}
    explicit Value(std::shared_ptr<const TupleValue> v) : m_data(std::move(v)) {}
    explicit Value(std::shared_ptr<const TensorValue> v) : m_data(std::move(v)) {}
    explicit Value(std::shared_ptr<const LinearMapValue> v) : m_data(std::move(v)) {}
    explicit Value(std::shared_ptr<const FunctionValue> v) : m_data(std::move(v)) {}
    explicit Value(tensor::ArrayPtr v) : m_data(std::move(v)) {}

    [[nodiscard]] bool isFloat() const { return std::holds_alternative<double>(m_data); }
    [[nodiscard]] bool isInteger() const { return std::holds_alternative<std::int64_t>(m_data); }
    [[nodiscard]] bool isBool() const { return std::holds_alternative<bool>(m_data); }
    [[nodiscard]] bool isString() const { return std::holds_alternative<StringPtr>(m_data); }
    [[nodiscard]] bool isTuple() const { return std::holds_alternative<TuplePtr>(m_data); }
    [[nodiscard]] bool isTensor() const { return std::holds_alternative<TensorPtr>(m_data); }
    [[nodiscard]] bool isLinearMap() const { return std::holds_alternative<LinearMapPtr>(m_data); }
    [[nodiscard]] bool isFunction() const { return std::holds_alternative<FunctionPtr>(m_data); }
    /// An array is a value of a tensor program; a TensorValue is one of ks.
    [[nodiscard]] bool isArray() const { return std::holds_alternative<tensor::ArrayPtr>(m_data); }

    [[nodiscard]] double asFloat() const { return std::get<double>(m_data); }
    [[nodiscard]] std::int64_t asInteger() const { return std::get<std::int64_t>(m_data); }
    [[nodiscard]] bool asBool() const { return std::get<bool>(m_data); }
    [[nodiscard]] const std::string& asString() const { return *std::get<StringPtr>(m_data); }
    [[nodiscard]] const TupleValue& asTuple() const { return *std::get<TuplePtr>(m_data); }
    [[nodiscard]] const TensorValue& asTensor() const { return *std::get<TensorPtr>(m_data); }
    [[nodiscard]] const LinearMapValue& asLinearMap() const { return *std::get<LinearMapPtr>(m_data); }
    [[nodiscard]] const FunctionValue& asFunction() const { return *std::get<FunctionPtr>(m_data); }
    [[nodiscard]] const tensor::Array& asArray() const { return *std::get<tensor::ArrayPtr>(m_data); }
    [[nodiscard]] const tensor::ArrayPtr& arrayPtr() const { return std::get<tensor::ArrayPtr>(m_data); }

private:
    using StringPtr = std::shared_ptr<const std::string>;
    using TuplePtr = std::shared_ptr<const TupleValue>;
    using TensorPtr = std::shared_ptr<const TensorValue>;
    using LinearMapPtr = std::shared_ptr<const LinearMapValue>;
    using FunctionPtr = std::shared_ptr<const FunctionValue>;
    std::variant<double, std::int64_t, bool, StringPtr, TuplePtr, TensorPtr, LinearMapPtr, FunctionPtr,
                 tensor::ArrayPtr>
        m_data;
};

/// The value in the notation of ks `print` inside a report: 1.5, [1.0, 2.0], (1.0, true). Long tensors are cut with a count, arrays to
/// about maxElements in all.
[[nodiscard]] std::string toString(const Value& value, std::size_t maxElements = 16);
/// Exact JSON text: numbers, booleans, strings, arrays (tensors of rank k nest k deep; arrays of tensor programs are nested lists of
/// numbers), {"tuple": […]}. Non-finite numbers are the strings "nan", "inf", "-inf"; a linear map is the string "<linear map>", a
/// function "<function>" (these cannot be read back).
[[nodiscard]] std::string toJson(const Value& value);
/// Reads a value of that (erased) type from JSON text; integers are accepted for Floats. The error message says what was expected.
[[nodiscard]] Result<Value> valueFromJson(const ir::TermBank& bank, ir::TypeId type, const std::string& json);

/// Largest deviation between two values of one type: the maximum over Floats of |a-b| / max(1, |a|, |b|); in arrays, 1 is replaced by the
/// largest element (at least 1e-6) if that is less. Infinity if anything else differs (shape, element type of arrays, Integer, Bool,
/// String, finiteness). Equal infinities and two NaNs deviate by 0.
[[nodiscard]] double deviation(const Value& a, const Value& b);
/// Whether two values whose deviation is 0 have a zero of different signs at some place.
[[nodiscard]] bool differInZeroSigns(const Value& a, const Value& b);

}  // namespace mitos::eval
