// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays repeated, and regrouped between channels and space.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/sized.h"
#include "core/tensor/internal/strided.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

using ir::Dimension;

/// The positions 0 … size - 1 repeated; a source of one position shows it everywhere.
Shape repeated(std::int64_t size, std::int64_t count) {
    Shape map(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) map[static_cast<std::size_t>(i)] = i % size;
    return map;
}

Result<std::vector<ArrayPtr>> evaluateRepeated(const EvaluateInput& in) {
    const Array& data = *in.inputs[0];
    const Shape shape = in.outputs[0].shape();
    const std::size_t more = shape.size() - data.shape.size();
    Array source = data;
    source.shape.insert(source.shape.begin(), more, 1);
    AxisMaps maps;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) maps.push_back(repeated(source.shape[axis], shape[axis]));
    return std::vector<ArrayPtr>{gathered(source, maps)};
}

// --- Expand -----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> expandShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    if (!data.hasRank) return std::vector<ArrayType>{data};
    std::vector<Dimension> wanted;
    for (const std::int64_t size : in.attributes.integers("shape")) {
        if (size < 0) return shapeError(fmt::format("Expand: {} is no size", size));
        wanted.push_back(Dimension::of(size));
    }
    MITOS_TRY(std::vector<Dimension> dimensions, broadcast(data.dimensions, wanted, in.symbols));
    return std::vector<ArrayType>{{.dtype = data.dtype, .dimensions = std::move(dimensions)}};
}

Result<Imported> importExpand(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const std::optional<std::vector<SizeExpression>> given = hasInput(node, 1) ? context.sizes(1) : std::nullopt;
    if (!given) return notThisForm("the shape of Expand is known only when the program runs");
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    // All sizes of the result if they are known; 1 keeps a size that has a name.
    std::vector<std::int64_t> shape(std::max(given->size(), data.rank()), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        std::int64_t& size = shape[shape.size() - 1 - i];
        const Dimension own = i < data.rank() ? data.dimensions[data.rank() - 1 - i] : Dimension::of(1);
        const SizeExpression wanted = i < given->size() ? (*given)[given->size() - 1 - i] : SizeExpression(1);
        if (!wanted.number() && wanted.dimension(context.symbols()) != own)
            return notThisForm("the sizes of Expand are computed when the program runs");
        size = wanted.number().value_or(1);
        if (size == 1 && own.isKnown()) size = own.size;
    }
    Attributes attributes(op);
    attributes.set("shape", std::move(shape));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

// --- ExpandTo ---------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> expandToShape(const ShapeInput& in) {
    ArrayType result = sizedType(in, in.inputs[0].dtype);
    if (!in.inputs[0].hasRank || in.inputs[0].rank() <= result.rank()) return std::vector<ArrayType>{std::move(result)};
    return shapeError(fmt::format("ExpandTo: rank {} cannot become rank {}", in.inputs[0].rank(), result.rank()));
}

Result<std::vector<ArrayPtr>> expandTo(const EvaluateInput& in) {
    SymbolTable symbols;
    std::vector<Dimension> data;
    std::vector<Dimension> wanted;
    for (const std::int64_t size : in.inputs[0]->shape) data.push_back(Dimension::of(size));
    for (const std::int64_t size : integersIn(*in.inputs[1])) {
        if (size < 0) return shapeError(fmt::format("{} is no size", size));
        wanted.push_back(Dimension::of(size));
    }
    MITOS_TRY(std::vector<Dimension> sizes, broadcast(data, wanted, symbols));
    double elements = 1.0;
    for (const Dimension size : sizes) elements *= static_cast<double>(size.size);
    if (elements > static_cast<double>(in.maxElements)) return shapeError("the result is too large");
    const ArrayType type{.dtype = in.inputs[0]->dtype, .dimensions = std::move(sizes)};
    return evaluateRepeated({in.attributes, in.inputs, std::span(&type, 1)});
}

Result<Imported> importExpandTo(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const std::optional<std::vector<SizeExpression>> given = hasInput(node, 1) ? context.sizes(1) : std::nullopt;
    if (!given) return notThisForm("the shape of Expand is known only when the program runs");
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    std::vector<Dimension> wanted;
    for (const SizeExpression& size : *given) {
        if (size.number().value_or(0) < 0) return notThisForm("Expand to a size below 0");
        wanted.push_back(size.dimension(context.symbols()));
    }
    MITOS_TRY(const std::vector<Dimension> sizes, broadcast(data.dimensions, wanted, context.symbols()));
    MITOS_TRY(std::vector<std::string> names, sizeNames(sizes, context.symbols()));
    Attributes attributes(op);
    attributes.set("sizes", std::move(names));
    return Imported{.attributes = std::move(attributes), .inputs = {0, 1}};
}

// --- Tile -------------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> tileShape(const ShapeInput& in) {
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{result};
    const std::vector<std::int64_t>& repeats = in.attributes.integers("repeats");
    if (repeats.size() != result.rank()) {
        return shapeError(fmt::format("Tile takes {} numbers as repeats; found {}", result.rank(), repeats.size()));
    }
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        if (repeats[i] < 0) return shapeError(fmt::format("Tile cannot repeat {} times", repeats[i]));
        result.dimensions[i] = (SizeExpression(result.dimensions[i], in.symbols) * repeats[i]).dimension(in.symbols);
    }
    return std::vector<ArrayType>{std::move(result)};
}

Result<Imported> importTile(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    if (node.opset < 6) return notThisForm("Tile of an opset before 6");
    std::optional<std::vector<std::int64_t>> repeats = hasInput(node, 1) ? context.integers(1) : std::nullopt;
    if (!repeats) return notThisForm("the repeats of Tile are not a constant");
    Attributes attributes(op);
    attributes.set("repeats", *std::move(repeats));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

/// Exports the only attribute as the second input, as in ONNX.
Exported exportAsInput(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    const Operator& op = attributes.op();
    return {.type = op.name, .constants = {{.input = 1, .values = attributes.integers(op.attributes[0].name)}}};
}

// --- blocks of an image -----------------------------------------------------------------------------------------------

/// Splits axes of an image, reorders them, and reads the result as another shape.
Result<std::vector<ArrayPtr>> reordered(const EvaluateInput& in, const Shape& apart, const Shape& order) {
    const Shape own = strides(apart);
    Shape shape;
    Shape steps;
    for (const std::int64_t axis : order) {
        shape.push_back(apart[static_cast<std::size_t>(axis)]);
        steps.push_back(own[static_cast<std::size_t>(axis)]);
    }
    auto result = std::make_shared<Array>(*gathered(*in.inputs[0], 0, steps, std::move(shape)));
    result->shape = in.outputs[0].shape();
    return std::vector<ArrayPtr>{std::move(result)};
}

Status checkImage(const ShapeInput& in) {
    const std::int64_t block = in.attributes.integer("blocksize");
    if (block < 1 || block > 1'000'000)
        return shapeError(fmt::format("{}: {} is no size of a block", in.op.name, block));
    if (!in.inputs[0].hasRank || in.inputs[0].rank() == 4) return Success{};
    return shapeError(fmt::format("{} takes an image [N,C,H,W]; found rank {}", in.op.name, in.inputs[0].rank()));
}

Result<Dimension> divided(const ShapeInput& in, std::size_t axis, std::int64_t divisor) {
    const Dimension size = in.inputs[0].dimensions[axis];
    if (!size.isKnown() || size.size % divisor == 0)
        return (SizeExpression(size, in.symbols) / divisor).dimension(in.symbols);
    return shapeError(fmt::format("{}: size {} of axis {} is no multiple of {}", in.op.name, size.size, axis, divisor));
}

Result<std::vector<ArrayType>> depthToSpaceShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkImage(in));
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{result};
    const std::int64_t block = in.attributes.integer("blocksize");
    MITOS_TRY(result.dimensions[1], divided(in, 1, block * block));
    for (const std::size_t axis : {2U, 3U})
        result.dimensions[axis] = (SizeExpression(result.dimensions[axis], in.symbols) * block).dimension(in.symbols);
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> depthToSpaceEvaluate(const EvaluateInput& in) {
    const Shape& x = in.inputs[0]->shape;
    const std::int64_t block = in.attributes.integer("blocksize");
    const std::int64_t channels = x[1] / (block * block);
    if (in.attributes.word("mode") == "DCR")
        return reordered(in, {x[0], block, block, channels, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
    return reordered(in, {x[0], channels, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
}

Result<std::vector<ArrayType>> spaceToDepthShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkImage(in));
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{result};
    const std::int64_t block = in.attributes.integer("blocksize");
    for (const std::size_t axis : {2U, 3U}) {
        MITOS_TRY(result.dimensions[axis], divided(in, axis, block));
    }
    result.dimensions[1] = (SizeExpression(result.dimensions[1], in.symbols) * block * block).dimension(in.symbols);
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> spaceToDepthEvaluate(const EvaluateInput& in) {
    const Shape& x = in.inputs[0]->shape;
    const std::int64_t block = in.attributes.integer("blocksize");
    return reordered(in, {x[0], x[1], x[2] / block, block, x[3] / block, block}, {0, 3, 5, 1, 2, 4});
}

// --- gradients ------------------------------------------------------------------------------------------------------

std::vector<ir::TermId> expandGradient(const GradientInput& in) {
    std::vector<ir::TermId> result(in.inputs.size());
    if (in.isWanted[0]) result[0] = summedTo(in.make, in.cotangents[0], in.inputs[0]);
    return result;
}

std::vector<ir::TermId> tileGradient(const GradientInput& in) {
    const ArrayType type = in.make.type(in.inputs[0]);
    if (!type.isStatic()) {
        in.make.fail(shapeError("the sizes of the input are only names"));
        return {ir::TermId()};
    }
    Shape apart;
    std::vector<std::int64_t> copies;
    for (std::size_t i = 0; i < type.rank(); ++i) {
        copies.push_back(static_cast<std::int64_t>(apart.size()));
        apart.push_back(in.attributes.integers("repeats")[i]);
        apart.push_back(type.dimensions[i].size);
    }
    const ir::TermId split = in.make.node("Reshape", {in.cotangents[0]}, {{"shape", apart}});
    return {in.make.node("ReduceSum", {split}, {{"axes", copies}, {"keepdims", false}})};
}

std::vector<ir::TermId> depthToSpaceGradient(const GradientInput& in) {
    if (in.attributes.word("mode") != "DCR") {
        in.make.fail(shapeError("its mode is CRD"));
        return {ir::TermId()};
    }
    return {in.make.node("SpaceToDepth", {in.cotangents[0]}, {{"blocksize", in.attributes.integer("blocksize")}})};
}

std::vector<ir::TermId> spaceToDepthGradient(const GradientInput& in) {
    return {in.make.node("DepthToSpace", {in.cotangents[0]}, {{"blocksize", in.attributes.integer("blocksize")}})};
}

}  // namespace

void addRepeats(std::vector<Operator>& table) {
    const AttributeInfo block = {.name = "blocksize", .kind = AttributeKind::Integer};
    table.push_back({.name = "Expand",
                     .doc = "repeated along axes of one element, as broadcasting does",
                     .inputs = {{.name = "input"}},
                     .attributes = {{.name = "shape",
                                     .kind = AttributeKind::Integers,
                                     .doc = "sizes of the result; 1 keeps a size"}},
                     .shape = expandShape,
                     .evaluate = evaluateRepeated,
                     .work = movement,
                     .onnx = {.import = importExpand, .exportNode = exportAsInput},
                     .gradient = {.rule = expandGradient}});
    table.push_back({.name = "ExpandTo",
                     .doc = "repeated along axes of one element, up to the shape that the second input says",
                     .inputs = {{.name = "input"}, {.name = "shape"}},
                     .attributes = {sizesAttribute()},
                     .shape = expandToShape,
                     .evaluate = expandTo,
                     .work = movement,
                     .traits = {.mayFail = true},
                     .onnx = {.type = "Expand", .import = importExpandTo, .exportNode = exportSized},
                     .gradient = {.rule = expandGradient}});
    table.push_back({.name = "Tile",
                     .doc = "repeated as a whole along each axis",
                     .inputs = {{.name = "input"}},
                     .attributes = {{.name = "repeats", .kind = AttributeKind::Integers}},
                     .shape = tileShape,
                     .evaluate = evaluateRepeated,
                     .work = movement,
                     .onnx = {.import = importTile, .exportNode = exportAsInput},
                     .gradient = {.rule = tileGradient}});
    table.push_back({.name = "DepthToSpace",
                     .doc = "channels become blocks of the image",
                     .inputs = {{.name = "input"}},
                     .attributes = {block,
                                    {.name = "mode",
                                     .kind = AttributeKind::Word,
                                     .defaultText = "DCR",
                                     .doc = "order of the channels: blocks before channels, or after",
                                     .words = {"DCR", "CRD"}}},
                     .shape = depthToSpaceShape,
                     .evaluate = depthToSpaceEvaluate,
                     .work = movement,
                     .gradient = {.rule = depthToSpaceGradient}});
    table.push_back({.name = "SpaceToDepth",
                     .doc = "blocks of the image become channels",
                     .inputs = {{.name = "input"}},
                     .attributes = {block},
                     .shape = spaceToDepthShape,
                     .evaluate = spaceToDepthEvaluate,
                     .work = movement,
                     .gradient = {.rule = spaceToDepthGradient}});
}

}  // namespace mitos::tensor
