// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays made of sizes, numbers and positions.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/sized.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::Dtype;

std::shared_ptr<Array> zeros(const EvaluateInput& in) {
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    return result;
}

/// The work if only the type of the input is used.
Work typeOnly(const ShapeInput& /*in*/, std::span<const ArrayType> outputs) {
    return {.writtenBytes = bytes(outputs[0])};
}

// --- Shape, Size ------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> shapeShape(const ShapeInput& in) {
    const std::int64_t start = in.attributes.integer("start");
    const std::int64_t end = in.attributes.integer("end");
    if (start < 0 || end < start || (in.inputs[0].hasRank && end > static_cast<std::int64_t>(in.inputs[0].rank()))) {
        return shapeError(fmt::format("Shape: there are no sizes from {} to {}", start, end));
    }
    return std::vector<ArrayType>{{.dtype = Dtype::I64, .dimensions = {Dimension::of(end - start)}}};
}

Result<std::vector<ArrayPtr>> shapeEvaluate(const EvaluateInput& in) {
    std::shared_ptr<Array> result = zeros(in);
    const auto first = in.inputs[0]->shape.begin() + in.attributes.integer("start");
    std::copy_n(first, result->elements.size(), result->elements.begin());
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importShape(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    const auto rank = static_cast<std::int64_t>(data.rank());
    const auto bound = [&](std::string_view name, std::int64_t otherwise) {
        const std::int64_t given = integerOf(node, name, otherwise);
        return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
    };
    Attributes attributes(op);
    const std::int64_t start = bound("start", 0);
    attributes.set("start", start).set("end", std::max(start, bound("end", rank)));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Result<std::vector<ArrayType>> sizeShape(const ShapeInput& /*in*/) {
    return std::vector<ArrayType>{{.dtype = Dtype::I64}};
}

Result<std::vector<ArrayPtr>> sizeEvaluate(const EvaluateInput& in) {
    std::shared_ptr<Array> result = zeros(in);
    result->elements[0] = static_cast<double>(elementCount(in.inputs[0]->shape));
    return std::vector<ArrayPtr>{std::move(result)};
}

// --- Range ------------------------------------------------------------------------------------------------------------

/// The number of elements depends on the inputs' values.
Result<std::vector<ArrayType>> rangeShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Any));
    for (const ArrayType& input : in.inputs) {
        if (input.hasRank && input.rank() != 0) {
            return shapeError(fmt::format("Range takes scalars; found rank {}", input.rank()));
        }
    }
    ArrayType result = sizedType(in, in.inputs[0].dtype);
    if (result.rank() != 1) return shapeError(fmt::format("Range has one size; found {}", result.rank()));
    return std::vector<ArrayType>{std::move(result)};
}

Result<Imported> importRange(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    std::vector<SizeExpression> bounds;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::optional<std::vector<SizeExpression>> bound = context.sizes(i);
        if (bound && bound->size() == 1) bounds.push_back(bound->front());
    }
    Dimension count = newSize(node, 0, 0, context.symbols());
    if (bounds.size() == 3 && bounds[2] == SizeExpression(1)) {
        const SizeExpression difference = bounds[1] - bounds[0];
        if (difference.number().value_or(0) >= 0) count = difference.dimension(context.symbols());
    }
    MITOS_TRY(std::vector<std::string> names, sizeNames(std::span(&count, 1), context.symbols()));
    Attributes attributes(op);
    attributes.set("sizes", std::move(names));
    return Imported{.attributes = std::move(attributes), .inputs = {0, 1, 2}};
}

Result<std::vector<ArrayPtr>> rangeEvaluate(const EvaluateInput& in) {
    for (const ArrayPtr& bound : in.inputs) {
        if (!isExact(*bound)) return inexact();
    }
    const double start = in.inputs[0]->elements[0];
    const double delta = in.inputs[2]->elements[0];
    const double count = std::max(0.0, std::ceil((in.inputs[1]->elements[0] - start) / delta));
    if (delta == 0.0 || !(count <= static_cast<double>(in.maxElements))) {
        return Error{ErrorCode::Limit, fmt::format("a range of steps of {} has too many numbers", delta)};
    }
    auto result = std::make_shared<Array>();
    result->dtype = in.inputs[0]->dtype;
    result->shape = {static_cast<std::int64_t>(count)};
    for (std::int64_t i = 0; i < result->shape[0]; ++i)
        result->elements.push_back(start + static_cast<double>(i) * delta);
    return std::vector<ArrayPtr>{std::move(result)};
}

// --- matrices by position ---------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> eyeShape(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    result.dtype = *ir::dtypeFromName(in.attributes.word("dtype"));
    if (!result.hasRank || result.rank() == 2) return std::vector<ArrayType>{std::move(result)};
    return shapeError(fmt::format("EyeLike takes a matrix; found rank {}", result.rank()));
}

Result<std::vector<ArrayPtr>> eyeEvaluate(const EvaluateInput& in) {
    std::shared_ptr<Array> result = zeros(in);
    for (std::int64_t row = 0; row < result->shape[0]; ++row) {
        const std::int64_t column = row + in.attributes.integer("k");
        if (column >= 0 && column < result->shape[1])
            result->elements[static_cast<std::size_t>(row * result->shape[1] + column)] = 1.0;
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importEye(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const ArrayType* const data = context.type(0);
    std::optional<Dtype> dtype = dtypeOfOnnx(integerOf(node, "dtype", 0));
    if (!dtype && data != nullptr) dtype = data->dtype;
    if (!dtype) return notThisForm("the element type of EyeLike is unknown");
    Attributes attributes(op);
    attributes.set("dtype", std::string(ir::dtypeName(*dtype))).set("k", integerOf(node, "k", 0));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Result<std::vector<ArrayType>> triluShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    if (!data.hasRank || data.rank() >= 2) return std::vector<ArrayType>{data};
    return shapeError(fmt::format("Trilu takes matrices; found rank {}", data.rank()));
}

Result<std::vector<ArrayPtr>> triluEvaluate(const EvaluateInput& in) {
    auto result = std::make_shared<Array>(*in.inputs[0]);
    const std::int64_t columns = result->shape.back();
    const std::int64_t rows = result->shape[result->shape.size() - 2];
    const bool isUpper = in.attributes.boolean("upper");
    const std::int64_t k = in.attributes.integer("k");
    for (std::size_t i = 0; i < result->elements.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t diagonal = at % columns - at / columns % rows;
        if (isUpper ? diagonal < k : diagonal > k) result->elements[i] = 0.0;
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importTrilu(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const std::optional<std::vector<std::int64_t>> k, integersOf(node, context, "k", 1));
    if (k && k->size() != 1) return notThisForm("Trilu takes one number as k");
    Attributes attributes(op);
    attributes.set("upper", integerOf(node, "upper", 1) != 0).set("k", k ? k->front() : 0);
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Exported exportTrilu(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    return {.type = "Trilu",
            .attributes = {{"upper", std::int64_t{attributes.boolean("upper") ? 1 : 0}}},
            .constants = {{.input = 1, .values = attributes.integer("k")}}};
}

// --- OneHot -----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> oneHotShape(const ShapeInput& in) {
    const ArrayType& indices = in.inputs[0];
    const ArrayType& values = in.inputs[1];
    const std::int64_t depth = in.attributes.integer("depth");
    if (depth < 1) return shapeError(fmt::format("OneHot: {} is no number of classes", depth));
    if (values.hasRank && (values.rank() != 1 || !mayBeEqual(values.dimensions[0], Dimension::of(2)))) {
        return shapeError("OneHot takes two values, for off and for on");
    }
    if (!indices.hasRank) return std::vector<ArrayType>{{.dtype = values.dtype, .hasRank = false}};
    const std::int64_t axis = in.attributes.integer("axis");
    MITOS_REQUIRE(checkAxis(in, axis, indices.rank() + 1));
    ArrayType result{.dtype = values.dtype, .dimensions = indices.dimensions};
    result.dimensions.insert(result.dimensions.begin() + axis, Dimension::of(depth));
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> oneHotEvaluate(const EvaluateInput& in) {
    const Array& indices = *in.inputs[0];
    const std::vector<double>& values = in.inputs[1]->elements;
    std::shared_ptr<Array> result = zeros(in);
    std::ranges::fill(result->elements, values[0]);
    const std::int64_t depth = in.attributes.integer("depth");
    const auto axis = static_cast<std::size_t>(in.attributes.integer("axis"));
    const std::int64_t behind = elementCount(std::span(indices.shape).subspan(axis));
    for (std::size_t i = 0; i < indices.elements.size(); ++i) {
        std::int64_t index = wholeNumber(indices.elements[i]);
        if (index < 0) index += depth;
        if (index < 0 || index >= depth) continue;  // all elements stay off
        const auto at = static_cast<std::int64_t>(i);
        result->elements[static_cast<std::size_t>((at / behind * depth + index) * behind + at % behind)] = values[1];
    }
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importOneHot(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ArrayType indices, rankedInput(node, context, 0));
    std::optional<std::vector<std::int64_t>> depth = context.integers(1);
    if (!depth) {
        const std::optional<std::vector<double>> floats = context.floats(1);
        if (floats && floats->size() == 1) depth.emplace(1, static_cast<std::int64_t>(floats->front()));
    }
    if (!depth || depth->size() != 1) return notThisForm("the number of classes of OneHot is not a constant");
    MITOS_TRY(const std::int64_t axis, normalizedAxis(integerOf(node, "axis", -1), indices.rank() + 1));
    Attributes attributes(op);
    attributes.set("depth", depth->front()).set("axis", axis);
    return Imported{.attributes = std::move(attributes), .inputs = {0, 2}};
}

Exported exportOneHot(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    return {.type = "OneHot",
            .attributes = {{"axis", attributes.integer("axis")}},
            .constants = {{.input = 1, .values = attributes.integer("depth")}}};
}

}  // namespace

void addGenerators(std::vector<Operator>& table) {
    const AttributeInfo k = {
        .name = "k", .kind = AttributeKind::Integer, .defaultText = "0", .doc = "diagonal, counted from the main one"};
    table.push_back({.name = "Shape",
                     .doc = "the sizes of an array, from axis start up to axis end",
                     .inputs = {{.name = "data"}},
                     .attributes = {{.name = "start", .kind = AttributeKind::Integer, .defaultText = "0"},
                                    {.name = "end", .kind = AttributeKind::Integer}},
                     .shape = shapeShape,
                     .evaluate = shapeEvaluate,
                     .work = typeOnly,
                     .onnx = {.import = importShape}});
    table.push_back({.name = "Size",
                     .doc = "the number of elements of an array",
                     .inputs = {{.name = "data"}},
                     .shape = sizeShape,
                     .evaluate = sizeEvaluate,
                     .work = typeOnly});
    table.push_back({.name = "Range",
                     .doc = "start, start + delta, ... up to limit (not included)",
                     .inputs = {{.name = "start"}, {.name = "limit"}, {.name = "delta"}},
                     .attributes = {sizesAttribute()},
                     .shape = rangeShape,
                     .evaluate = rangeEvaluate,
                     .traits = {.mayFail = true},
                     .onnx = {.import = importRange, .exportNode = exportSized}});
    table.push_back({.name = "EyeLike",
                     .doc = "ones on a diagonal of a matrix of that shape, else zeros",
                     .inputs = {{.name = "input"}},
                     .attributes = {{.name = "dtype", .kind = AttributeKind::Word}, k},
                     .shape = eyeShape,
                     .evaluate = eyeEvaluate,
                     .work = typeOnly,
                     .onnx = {.import = importEye},
                     .gradient = ZeroGradient});
    table.push_back(
        {.name = "Trilu",
         .doc = "the upper (or lower) triangle of matrices, with zeros for the rest",
         .inputs = {{.name = "input"}},
         .attributes = {{.name = "upper", .kind = AttributeKind::Boolean, .defaultText = "true"}, k},
         .shape = triluShape,
         .evaluate = triluEvaluate,
         .work = movement,
         .onnx = {.import = importTrilu, .exportNode = exportTrilu},
         .gradient = PointwiseGradient<[](Operands p) {
             return apply("Trilu", p.d, {{"upper", p.attributes.boolean("upper")}, {"k", p.attributes.integer("k")}});
         }>});
    table.push_back({.name = "OneHot",
                     .doc = "for each index a row of `depth` elements, one of which is on",
                     .inputs = {{.name = "indices"}, {.name = "values"}},
                     .attributes = {{.name = "depth", .kind = AttributeKind::Integer},
                                    {.name = "axis", .kind = AttributeKind::Integer}},
                     .shape = oneHotShape,
                     .evaluate = oneHotEvaluate,
                     .work = movement,
                     .onnx = {.import = importOneHot, .exportNode = exportOneHot}});
}

}  // namespace mitos::tensor
