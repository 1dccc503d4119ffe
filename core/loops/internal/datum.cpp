// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/loops/internal/datum.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::loops {

using ir::TypeId;
using ir::TypeKind;

namespace {

constexpr std::uint64_t NumberBytes = 8;

/// Integers wrap around at 64 bits.
std::int64_t wrapped(PartsOperator op, std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    switch (op) {
        case PartsOperator::Add: return static_cast<std::int64_t>(x + y);
        case PartsOperator::Sub: return static_cast<std::int64_t>(x - y);
        case PartsOperator::Mul: return static_cast<std::int64_t>(x * y);
        case PartsOperator::Div: break;
    }
    if (b == 0) fail("an Integer is divided by zero");
    return b == -1 ? static_cast<std::int64_t>(0 - x) : a / b;
}

double calculatedFloat(PartsOperator op, double a, double b, Counts& counts) {
    switch (op) {
        case PartsOperator::Add: ++counts.additions; return a + b;
        case PartsOperator::Sub: ++counts.additions; return a - b;
        case PartsOperator::Mul: ++counts.multiplications; return a * b;
        case PartsOperator::Div: break;
    }
    ++counts.divisions;
    return a / b;
}

void requireSameSizes(const TensorDatum& a, const TensorDatum& b) {
    if (a.dims == b.dims) return;
    fail(a.dims.size() == 1 ? "the sizes of two vectors differ" : "the sizes of two tensors differ");
}

/// op(a, b) on every number of a and the number of b at its place; a number b goes with all of a.
template <typename Op>
void update(const Op& op, Datum& a, const Datum& b) {
    if (a.isTuple()) {
        for (std::size_t i = 0; i < a.parts().size(); ++i) update(op, a.parts()[i], b.isTuple() ? b.parts()[i] : b);
    } else if (a.isTensor()) {
        if (b.isTensor()) requireSameSizes(a.tensor(), b.tensor());
        std::vector<Datum>& elements = a.tensor().elements;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            update(op, elements[i], b.isTensor() ? b.tensor().elements[i] : b);
        }
    } else {
        op(a, b);
    }
}

bool isScalar(const Datum& datum) { return !datum.isTuple() && !datum.isTensor(); }

/// A tensor of the same sizes with f of each element.
template <typename F>
Datum mapped(const TensorDatum& tensor, const F& f) {
    TensorDatum result{tensor.dims, {}};
    result.elements.reserve(tensor.elements.size());
    for (const Datum& element : tensor.elements) result.elements.push_back(f(element));
    return {std::move(result)};
}

bool hasPlainShape(const ir::TypeTable& types, TypeId type) {
    if (types.isTensor(type)) return false;
    if (!types.isTuple(type)) return true;
    return std::ranges::all_of(types.children(type), [&](TypeId part) { return hasPlainShape(types, part); });
}

}  // namespace

void fail(std::string_view message) { throw Failure{ErrorCode::Evaluation, std::string(message)}; }

Datum fromValue(const eval::Value& value) {
    if (value.isFloat()) return {value.asFloat()};
    if (value.isInteger()) return {value.asInteger()};
    if (value.isBool()) return {value.asBool()};
    if (value.isString()) return {value.asString()};
    if (value.isTuple()) {
        TupleDatum tuple;
        for (const eval::Value& part : value.asTuple().elements) tuple.parts.push_back(fromValue(part));
        return {std::move(tuple)};
    }
    if (!value.isTensor()) throw Failure{ErrorCode::Unsupported, "an argument is a function or a linear map"};
    TensorDatum tensor{value.asTensor().dims, {}};
    for (const eval::Value& element : value.asTensor().elements) tensor.elements.push_back(fromValue(element));
    return {std::move(tensor)};
}

eval::Value toValue(const Datum& datum) {
    if (const auto* const number = std::get_if<double>(&datum.is)) return eval::Value(*number);
    if (const auto* const number = std::get_if<std::int64_t>(&datum.is)) return eval::Value(*number);
    if (const auto* const truth = std::get_if<bool>(&datum.is)) return eval::Value(*truth);
    if (const auto* const text = std::get_if<std::string>(&datum.is)) return eval::Value(*text);
    if (datum.isTuple()) {
        eval::TupleValue tuple;
        for (const Datum& part : datum.parts()) tuple.elements.push_back(toValue(part));
        return eval::Value(std::move(tuple));
    }
    if (!datum.isSet()) fail("a value has a number that was not set");
    if (!datum.isTensor()) throw Failure{ErrorCode::Unsupported, "the value is a function"};
    eval::TensorValue tensor{datum.tensor().dims, {}};
    for (const Datum& element : datum.tensor().elements) tensor.elements.push_back(toValue(element));
    return eval::Value(std::move(tensor));
}

Datum emptyOf(const ir::TypeTable& types, TypeId type) {
    switch (types.kind(type)) {
        case TypeKind::Float: return {0.0};
        case TypeKind::Integer: return {std::int64_t{0}};
        case TypeKind::Bool: return {false};
        case TypeKind::String: return {std::string()};
        case TypeKind::Tuple: {
            TupleDatum tuple;
            for (const TypeId part : types.children(type)) tuple.parts.push_back(emptyOf(types, part));
            return {std::move(tuple)};
        }
        case TypeKind::Tensor: return {TensorDatum{std::vector<std::int64_t>(types.rank(type), 0), {}}};
        case TypeKind::Lambda:
        case TypeKind::LinearMap:
        case TypeKind::Array: break;
    }
    return {};
}

std::size_t elementCount(const std::vector<std::int64_t>& dims) {
    constexpr std::int64_t Most = 100'000'000;
    std::int64_t count = 1;
    for (const std::int64_t size : dims) {
        if (size < 0) fail("a size is negative");
        if (size > 0 && count > Most / size) throw Failure{ErrorCode::Limit, "a tensor is too large"};
        count *= size;
    }
    return static_cast<std::size_t>(count);
}

std::uint64_t buffersOf(const Datum& datum) {
    std::uint64_t count = 0;
    if (datum.isTuple()) {
        for (const Datum& part : datum.parts()) count += buffersOf(part);
    } else if (datum.isTensor() && !datum.tensor().elements.empty()) {
        count = 1;
        if (isScalar(datum.tensor().elements[0])) return count;
        for (const Datum& element : datum.tensor().elements) count += buffersOf(element);
    }
    return count;
}

std::uint64_t bytesOf(const Datum& datum) {
    std::uint64_t bytes = 0;
    if (datum.isTuple()) {
        for (const Datum& part : datum.parts()) bytes += bytesOf(part);
    } else if (datum.isTensor()) {
        const auto bytesOfElement = [](const auto& self, const Datum& element) -> std::uint64_t {
            if (element.isTensor()) return bytesOf(element);
            if (!element.isTuple()) return std::holds_alternative<bool>(element.is) ? 1 : NumberBytes;
            std::uint64_t sum = 0;
            for (const Datum& part : element.parts()) sum += self(self, part);
            return sum;
        };
        for (const Datum& element : datum.tensor().elements) bytes += bytesOfElement(bytesOfElement, element);
    }
    return bytes;
}

bool areEqual(const Datum& a, const Datum& b) {
    if (a.isTuple()) return std::ranges::equal(a.parts(), b.parts(), areEqual);
    if (a.isTensor()) {
        return a.tensor().dims == b.tensor().dims &&
               std::ranges::equal(a.tensor().elements, b.tensor().elements, areEqual);
    }
    return a.is.index() == b.is.index() && [&] {
        if (const auto* const number = std::get_if<double>(&a.is)) return *number == b.number();
        if (const auto* const number = std::get_if<std::int64_t>(&a.is)) return *number == b.integer();
        if (const auto* const truth = std::get_if<bool>(&a.is)) return *truth == b.truth();
        if (const auto* const text = std::get_if<std::string>(&a.is)) return *text == std::get<std::string>(b.is);
        fail("functions are compared");
    }();
}

Datum zeroLike(const Datum& datum) {
    if (datum.isTuple()) {
        TupleDatum tuple;
        for (const Datum& part : datum.parts()) tuple.parts.push_back(zeroLike(part));
        return {std::move(tuple)};
    }
    if (datum.isTensor()) return mapped(datum.tensor(), zeroLike);
    Datum zero = datum;
    clear(zero);
    return zero;
}

void clear(Datum& datum) {
    if (datum.isTuple()) {
        for (Datum& part : datum.parts()) clear(part);
    } else if (datum.isTensor()) {
        for (Datum& element : datum.tensor().elements) clear(element);
    } else if (std::holds_alternative<std::int64_t>(datum.is)) {
        datum.is = std::int64_t{0};
    } else if (std::holds_alternative<bool>(datum.is)) {
        datum.is = false;
    } else if (std::holds_alternative<std::string>(datum.is)) {
        datum.is = std::string();
    } else {
        datum.is = 0.0;
    }
}

Datum shapeOf(const ir::TypeTable& types, TypeId type, const Datum& datum) {
    if (hasPlainShape(types, type)) return {TupleDatum{}};
    if (datum.isTuple()) {
        TupleDatum tuple;
        for (std::size_t i = 0; i < datum.parts().size(); ++i) {
            tuple.parts.push_back(shapeOf(types, types.children(type)[i], datum.parts()[i]));
        }
        return {std::move(tuple)};
    }
    const TypeId element = types.element(type);
    const TensorDatum& tensor = datum.tensor();
    if (!hasPlainShape(types, element)) {
        return mapped(tensor, [&](const Datum& each) { return shapeOf(types, element, each); });
    }
    if (tensor.dims.size() == 1) return {tensor.dims[0]};
    TupleDatum sizes;
    for (const std::int64_t size : tensor.dims) sizes.parts.push_back({size});
    return {std::move(sizes)};
}

Datum zeroOf(const ir::TypeTable& types, TypeId type, const Datum& shape) {
    if (shape.isTuple() && shape.parts().empty()) return emptyOf(types, type);
    if (types.isTuple(type)) {
        TupleDatum tuple;
        for (std::size_t i = 0; i < shape.parts().size(); ++i) {
            tuple.parts.push_back(zeroOf(types, types.children(type)[i], shape.parts()[i]));
        }
        return {std::move(tuple)};
    }
    const TypeId element = types.element(type);
    if (shape.isTensor()) {
        return mapped(shape.tensor(), [&](const Datum& each) { return zeroOf(types, element, each); });
    }
    TensorDatum tensor;
    if (shape.isTuple()) {
        for (const Datum& size : shape.parts()) tensor.dims.push_back(size.integer());
    } else {
        tensor.dims.push_back(shape.integer());
    }
    tensor.elements.assign(elementCount(tensor.dims), emptyOf(types, element));
    return {std::move(tensor)};
}

Datum asTangent(const Datum& datum) {
    if (std::holds_alternative<double>(datum.is)) return datum;
    if (datum.isTensor()) return mapped(datum.tensor(), asTangent);
    TupleDatum tuple;
    if (datum.isTuple()) {
        for (const Datum& part : datum.parts()) tuple.parts.push_back(asTangent(part));
    }
    return {std::move(tuple)};
}

Datum unzipped(const ir::TypeTable& types, TypeId type, const Datum& tensor) {
    TupleDatum result;
    for (std::size_t i = 0; i < types.children(type).size(); ++i) {
        result.parts.push_back(mapped(tensor.tensor(), [i](const Datum& tuple) { return tuple.parts()[i]; }));
    }
    return {std::move(result)};
}

Datum calculated(PartsOperator op, const Datum& a, const Datum& b, Counts& counts) {
    const bool areIntegers = std::holds_alternative<std::int64_t>(a.is) && std::holds_alternative<std::int64_t>(b.is);
    if (areIntegers) return {wrapped(op, a.integer(), b.integer())};
    // A Float and an Integer are multiplied as Floats.
    const auto floatOf = [](const Datum& datum) {
        const auto* const integer = std::get_if<std::int64_t>(&datum.is);
        return integer == nullptr ? datum.number() : static_cast<double>(*integer);
    };
    return {calculatedFloat(op, floatOf(a), floatOf(b), counts)};
}

Datum clamped(const Datum& number, const Datum& least, const Datum& largest) {
    if (largest.integer() < least.integer()) fail("the largest of some Integers is below the least");
    return {std::clamp(number.integer(), least.integer(), largest.integer())};
}

Datum combined(PartsOperator op, const Datum& a, const Datum& b, Counts& counts) {
    const bool isScaled = isScalar(a) && !isScalar(b);
    Datum result = isScaled ? b : a;
    if (isScaled) {
        update([&](Datum& y, const Datum& x) { y = calculated(op, x, y, counts); }, result, a);
    } else {
        update([&](Datum& x, const Datum& y) { x = calculated(op, x, y, counts); }, result, b);
    }
    counts.read += bytesOf(a) + bytesOf(b);
    counts.written += bytesOf(result);
    counts.allocations += buffersOf(result);
    return result;
}

void addTo(Datum& sum, const Datum& term, bool isDifference, Counts& counts) {
    const PartsOperator op = isDifference ? PartsOperator::Sub : PartsOperator::Add;
    update(
        [&](Datum& x, const Datum& y) {
            const bool isNumber = std::holds_alternative<double>(x.is) || std::holds_alternative<std::int64_t>(x.is);
            if (isNumber) x = calculated(op, x, y, counts);
            if (!x.isSet()) fail("a number is added to one that was not set");
        },
        sum, term);
    counts.read += bytesOf(sum) + bytesOf(term);
    counts.written += bytesOf(sum);
}

void addTangent(Datum& value, const Datum& tangent, Counts& counts) {
    update(
        [&](Datum& x, const Datum& y) {
            if (std::holds_alternative<double>(x.is)) x = calculated(PartsOperator::Add, x, y, counts);
        },
        value, tangent);
    counts.read += bytesOf(tangent);
    counts.written += bytesOf(value);
}

void scale(double factor, Datum& value, Counts& counts) {
    update(
        [&](Datum& x, const Datum& r) {
            if (std::holds_alternative<double>(x.is)) x = calculated(PartsOperator::Mul, r, x, counts);
        },
        value, Datum{factor});
    counts.written += bytesOf(value);
}

double dot(const Datum& a, const Datum& b, Counts& counts) {
    double sum = 0.0;
    const auto add = [&](const Datum& x, const Datum& y) {
        ++counts.additions;
        sum += dot(x, y, counts);
    };
    if (a.isTuple()) {
        for (std::size_t i = 0; i < a.parts().size(); ++i) add(a.parts()[i], b.parts()[i]);
    } else if (a.isTensor()) {
        requireSameSizes(a.tensor(), b.tensor());
        for (std::size_t i = 0; i < a.tensor().elements.size(); ++i) {
            add(a.tensor().elements[i], b.tensor().elements[i]);
        }
    } else if (std::holds_alternative<double>(a.is)) {
        ++counts.multiplications;
        sum = a.number() * b.number();
    }
    return sum;
}

void print(std::string& out, const Datum& datum) {
    if (datum.isTuple()) {
        const char* separator = "";
        for (const Datum& part : datum.parts()) {
            out += std::exchange(separator, ",");
            print(out, part);
        }
    } else if (datum.isTensor()) {
        const char* separator = "[";
        for (const Datum& element : datum.tensor().elements) {
            out += std::exchange(separator, ", ");
            print(out, element);
        }
        out += datum.tensor().elements.empty() ? "[]" : "]";
    } else if (const auto* const number = std::get_if<double>(&datum.is)) {
        out += fmt::format("{:g}", *number);
    } else if (const auto* const number = std::get_if<std::int64_t>(&datum.is)) {
        out += fmt::format("{}", *number);
    } else if (const auto* const truth = std::get_if<bool>(&datum.is)) {
        out += *truth ? "1" : "0";
    } else {
        out += std::get<std::string>(datum.is);
    }
}

namespace {

template <typename Matrix>
Matrix& elementOf(Matrix& matrix, std::int64_t row, std::int64_t column) {
    const auto in = [](Matrix& vector, std::int64_t index) -> Matrix& {
        auto& elements = vector.tensor().elements;
        if (index < 0 || static_cast<std::size_t>(index) >= elements.size()) fail("an index is outside of a matrix");
        return elements[static_cast<std::size_t>(index)];
    };
    return in(in(matrix, row), column);
}

}  // namespace

void addProduct(Datum& sum, const Factor& left, const Factor& right, const std::array<std::int64_t, 3>& sizes,
                Counts& counts) {
    const auto at = [](const Factor& factor, std::int64_t row, std::int64_t column) -> const Datum& {
        return factor.isTransposed ? elementOf(factor.matrix, column, row) : elementOf(factor.matrix, row, column);
    };
    const auto [rows, terms, columns] = sizes;
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = 0; k < terms; ++k) {
            counts.read += sizeof(double);
            for (std::int64_t j = 0; j < columns; ++j) {
                const Datum product = calculated(PartsOperator::Mul, at(left, i, k), at(right, k, j), counts);
                Datum& target = elementOf(sum, i, j);
                if (!target.isSet()) fail("a number is added to one that was not set");
                target = calculated(PartsOperator::Add, target, product, counts);
                counts.read += 2 * sizeof(double);
                counts.written += sizeof(double);
            }
        }
    }
}

}  // namespace mitos::loops
