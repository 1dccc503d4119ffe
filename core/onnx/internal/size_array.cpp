// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/size_array.h"

#include "core/onnx/internal/tensor_proto.h"
#include "core/tensor/evaluate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace mitos::onnx {

namespace {

using tensor::Array;
using tensor::ArrayPtr;
using tensor::ArrayType;
using tensor::Attributes;
using tensor::Operator;
using tensor::SizeExpression;
using FoundSizes = std::optional<std::vector<SizeArray>>;

/// The most elements of an array, since shapes are short.
constexpr std::size_t MostSizes = 256;

ArrayPtr integers(ir::Dtype dtype, tensor::Shape shape, std::vector<double> elements) {
    return std::make_shared<Array>(Array{dtype, std::move(shape), std::move(elements)});
}

/// Whether an Integer type (Bool: 0 and 1) has that number.
bool isInRange(ir::Dtype dtype, std::int64_t value) {
    using ir::Dtype;
    switch (dtype) {
        case Dtype::I8: return std::in_range<std::int8_t>(value);
        case Dtype::I16: return std::in_range<std::int16_t>(value);
        case Dtype::I32: return std::in_range<std::int32_t>(value);
        case Dtype::I64: return true;
        case Dtype::U8: return std::in_range<std::uint8_t>(value);
        case Dtype::U16: return std::in_range<std::uint16_t>(value);
        case Dtype::U32: return std::in_range<std::uint32_t>(value);
        case Dtype::U64: return value >= 0;
        case Dtype::Bool: return value == 0 || value == 1;
        default: return false;
    }
}

// --- operators that only move elements: tried on the numbers of the elements --------------------------------------------

/// An operator that moves elements: which inputs are moved, one bit each; the others give positions and must be numbers.
struct Mover {
    std::string_view name;
    unsigned moved = 1;
};
constexpr unsigned AllMoved = ~0U;
constexpr std::array Movers{Mover{"Identity"},
                            Mover{"Gather"},
                            Mover{"GatherElements"},
                            Mover{"GatherND"},
                            Mover{"Slice"},
                            Mover{"Squeeze"},
                            Mover{"Unsqueeze"},
                            Mover{"Reshape"},
                            Mover{"Flatten"},
                            Mover{"Expand"},
                            Mover{"Tile"},
                            Mover{"Transpose"},
                            Mover{"Split"},
                            Mover{"Cast"},
                            Mover{"Concat", AllMoved},
                            Mover{"Where", 0b110},
                            Mover{"ScatterND", 0b101}};

FoundSizes moved(const Mover& mover, const Operator& op, const Attributes& attributes,
                 std::span<const SizeArray* const> inputs) {
    if (op.name == "ScatterND" && attributes.word("reduction") != "none") return std::nullopt;
    ir::Dtype dtype = ir::Dtype::I64;
    std::vector<SizeExpression> elements;
    std::vector<ArrayPtr> arrays;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == nullptr) return std::nullopt;
        const bool isMoved = (mover.moved >> std::min<std::size_t>(i, 31) & 1U) != 0;
        if (!isMoved) {
            arrays.push_back(inputs[i]->numbers());
            if (!arrays.back()) return std::nullopt;
            continue;
        }
        dtype = inputs[i]->dtype;
        std::vector<double> places;
        for (const SizeExpression& element : inputs[i]->elements) {
            places.push_back(static_cast<double>(elements.size()));
            elements.push_back(element);
        }
        arrays.push_back(integers(ir::Dtype::I64, inputs[i]->shape, std::move(places)));
    }
    if (op.name == "Cast") {
        const std::optional<ir::Dtype> to = ir::dtypeFromName(attributes.word("to"));
        if (to != ir::Dtype::I64 && to != ir::Dtype::I32) return std::nullopt;
        // Sizes that would wrap around in 32 bits are not converted.
        const auto isWide = [to](const SizeExpression& element) {
            const std::optional<std::int64_t> number = element.number();
            return number && !isInRange(*to, *number);
        };
        if (std::ranges::any_of(elements, isWide)) return std::nullopt;
        dtype = *to;
    }
    const auto results = tensor::apply(op, attributes, arrays, {.stop = {}, .maxElements = MostSizes});
    if (!results) return std::nullopt;
    std::vector<SizeArray> found;
    for (const ArrayPtr& result : *results) {
        found.push_back({.dtype = dtype, .shape = result->shape, .elements = {}});
        for (const double place : result->elements) {
            found.back().elements.push_back(elements[static_cast<std::size_t>(place)]);
        }
    }
    return found;
}

// --- arithmetic -------------------------------------------------------------------------------------------------------

using Element = std::optional<SizeExpression>;

/// Whether a < b; nullopt if that does not follow.
std::optional<bool> isLess(const SizeExpression& a, const SizeExpression& b) {
    if ((b - a - 1).isNeverNegative()) return true;
    if ((a - b).isNeverNegative()) return false;
    return std::nullopt;
}

std::optional<bool> isEqual(const SizeExpression& a, const SizeExpression& b) {
    if (a == b) return true;
    if (isLess(a, b).value_or(false) || isLess(b, a).value_or(false)) return false;
    return std::nullopt;
}

Element truth(std::optional<bool> is) { return is ? Element(SizeExpression(*is ? 1 : 0)) : std::nullopt; }

std::optional<bool> isNot(std::optional<bool> is) { return is ? std::optional(!*is) : std::nullopt; }

Element quotient(const SizeExpression& a, const SizeExpression& b) {
    if (b == SizeExpression(0)) return std::nullopt;
    if (a.number() && b.number()) {
        const bool isBeyond = *b.number() == -1 && *a.number() == std::numeric_limits<std::int64_t>::min();
        return isBeyond ? std::nullopt : Element(*a.number() / *b.number());  // truncated, as in ONNX
    }
    // Neither operand is negative, so rounding down is the same as truncating.
    return a.isNeverNegative() && b.isNeverNegative() ? Element(a / b) : std::nullopt;
}

/// Whether a sum, difference or product of two numbers exceeds int64, where expressions saturate and ONNX wraps
/// around.
bool isBeyond(std::string_view op, const SizeExpression& a, const SizeExpression& b) {
    if (!a.number() || !b.number()) return false;
    std::int64_t result = 0;
    if (op == "Add") return __builtin_add_overflow(*a.number(), *b.number(), &result);
    if (op == "Sub") return __builtin_sub_overflow(*a.number(), *b.number(), &result);
    return op == "Mul" && __builtin_mul_overflow(*a.number(), *b.number(), &result);
}

Element computed(std::string_view op, const SizeExpression& a, const SizeExpression& b) {
    if (isBeyond(op, a, b)) return std::nullopt;
    if (op == "Add") return a + b;
    if (op == "Sub") return a - b;
    if (op == "Mul") return a * b;
    if (op == "Div") return quotient(a, b);
    if (op == "Equal") return truth(isEqual(a, b));
    if (op == "Less") return truth(isLess(a, b));
    if (op == "Greater") return truth(isLess(b, a));
    if (op == "LessOrEqual") return truth(isNot(isLess(b, a)));
    if (op == "GreaterOrEqual") return truth(isNot(isLess(a, b)));
    if (op != "Max" && op != "Min") return std::nullopt;
    const std::optional<bool> less = isLess(a, b);
    if (!less) return std::nullopt;
    return (op == "Max") == *less ? b : a;
}

bool isComparison(std::string_view op) { return op == "Equal" || op.starts_with("Less") || op.starts_with("Greater"); }

/// The result of an operation in that element type; nullopt if it is a number that the type does not hold, which wraps around.
Element computedAs(ir::Dtype dtype, std::string_view op, const SizeExpression& a, const SizeExpression& b) {
    Element element = computed(op, a, b);
    const std::optional<std::int64_t> number = element ? element->number() : std::nullopt;
    const bool isHeld = !number || isInRange(dtype, *number);
    return isHeld ? std::move(element) : std::nullopt;
}

/// Applies an operation element by element; an array of one element broadcasts to any other.
FoundSizes binary(std::string_view op, const SizeArray& a, const SizeArray& b) {
    const bool isOneA = a.elements.size() == 1 && a.shape.size() <= b.shape.size();
    const bool isOneB = b.elements.size() == 1 && b.shape.size() <= a.shape.size();
    if (a.shape != b.shape && !isOneA && !isOneB) return std::nullopt;
    const SizeArray& wide = isOneB ? a : b;
    SizeArray result{.dtype = isComparison(op) ? ir::Dtype::Bool : a.dtype, .shape = wide.shape, .elements = {}};
    for (std::size_t i = 0; i < wide.elements.size(); ++i) {
        Element element = computedAs(result.dtype, op, a.elements[a.elements.size() == 1 ? 0 : i],
                                     b.elements[b.elements.size() == 1 ? 0 : i]);
        if (!element) return std::nullopt;
        result.elements.push_back(*std::move(element));
    }
    return std::vector{std::move(result)};
}

/// The sum, or the product, of all elements of an array of rank 1.
FoundSizes reduced(const Operator& op, const Attributes& attributes, const SizeArray& x) {
    if (x.shape.size() != 1 || attributes.integers("axes") != std::vector<std::int64_t>{0}) return std::nullopt;
    const bool isSum = op.name == "ReduceSum";
    SizeExpression result(isSum ? 0 : 1);
    for (const SizeExpression& element : x.elements) {
        Element next = computedAs(x.dtype, isSum ? "Add" : "Mul", result, element);
        if (!next) return std::nullopt;
        result = *std::move(next);
    }
    return std::vector<SizeArray>{{.dtype = x.dtype,
                                   .shape = attributes.boolean("keepdims") ? tensor::Shape{1} : tensor::Shape(),
                                   .elements = {std::move(result)}}};
}

FoundSizes sizesOf(const Operator& op, const Attributes& attributes, const ArrayType& type,
                   const SymbolTable& symbols) {
    if (!type.hasRank) return std::nullopt;
    if (op.name == "Size") return std::vector<SizeArray>{{.elements = {tensor::product(type.dimensions, symbols)}}};
    SizeArray result;
    for (std::int64_t i = attributes.integer("start"); i < attributes.integer("end"); ++i) {
        result.elements.emplace_back(type.dimensions[static_cast<std::size_t>(i)], symbols);
    }
    result.shape = {static_cast<std::int64_t>(result.elements.size())};
    return std::vector{std::move(result)};
}

}  // namespace

ArrayPtr SizeArray::numbers() const {
    std::vector<double> values;
    for (const SizeExpression& element : elements) {
        const std::optional<std::int64_t> number = element.number();
        if (!number) return nullptr;
        values.push_back(static_cast<double>(*number));
    }
    return integers(dtype, shape, std::move(values));
}

std::optional<tensor::WeightData> SizeArray::data() const {
    if (dtype != ir::Dtype::I64) {
        ArrayPtr array = numbers();
        if (!array || !tensor::isExact(*array)) return std::nullopt;
        return tensor::WeightData::of(std::move(array));
    }
    std::vector<std::int64_t> values;
    for (const SizeExpression& element : elements) {
        const std::optional<std::int64_t> number = element.number();
        if (!number) return std::nullopt;
        values.push_back(*number);
    }
    return integerData(shape, values);
}

FoundSizes sizesMadeBy(const Operator& op, const Attributes& attributes, std::span<const SizeArray* const> inputs,
                       std::span<const ArrayType> types, SymbolTable& symbols) {
    if (op.name == "Shape" || op.name == "Size") return sizesOf(op, attributes, types[0], symbols);
    std::size_t elements = 0;
    for (const SizeArray* const input : inputs) elements += input != nullptr ? input->elements.size() : 0;
    if (elements > MostSizes) return std::nullopt;
    const auto* const mover = std::ranges::find(Movers, op.name, &Mover::name);
    if (mover != Movers.end()) return moved(*mover, op, attributes, inputs);
    if (std::ranges::find(inputs, nullptr) != inputs.end()) return std::nullopt;
    if (inputs.size() == 1 && (op.name == "ReduceProd" || op.name == "ReduceSum")) {
        return reduced(op, attributes, *inputs[0]);
    }
    if (inputs.size() == 1 && op.name == "Neg") {
        return binary("Sub", SizeArray{.dtype = inputs[0]->dtype, .elements = {0}}, *inputs[0]);
    }
    return inputs.size() == 2 ? binary(op.name, *inputs[0], *inputs[1]) : std::nullopt;
}

}  // namespace mitos::onnx
