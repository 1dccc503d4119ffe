// SPDX-License-Identifier: GPL-3.0-or-later
// Arithmetic on whole values.
#include "core/eval/internal/algebra.h"

#include <fmt/format.h>

#include <limits>

namespace mitos::eval {

namespace {

using ir::TypeId;
using ir::TypeKind;

constexpr const char* name(Arithmetic op) {
    constexpr const char* Names[] = {"add", "sub", "mul", "div"};
    return Names[static_cast<std::size_t>(op)];
}

bool isCompound(const Value& v) { return v.isTuple() || v.isTensor(); }

void requireSameSizes(const TensorValue& a, const TensorValue& b, const char* what) {
    if (a.dims == b.dims) return;
    fail(fmt::format("{}: the sizes {} and {} differ", what, sizesText(a.dims), sizesText(b.dims)),
         "both vectors must have the same size");
}

/// Applies f to each pair of parts of two tuples or two tensors.
Value zip(Meter& meter, const Value& a, const Value& b, const char* what,
          absl::FunctionRef<Value(const Value&, const Value&)> f) {
    const bool tensors = a.isTensor();
    if (tensors) requireSameSizes(a.asTensor(), b.asTensor(), what);
    const auto& left = tensors ? a.asTensor().elements : a.asTuple().elements;
    const auto& right = tensors ? b.asTensor().elements : b.asTuple().elements;
    meter.spend(left.size());
    const Meter::Reservation room(meter, left.size());
    std::vector<Value> parts;
    parts.reserve(left.size());
    for (std::size_t i = 0; i < left.size(); ++i) parts.push_back(f(left[i], right[i]));
    if (tensors) return meter.tensor(TensorValue{a.asTensor().dims, std::move(parts)});
    return meter.tuple(TupleValue{std::move(parts)});
}

Value mapParts(Meter& meter, const Value& x, absl::FunctionRef<Value(const Value&)> f) {
    return x.isTensor() ? mapTensor(meter, x.asTensor(), f) : mapTuple(meter, x.asTuple(), f);
}

Value combineNumbers(const Meter& meter, Arithmetic op, const Value& a, const Value& b) {
    if (a.isInteger() && b.isInteger()) return Value(calculate(op, a.asInteger(), b.asInteger()));
    const double left = a.isFloat() ? a.asFloat() : static_cast<double>(a.asInteger());
    const double right = b.isFloat() ? b.asFloat() : static_cast<double>(b.asInteger());
    return Value(calculate(meter, op, left, right));
}

}  // namespace

double calculate(const Meter& meter, Arithmetic op, double a, double b) {
    switch (op) {
        case Arithmetic::Add: return meter.sum(a, b);
        case Arithmetic::Sub: return meter.sum(a, -b);
        case Arithmetic::Mul: return meter.product(a, b);
        case Arithmetic::Div: return meter.quotient(a, b);
    }
    return 0.0;
}

std::int64_t calculate(Arithmetic op, std::int64_t a, std::int64_t b) {
    const auto left = static_cast<std::uint64_t>(a);
    const auto right = static_cast<std::uint64_t>(b);
    switch (op) {
        case Arithmetic::Add: return static_cast<std::int64_t>(left + right);
        case Arithmetic::Sub: return static_cast<std::int64_t>(left - right);
        case Arithmetic::Mul: return static_cast<std::int64_t>(left * right);
        case Arithmetic::Div:
            if (b == 0) fail("an Integer is divided by zero");
            return b == -1 ? static_cast<std::int64_t>(0 - left) : a / b;
    }
    return 0;
}

Value combine(Meter& meter, Arithmetic op, const Value& a, const Value& b) {
    if (isCompound(a) && isCompound(b)) {
        return zip(meter, a, b, name(op), [&](const Value& x, const Value& y) { return combine(meter, op, x, y); });
    }
    if (isCompound(a)) return mapParts(meter, a, [&](const Value& x) { return combine(meter, op, x, b); });
    if (isCompound(b)) return mapParts(meter, b, [&](const Value& y) { return combine(meter, op, a, y); });
    return combineNumbers(meter, op, a, b);
}

Value accumulate(Meter& meter, const Value& a, const Value& b) {
    if (a.isFloat()) return Value(meter.sum(a.asFloat(), b.asFloat()));
    if (a.isInteger()) return Value(calculate(Arithmetic::Add, a.asInteger(), b.asInteger()));
    if (!isCompound(a)) return a;
    return zip(meter, a, b, "a sum", [&](const Value& x, const Value& y) { return accumulate(meter, x, y); });
}

Value addTangent(Meter& meter, const Value& x, const Value& dx) {
    if (x.isFloat()) return Value(meter.sum(x.asFloat(), dx.asFloat()));
    if (!isCompound(x)) return x;
    return zip(meter, x, dx, "ts_add", [&](const Value& p, const Value& dp) { return addTangent(meter, p, dp); });
}

Value scale(Meter& meter, double r, const Value& x) {
    if (x.isFloat()) return Value(meter.product(r, x.asFloat()));
    if (!isCompound(x)) return x;
    return mapParts(meter, x, [&](const Value& part) { return scale(meter, r, part); });
}

double dot(Meter& meter, const Value& a, const Value& b) {
    if (a.isFloat()) return meter.product(a.asFloat(), b.asFloat());
    if (!isCompound(a)) return 0.0;
    if (a.isTensor()) requireSameSizes(a.asTensor(), b.asTensor(), "an inner product");
    const auto& left = a.isTensor() ? a.asTensor().elements : a.asTuple().elements;
    const auto& right = a.isTensor() ? b.asTensor().elements : b.asTuple().elements;
    meter.spend(left.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < left.size(); ++i) sum = meter.sum(sum, dot(meter, left[i], right[i]));
    return sum;
}

bool equal(Meter& meter, const Value& a, const Value& b) {
    if (a.isFloat()) return a.asFloat() == b.asFloat();
    if (a.isInteger()) return a.asInteger() == b.asInteger();
    if (a.isBool()) return a.asBool() == b.asBool();
    if (a.isString()) return a.asString() == b.asString();
    if (a.isTensor() && a.asTensor().dims != b.asTensor().dims) return false;
    const auto& left = a.isTensor() ? a.asTensor().elements : a.asTuple().elements;
    const auto& right = a.isTensor() ? b.asTensor().elements : b.asTuple().elements;
    meter.spend(left.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!equal(meter, left[i], right[i])) return false;
    }
    return true;
}

Value zeroLike(Meter& meter, const Value& x) {
    if (x.isFloat()) return Value(0.0);
    if (x.isInteger()) return Value(std::int64_t{0});
    if (x.isBool()) return Value(false);
    if (x.isString()) return Value(std::string());
    if (!isCompound(x)) fail("a linear map has no zero that could be evaluated");
    return mapParts(meter, x, [&](const Value& part) { return zeroLike(meter, part); });
}

Value asTangent(Meter& meter, const Value& x) {
    if (x.isFloat()) return x;
    if (!isCompound(x)) return Value();
    return mapParts(meter, x, [&](const Value& part) { return asTangent(meter, part); });
}

Value zeroTangent(Meter& meter, const Value& x) { return zeroLike(meter, asTangent(meter, x)); }

Value someValue(Meter& meter, const ir::TypeTable& types, TypeId type) {
    switch (types.kind(type)) {
        case TypeKind::Float: return Value(0.0);
        case TypeKind::Integer: return Value(std::int64_t{0});
        case TypeKind::Bool: return Value(false);
        case TypeKind::String: return Value(std::string());
        case TypeKind::Tuple: {
            TupleValue tuple;
            for (const TypeId part : types.children(type)) tuple.elements.push_back(someValue(meter, types, part));
            return meter.tuple(std::move(tuple));
        }
        case TypeKind::Tensor: return meter.tensor(TensorValue{std::vector<std::int64_t>(types.rank(type), 0), {}});
        case TypeKind::Lambda:
        case TypeKind::LinearMap:
        case TypeKind::Array: break;
    }
    fail(fmt::format("there is no value of {} to evaluate", types.toString(type)));
}

bool hasTrivialShape(const ir::TypeTable& types, TypeId type) {
    if (types.isTensor(type)) return false;
    if (!types.isTuple(type)) return true;
    for (const TypeId part : types.children(type)) {
        if (!hasTrivialShape(types, part)) return false;
    }
    return true;
}

Value shapeOf(Meter& meter, const ir::TypeTable& types, TypeId type, const Value& x) {
    if (hasTrivialShape(types, type)) return {};
    if (types.isTensor(type)) {
        const TypeId element = types.element(type);
        if (hasTrivialShape(types, element)) return indexValue(meter, x.asTensor().dims);
        return mapTensor(meter, x.asTensor(), [&](const Value& e) { return shapeOf(meter, types, element, e); });
    }
    TupleValue shapes;
    for (std::size_t i = 0; i < types.children(type).size(); ++i) {
        shapes.elements.push_back(shapeOf(meter, types, types.children(type)[i], x.asTuple().elements[i]));
    }
    return meter.tuple(std::move(shapes));
}

Value zeroOfShape(Meter& meter, const ir::TypeTable& types, TypeId type, const Value& shape) {
    const auto wrong = [&] { fail(fmt::format("{} is not a shape of {}", toString(shape, 4), types.toString(type))); };
    if (hasTrivialShape(types, type)) {
        if (!shape.isTuple() || !shape.asTuple().elements.empty()) wrong();
        return someValue(meter, types, type);
    }
    if (types.isTensor(type)) {
        const TypeId element = types.element(type);
        if (!hasTrivialShape(types, element)) {
            if (!shape.isTensor() || shape.asTensor().dims.size() != types.rank(type)) wrong();
            return mapTensor(meter, shape.asTensor(),
                             [&](const Value& s) { return zeroOfShape(meter, types, element, s); });
        }
        if (shape.isTensor() && shape.asTensor().dims.size() == types.rank(type)) {
            // A tensor of that size determines the shape too: (constVec n (tuple)) is equivalent to n.
            return mapTensor(meter, shape.asTensor(),
                             [&](const Value& s) { return zeroOfShape(meter, types, element, s); });
        }
        const bool single = types.rank(type) == 1 && shape.isInteger();
        if (!single && (!shape.isTuple() || shape.asTuple().elements.size() != types.rank(type))) wrong();
        TensorValue zeros{indexOf(shape), {}};
        const auto count = static_cast<std::size_t>(elementCount(zeros.dims));
        meter.spend(count);
        const Meter::Reservation room(meter, count);
        zeros.elements.assign(count, someValue(meter, types, element));
        return meter.tensor(std::move(zeros));
    }
    const auto parts = types.children(type);
    if (!shape.isTuple() || shape.asTuple().elements.size() != parts.size()) wrong();
    TupleValue zeros;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        zeros.elements.push_back(zeroOfShape(meter, types, parts[i], shape.asTuple().elements[i]));
    }
    return meter.tuple(std::move(zeros));
}

Value mapTensor(Meter& meter, const TensorValue& tensor, absl::FunctionRef<Value(const Value&)> f) {
    meter.spend(tensor.elements.size());
    const Meter::Reservation room(meter, tensor.elements.size());
    TensorValue result{tensor.dims, {}};
    result.elements.reserve(tensor.elements.size());
    for (const Value& element : tensor.elements) result.elements.push_back(f(element));
    return meter.tensor(std::move(result));
}

Value mapTuple(Meter& meter, const TupleValue& tuple, absl::FunctionRef<Value(const Value&)> f) {
    TupleValue result;
    result.elements.reserve(tuple.elements.size());
    for (const Value& element : tuple.elements) result.elements.push_back(f(element));
    return meter.tuple(std::move(result));
}

Value indexValue(Meter& meter, const std::vector<std::int64_t>& index) {
    if (index.size() == 1) return Value(index[0]);
    TupleValue tuple;
    tuple.elements.reserve(index.size());
    for (const std::int64_t i : index) tuple.elements.emplace_back(i);
    return meter.tuple(std::move(tuple));
}

std::vector<std::int64_t> indexOf(const Value& index) {
    if (index.isInteger()) return {index.asInteger()};
    std::vector<std::int64_t> parts;
    for (const Value& part : index.asTuple().elements) parts.push_back(part.asInteger());
    return parts;
}

std::int64_t elementCount(const std::vector<std::int64_t>& dims) {
    constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max() / 2;
    std::int64_t count = 1;
    for (const std::int64_t d : dims) {
        if (d < 0) fail(fmt::format("the size {} is negative", d));
        if (d > 0 && count > Most / d) throw Failure{ErrorCode::Limit, "a tensor is too large: " + sizesText(dims), {}};
        count *= d;
    }
    return count;
}

std::int64_t offsetOf(const std::vector<std::int64_t>& dims, const Value& index) {
    if (index.isInteger()) return index.asInteger() >= 0 && index.asInteger() < dims[0] ? index.asInteger() : -1;
    const auto& parts = index.asTuple().elements;
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        const std::int64_t i = parts[d].asInteger();
        if (i < 0 || i >= dims[d]) return -1;
        offset = offset * dims[d] + i;
    }
    return offset;
}

std::string sizesText(const std::vector<std::int64_t>& dims) {
    std::string text;
    for (const std::int64_t d : dims) text += fmt::format("{}{}", text.empty() ? "" : " x ", d);
    return text;
}

}  // namespace mitos::eval
