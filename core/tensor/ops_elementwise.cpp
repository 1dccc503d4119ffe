// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that work element by element, with NumPy's broadcasting.
#include "core/tensor/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::tensor {

namespace {

using ir::Dimension;

/// Where an input's dimensions lie in an output's: 0 for those that are repeated.
Shape broadcastStrides(const Shape& input, std::size_t rank) {
    const Shape own = strides(input);
    Shape result(rank, 0);
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (input[i] != 1) result[rank - input.size() + i] = own[i];
    }
    return result;
}

Shape broadcastShapes(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::int64_t left = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t right = i < b.size() ? b[b.size() - 1 - i] : 1;
        result[result.size() - 1 - i] = left == 1 ? right : left;
    }
    return result;
}

template <double (*Function)(double)>
Result<std::vector<ArrayPtr>> evaluateUnary(const EvaluateInput& in) {
    auto result = std::make_shared<Array>(*in.inputs[0]);
    for (double& element : result->elements) element = Function(element);
    return std::vector<ArrayPtr>{std::move(result)};
}

template <double (*Function)(double, double)>
Result<std::vector<ArrayPtr>> evaluateBinary(const EvaluateInput& in) {
    const Array& a = *in.inputs[0];
    const Array& b = *in.inputs[1];
    auto result = std::make_shared<Array>();
    result->dtype = a.dtype;
    result->shape = broadcastShapes(a.shape, b.shape);
    result->elements.resize(static_cast<std::size_t>(elementCount(result->shape)));
    const std::size_t rank = result->shape.size();
    const Shape left = broadcastStrides(a.shape, rank);
    const Shape right = broadcastStrides(b.shape, rank);
    Shape index(rank, 0);
    std::int64_t atLeft = 0;
    std::int64_t atRight = 0;
    for (double& element : result->elements) {
        element = Function(a.elements[static_cast<std::size_t>(atLeft)], b.elements[static_cast<std::size_t>(atRight)]);
        for (std::size_t d = rank; d-- > 0;) {
            atLeft += left[d];
            atRight += right[d];
            if (++index[d] < result->shape[d]) break;
            atLeft -= left[d] * result->shape[d];
            atRight -= right[d] * result->shape[d];
            index[d] = 0;
        }
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<std::vector<ArrayType>> sameAsInput(const ShapeInput& in) { return std::vector<ArrayType>{in.inputs[0]}; }

Result<std::vector<ArrayType>> broadcastInputs(const ShapeInput& in) {
    const ArrayType& a = in.inputs[0];
    const ArrayType& b = in.inputs[1];
    if (a.dtype != b.dtype) {
        return shapeError(fmt::format("{} takes two arrays of one element type; found {} and {}", in.op.name,
                                      ir::dtypeName(a.dtype), ir::dtypeName(b.dtype)));
    }
    if (!a.hasRank || !b.hasRank) return std::vector<ArrayType>{{.dtype = a.dtype, .hasRank = false}};
    Result<std::vector<Dimension>> dimensions = broadcast(a.dimensions, b.dimensions, in.symbols);
    if (!dimensions) return std::move(dimensions).error();
    return std::vector<ArrayType>{{.dtype = a.dtype, .dimensions = *std::move(dimensions)}};
}

double add(double a, double b) { return a + b; }
double mul(double a, double b) { return a * b; }
double relu(double a) { return a > 0 || std::isnan(a) ? a : 0.0; }

Operator unary(std::string name, std::string doc, Evaluate evaluate) {
    return {.name = std::move(name),
            .doc = std::move(doc),
            .inputs = {{.name = "X"}},
            .shape = sameAsInput,
            .evaluate = evaluate,
            .traits = {.pointwise = true}};
}

Operator binary(std::string name, std::string doc, Evaluate evaluate, bool commutative) {
    return {.name = std::move(name),
            .doc = std::move(doc),
            .inputs = {{.name = "A"}, {.name = "B"}},
            .shape = broadcastInputs,
            .evaluate = evaluate,
            .traits = {.commutative = commutative, .pointwise = true}};
}

}  // namespace

Error shapeError(std::string message) { return Error{ErrorCode::Parse, std::move(message), std::nullopt, {}, {}}; }

Result<std::vector<Dimension>> broadcast(std::span<const Dimension> a, std::span<const Dimension> b,
                                         const SymbolTable& symbols) {
    std::vector<Dimension> result(std::max(a.size(), b.size()));
    const auto text = [&symbols](Dimension d) {
        return d.isKnown() ? fmt::format("{}", d.size) : std::string(symbols.text(d.name));
    };
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Dimension left = i < a.size() ? a[a.size() - 1 - i] : Dimension::of(1);
        const Dimension right = i < b.size() ? b[b.size() - 1 - i] : Dimension::of(1);
        Dimension& out = result[result.size() - 1 - i];
        if (left == right || right == Dimension::of(1))
            out = left;
        else if (left == Dimension::of(1))
            out = right;
        else if (!left.isKnown() && right.isKnown())
            out = right;  // the name must stand for 1 or for that size
        else if (left.isKnown() && !right.isKnown())
            out = left;
        else
            return shapeError(fmt::format("sizes {} and {} do not broadcast", text(left), text(right)));
    }
    return result;
}

void addElementwise(std::vector<Operator>& table) {
    table.push_back(binary("Add", "sum, element by element", evaluateBinary<add>, true));
    table.push_back(binary("Mul", "product, element by element", evaluateBinary<mul>, true));
    table.push_back(unary("Relu", "negative elements become 0", evaluateUnary<relu>));
}

}  // namespace mitos::tensor
