// SPDX-License-Identifier: GPL-3.0-or-later
// Conversions between floating-point numbers and Integers that represent them: x = (q - zero point) * scale.
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::Dtype;

/// The least and the largest Integer that represents a number.
std::pair<double, double> rangeOf(Dtype dtype) {
    return dtype == Dtype::U8 ? std::pair(0.0, 255.0) : std::pair(-128.0, 127.0);
}

bool isQuantized(Dtype dtype) { return dtype == Dtype::U8 || dtype == Dtype::I8; }

/// Fails unless there is one scale for all elements, or one for each position along the axis.
Status checkScale(const ShapeInput& in, std::size_t input) {
    if (!in.isPresent(input)) return Success{};
    const ArrayType& scale = in.inputs[input];
    if (!scale.hasRank || scale.rank() == 0 || !in.inputs[0].hasRank) return Success{};
    const bool isOne = scale.rank() == 1 && scale.dimensions[0] == Dimension::of(1);
    if (isOne) return Success{};
    const std::int64_t axis = in.attributes.integer("axis");
    MITOS_REQUIRE(checkAxis(in, axis, in.inputs[0].rank()));
    if (scale.rank() == 1 && mayBeEqual(scale.dimensions[0], in.inputs[0].dimensions[static_cast<std::size_t>(axis)]))
        return Success{};
    return shapeError(fmt::format("{}: {} has one number for all, or one for each place along axis {}", in.op.name,
                                  in.op.inputs[input].name, axis));
}

Result<std::vector<ArrayType>> quantizeShape(const ShapeInput& in) {
    const Dtype to = in.isPresent(2) ? in.inputs[2].dtype : Dtype::U8;
    if (to != Dtype::Unknown && !isQuantized(to))
        return shapeError(fmt::format("{} makes u8 or i8, not {}", in.op.name, ir::dtypeName(to)));
    for (const std::size_t input : {1U, 2U}) MITOS_REQUIRE(checkScale(in, input));
    ArrayType result = in.inputs[0];
    result.dtype = to;
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayType>> dequantizeShape(const ShapeInput& in) {
    const Dtype from = in.inputs[0].dtype;
    if (!isQuantized(from) && from != Dtype::I32 && from != Dtype::Unknown)
        return shapeError(fmt::format("{} takes u8, i8 or i32; found {}", in.op.name, ir::dtypeName(from)));
    if (in.isPresent(2) && in.inputs[2].dtype != from)
        return shapeError(fmt::format("{}: x and its zero point are of two types", in.op.name));
    for (const std::size_t input : {1U, 2U}) MITOS_REQUIRE(checkScale(in, input));
    ArrayType result = in.inputs[0];
    result.dtype = in.inputs[1].dtype;
    return std::vector<ArrayType>{std::move(result)};
}

/// Calls f(element, scale, zero point) for every element.
template <typename Function>
Result<std::vector<ArrayPtr>> mapScaled(const EvaluateInput& in, Function function) {
    const Array& x = *in.inputs[0];
    const std::shared_ptr<Array> result = blank(in.outputs[0]);
    const Array& scale = *in.inputs[1];
    const bool hasZero = in.inputs.size() > 2 && in.inputs[2] != nullptr;
    const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
    const bool isOne = scale.elements.size() == 1 || axis >= x.shape.size();
    const std::int64_t behind = isOne ? 1 : elementCount(std::span(x.shape).subspan(axis + 1));
    for (std::size_t i = 0; i < x.elements.size(); ++i) {
        const auto place =
            isOne ? std::size_t{0} : static_cast<std::size_t>(static_cast<std::int64_t>(i) / behind % x.shape[axis]);
        const double zero = hasZero ? in.inputs[2]->elements[std::min(place, in.inputs[2]->elements.size() - 1)] : 0.0;
        result->elements[i] = function(x.elements[i], scale.elements[place], zero);
    }
    return std::vector<ArrayPtr>{result};
}

/// The quantized number, rounded to the nearest, with halves rounded to even.
double quantized(double x, double scale, double zero, Dtype to) {
    const auto [least, largest] = rangeOf(to);
    // Computed in 32 bits as in the standard: near a half, the rounding of the quotient decides.
    const double q = std::nearbyint(static_cast<float>(x) / static_cast<float>(scale)) + zero;
    return std::isnan(q) ? 0.0 : std::clamp(q, least, largest);
}

Result<std::vector<ArrayPtr>> quantize(const EvaluateInput& in) {
    const Dtype to = in.outputs[0].dtype;
    return mapScaled(in, [to](double x, double scale, double zero) { return quantized(x, scale, zero, to); });
}

Result<std::vector<ArrayPtr>> dequantize(const EvaluateInput& in) {
    return mapScaled(in, [](double q, double scale, double zero) { return (q - zero) * scale; });
}

Result<std::vector<ArrayType>> dynamicQuantizeShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    std::vector<ArrayType> types(3, in.inputs[0]);
    types[0].dtype = Dtype::U8;
    types[1] = {.dtype = in.inputs[0].dtype};
    types[2] = {.dtype = Dtype::U8};
    return types;
}

/// Maps the range of all elements and 0 to that of u8.
Result<std::vector<ArrayPtr>> dynamicQuantize(const EvaluateInput& in) {
    double least = 0.0;
    double largest = 0.0;
    for (const double x : in.inputs[0]->elements) {
        least = std::min(least, x);
        largest = std::max(largest, x);
    }
    const double scale = largest > least ? static_cast<float>((largest - least) / 255.0) : 1.0;
    const double zero = std::clamp(std::nearbyint(-least / scale), 0.0, 255.0);
    std::vector<std::shared_ptr<Array>> results;
    for (const ArrayType& type : in.outputs) results.push_back(blank(type));
    for (std::size_t i = 0; i < in.inputs[0]->elements.size(); ++i)
        results[0]->elements[i] = quantized(in.inputs[0]->elements[i], scale, zero, Dtype::U8);
    results[1]->elements[0] = scale;
    results[2]->elements[0] = zero;
    return std::vector<ArrayPtr>(results.begin(), results.end());
}

/// With one scale the axis has no effect; else it counts from 0.
Result<Imported> importScaled(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    Attributes attributes(op);
    MITOS_TRY(const ArrayType scale, rankedInput(node, context, 1));
    const bool isOne = scale.rank() == 0 || (scale.rank() == 1 && scale.dimensions[0] == Dimension::of(1));
    if (!isOne) {
        MITOS_TRY(const ArrayType x, rankedInput(node, context, 0));
        MITOS_TRY(const std::int64_t axis, normalizedAxis(integerOf(node, "axis", 1), x.rank()));
        attributes.set("axis", axis);
    }
    return Imported{.attributes = std::move(attributes), .inputs = firstInputs(node, 3)};
}

}  // namespace

void addQuantization(std::vector<Operator>& table) {
    const AttributeInfo axis = integerAttribute("axis", "1", "of the scales, where there are several");
    table.push_back({.name = "QuantizeLinear",
                     .doc = "the Integers of 8 bits that stand for numbers",
                     .inputs = {{.name = "x"}, {.name = "y_scale"}, {"y_zero_point", InputInfo::Kind::Optional}},
                     .attributes = {axis},
                     .shape = quantizeShape,
                     .evaluate = quantize,
                     .work = workPerElement<3>,
                     .onnx = {.import = importScaled}});
    table.push_back({.name = "DequantizeLinear",
                     .doc = "the numbers that Integers of 8 bits stand for",
                     .inputs = {{.name = "x"}, {.name = "x_scale"}, {"x_zero_point", InputInfo::Kind::Optional}},
                     .attributes = {axis},
                     .shape = dequantizeShape,
                     .evaluate = dequantize,
                     .work = workPerElement<2>,
                     .onnx = {.import = importScaled}});
    table.push_back({.name = "DynamicQuantizeLinear",
                     .doc = "Integers of 8 bits for the range of the input's numbers, with scale and zero point",
                     .inputs = {{.name = "x"}},
                     .shape = dynamicQuantizeShape,
                     .evaluate = dynamicQuantize,
                     .work = workPerElement<5>});
}

}  // namespace mitos::tensor
