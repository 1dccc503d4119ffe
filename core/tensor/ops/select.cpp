// SPDX-License-Identifier: GPL-3.0-or-later
// Elements selected by values; their number is known only when the program runs.
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/sized.h"
#include "core/tensor/onnx_hooks.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::Dtype;

// --- NonZero ----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> nonZeroShape(const ShapeInput& in) {
    ArrayType result = sizedType(in, Dtype::I64);
    const std::size_t rank = in.inputs[0].rank();
    const bool fits =
        result.rank() == 2 &&
        (!in.inputs[0].hasRank || mayBeEqual(result.dimensions[0], Dimension::of(static_cast<std::int64_t>(rank))));
    if (!fits) return shapeError(fmt::format("NonZero: a row for each of {} axes, and a column for each place", rank));
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> nonZero(const EvaluateInput& in) {
    const Array& x = *in.inputs[0];
    const Shape steps = strides(x.shape);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < x.elements.size(); ++i) {
        if (x.elements[i] != 0.0) places.push_back(i);
    }
    auto result = std::make_shared<Array>();
    result->dtype = Dtype::I64;
    result->shape = {static_cast<std::int64_t>(x.shape.size()), static_cast<std::int64_t>(places.size())};
    for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
        for (const std::size_t place : places)
            result->elements.push_back(
                static_cast<double>(static_cast<std::int64_t>(place) / steps[axis] % x.shape[axis]));
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

/// Imports a node with these sizes as its attribute.
Result<Imported> withSizes(const Operator& op, const OnnxNode& node, const OnnxContext& context,
                           const std::vector<Dimension>& sizes) {
    OnnxNode sized = node;
    MITOS_TRY(std::vector<std::string> names, sizeNames(sizes, context.symbols()));
    sized.attributes.insert_or_assign("sizes", std::move(names));
    return importPlainly(op, sized);
}

Result<Imported> importNonZero(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType x, rankedInput(node, context, 0));
    return withSizes(op, node, context,
                     {Dimension::of(static_cast<std::int64_t>(x.rank())), newSize(node, 0, 1, context.symbols())});
}

// --- Compress ---------------------------------------------------------------------------------------------------------

/// The axis that means, in terms, all elements as one axis.
constexpr std::int64_t Flat = -1;

Result<std::vector<ArrayType>> compressShape(const ShapeInput& in) {
    const std::int64_t axis = in.attributes.integer("axis");
    ArrayType result = sizedType(in, in.inputs[0].dtype);
    if (in.inputs[1].dtype != Dtype::Bool && in.inputs[1].dtype != Dtype::Unknown)
        return shapeError("Compress takes a condition of bools");
    if (!in.inputs[0].hasRank) return std::vector<ArrayType>{std::move(result)};
    if (axis != Flat) MITOS_REQUIRE(checkAxis(in, axis, in.inputs[0].rank()));
    if (result.rank() != (axis == Flat ? 1 : in.inputs[0].rank()))
        return shapeError(fmt::format("Compress: a result of rank {}", result.rank()));
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> compress(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    const std::int64_t given = in.attributes.integer("axis");
    Shape shape = given == Flat ? Shape{elementCount(data.shape)} : data.shape;
    const auto axis = static_cast<std::size_t>(given == Flat ? 0 : given);
    const std::int64_t before = elementCount(std::span(shape).first(axis));
    const std::int64_t behind = elementCount(std::span(shape).subspan(axis + 1));
    std::vector<std::int64_t> places;
    const std::vector<double>& condition = in.inputs[1]->elements;
    for (std::size_t i = 0; i < condition.size(); ++i) {
        if (condition[i] == 0.0) continue;
        if (static_cast<std::int64_t>(i) >= shape[axis])
            return shapeError("Compress: a condition longer than its axis");
        places.push_back(static_cast<std::int64_t>(i));
    }
    auto result = std::make_shared<Array>();
    result->dtype = data.dtype;
    for (std::int64_t outer = 0; outer < before; ++outer) {
        for (const std::int64_t place : places) {
            const auto from = data.elements.begin() + (outer * shape[axis] + place) * behind;
            result->elements.insert(result->elements.end(), from, from + behind);
        }
    }
    shape[axis] = static_cast<std::int64_t>(places.size());
    result->shape = std::move(shape);
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importCompress(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    if (!node.attributes.contains("axis"))
        return withSizes(op, node, context, {newSize(node, 0, 0, context.symbols())});
    MITOS_TRY(const std::int64_t axis, normalizedAxis(integerOf(node, "axis", 0), data.rank()));
    OnnxNode counted = node;
    counted.attributes.insert_or_assign("axis", axis);
    std::vector<Dimension> sizes = data.dimensions;
    sizes[static_cast<std::size_t>(axis)] = newSize(node, 0, static_cast<std::size_t>(axis), context.symbols());
    return withSizes(op, counted, context, sizes);
}

Exported exportCompress(const Attributes& attributes, std::span<const ArrayType> inputs) {
    Exported result = exportSized(attributes, inputs);
    if (attributes.integer("axis") == Flat) result.attributes.erase("axis");
    return result;
}

// --- ReverseSequence --------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> reverseShape(const ShapeInput& in) {
    const std::int64_t time = in.attributes.integer("time_axis");
    const std::int64_t batch = in.attributes.integer("batch_axis");
    const bool areAxes = (time == 0 && batch == 1) || (time == 1 && batch == 0);
    if (!areAxes || (in.inputs[0].hasRank && in.inputs[0].rank() < 2))
        return shapeError("ReverseSequence takes sequences along axis 0 of a batch along axis 1, or the other way");
    return std::vector<ArrayType>{in.inputs[0]};
}

Result<std::vector<ArrayPtr>> reverseSequence(const EvaluateInput& in) {
    const Array& x = *in.inputs[0];
    auto result = std::make_shared<Array>(x);
    const bool isTimeFirst = in.attributes.integer("time_axis") == 0;
    const std::int64_t steps = x.shape[isTimeFirst ? 0 : 1];
    const std::int64_t batch = x.shape[isTimeFirst ? 1 : 0];
    const std::int64_t behind = elementCount(std::span(x.shape).subspan(2));
    if (static_cast<std::int64_t>(in.inputs[1]->elements.size()) != batch)
        return shapeError("ReverseSequence takes a length for each sequence");
    for (std::int64_t b = 0; b < batch; ++b) {
        const std::int64_t length = wholeNumber(in.inputs[1]->elements[static_cast<std::size_t>(b)]);
        if (length < 0 || length > steps)
            return shapeError(fmt::format("a sequence has {} of {} steps", length, steps));
        const auto at = [&](std::int64_t t) { return (isTimeFirst ? t * batch + b : b * steps + t) * behind; };
        for (std::int64_t t = 0; t < length; ++t)
            std::copy_n(x.elements.begin() + at(t), behind, result->elements.begin() + at(length - 1 - t));
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

/// The same sequences of the cotangent, reversed again.
std::vector<ir::TermId> reverseGradient(const GradientInput& in) {
    return {in.make.node("ReverseSequence", {in.cotangents[0], in.inputs[1]},
                         {{"time_axis", in.attributes.integer("time_axis")},
                          {"batch_axis", in.attributes.integer("batch_axis")}}),
            {}};
}

}  // namespace

void addSelections(std::vector<Operator>& table) {
    table.push_back({.name = "NonZero",
                     .doc = "where an array is not 0: a column of indices for each such place",
                     .inputs = {{.name = "X"}},
                     .attributes = {sizesAttribute()},
                     .shape = nonZeroShape,
                     .evaluate = nonZero,
                     .onnx = {.import = importNonZero, .exportNode = exportSized}});
    table.push_back({.name = "Compress",
                     .doc = "the slices along an axis for which a condition holds",
                     .inputs = {{.name = "input"}, {.name = "condition"}},
                     .attributes = {integerAttribute("axis", "-1", "-1: all elements are one axis"), sizesAttribute()},
                     .shape = compressShape,
                     .evaluate = compress,
                     .work = movement,
                     .traits = {.mayFail = true},
                     .onnx = {.import = importCompress, .exportNode = exportCompress}});
    table.push_back({.name = "ReverseSequence",
                     .doc = "the first elements of each sequence of a batch, in reverse order",
                     .inputs = {{.name = "input"}, {.name = "sequence_lens"}},
                     .attributes = {integerAttribute("time_axis", "0", "of the sequences"),
                                    integerAttribute("batch_axis", "1", "the other one")},
                     .shape = reverseShape,
                     .evaluate = reverseSequence,
                     .work = movement,
                     .traits = {.mayFail = true},
                     .gradient = {.rule = reverseGradient}});
}

}  // namespace mitos::tensor
