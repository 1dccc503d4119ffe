// SPDX-License-Identifier: GPL-3.0-or-later
// Other shapes for the same elements in the same order.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/axes.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/sized.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

using ir::Dimension;

Result<std::vector<ArrayPtr>> evaluateReshape(const EvaluateInput& in) {
    auto result = std::make_shared<Array>(*in.inputs[0]);
    result->shape = in.outputs[0].shape();
    return std::vector<ArrayPtr>{std::move(result)};
}

std::string sizesText(std::span<const Dimension> dimensions, const SymbolTable& symbols) {
    std::vector<std::string> texts;
    for (const Dimension& dimension : dimensions) texts.push_back(dimensionText(dimension, symbols));
    return fmt::format("[{}]", fmt::join(texts, ","));
}

// --- Reshape ----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> reshapeShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    const std::vector<std::int64_t>& wanted = in.attributes.integers("shape");
    ArrayType result{.dtype = data.dtype, .hasRank = data.hasRank};
    std::vector<Dimension> stated;
    std::size_t inferred = wanted.size();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] < -1) return shapeError(fmt::format("Reshape: {} is no size", wanted[i]));
        if (wanted[i] == -1 && inferred < wanted.size()) {
            return shapeError("Reshape: -1, the size that follows from the others, is given twice");
        }
        if (wanted[i] == -1) inferred = i;
        if (wanted[i] == 0 && data.hasRank && i >= data.rank()) {
            return shapeError(
                fmt::format("Reshape: 0 copies size {} of an array that has {} sizes", i + 1, data.rank()));
        }
        const bool isCopied = wanted[i] == 0 && data.hasRank;
        result.dimensions.push_back(isCopied ? data.dimensions[i]
                                             : Dimension::of(std::max<std::int64_t>(0, wanted[i])));
        if (wanted[i] != -1) stated.push_back(result.dimensions.back());
    }
    if (!data.hasRank) {
        result.hasRank = std::ranges::all_of(wanted, [](std::int64_t size) { return size > 0; });
        if (!result.hasRank) result.dimensions.clear();
        return std::vector<ArrayType>{std::move(result)};
    }
    const SizeExpression total = product(data.dimensions, in.symbols);
    const SizeExpression rest = product(stated, in.symbols);
    bool fits = total == rest || !total.number() || !rest.number();
    if (inferred < wanted.size()) {
        fits =
            rest != SizeExpression(0) && (!total.number() || !rest.number() || *total.number() % *rest.number() == 0);
        if (fits) result.dimensions[inferred] = (total / rest).dimension(in.symbols);
    }
    if (!fits) {
        return shapeError(fmt::format("Reshape: the elements of {} do not make [{}]",
                                      sizesText(data.dimensions, in.symbols), fmt::join(wanted, ",")));
    }
    return std::vector<ArrayType>{std::move(result)};
}

/// The sizes as numbers if all are known; else with at most one -1, if that is sufficient; else with 0 where a size is copied.
std::vector<std::int64_t> canonicalSizes(const std::vector<Dimension>& sizes, const ArrayType& data) {
    std::vector<std::int64_t> result;
    for (const Dimension& size : sizes) result.push_back(size.isKnown() ? size.size : -1);
    if (std::ranges::count(result, -1) <= 1) return result;
    for (std::size_t i = 0; i < std::min(sizes.size(), data.rank()); ++i) {
        if (!sizes[i].isKnown() && sizes[i] == data.dimensions[i]) result[i] = 0;
    }
    return result;
}

/// The sizes that a list, which may contain 0 or -1, gives an array. Fails if it does not fit.
Result<std::vector<Dimension>> reshapedSizes(const std::vector<SizeExpression>& wanted, const ArrayType& data,
                                             bool isZeroCopied, SymbolTable& symbols) {
    std::vector<Dimension> sizes;
    SizeExpression rest = product(data.dimensions, symbols);
    std::size_t open = wanted.size();
    SizeExpression stated(1);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::optional<std::int64_t> number = wanted[i].number();
        if (number.value_or(1) < -1) return notThisForm(fmt::format("Reshape: {} is no size", *number));
        if (number == 0 && isZeroCopied && i >= data.rank())
            return notThisForm("Reshape copies a size that is not there");
        if (number == -1 && open < wanted.size()) return notThisForm("Reshape: -1 stands twice");
        if (number == -1) open = i;
        sizes.push_back(number == -1                  ? Dimension::of(0)
                        : number == 0 && isZeroCopied ? data.dimensions[i]
                                                      : wanted[i].dimension(symbols));
        if (number != -1) stated = stated * SizeExpression(sizes.back(), symbols);
    }
    if (open < wanted.size()) {
        if (stated == SizeExpression(0))
            return notThisForm("Reshape: the size that -1 stands for does not follow from the others");
        sizes[open] = (rest / stated).dimension(symbols);
    }
    return sizes;
}

/// The requested sizes. Before opset 5, the shape was an attribute.
Result<std::vector<SizeExpression>> wantedSizes(const OnnxNode& node, const OnnxContext& context) {
    if (!hasInput(node, 1)) {
        const std::optional<std::vector<std::int64_t>> given = integersOf(node, "shape");
        if (!given) return notThisForm("Reshape has no shape");
        return std::vector<SizeExpression>(given->begin(), given->end());
    }
    std::optional<std::vector<SizeExpression>> sizes = context.sizes(1);
    if (!sizes) return notThisForm("the shape of Reshape is known only when the program runs");
    return *std::move(sizes);
}

Result<Imported> importReshape(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const std::vector<SizeExpression> wanted, wantedSizes(node, context));
    std::vector<std::int64_t> numbers;
    for (const SizeExpression& size : wanted) {
        if (const std::optional<std::int64_t> number = size.number()) numbers.push_back(*number);
    }
    const bool isZeroCopied = integerOf(node, "allowzero", 0) == 0;
    const bool areNumbers = numbers.size() == wanted.size();
    Attributes attributes(op);
    const ArrayType* const data = context.type(0);
    if (data == nullptr || !data->hasRank) {
        const bool hasZero = std::ranges::find(numbers, 0) != numbers.end();
        if (!areNumbers || (hasZero && !isZeroCopied)) return notThisForm("Reshape of an unknown rank");
        attributes.set("shape", numbers);
        return Imported{.attributes = std::move(attributes), .inputs = {0}};
    }
    const Result<std::vector<Dimension>> sizes = reshapedSizes(wanted, *data, isZeroCopied, context.symbols());
    if (!sizes) {
        if (!areNumbers || !isZeroCopied) return sizes.error();
        attributes.set("shape", numbers);  // the shape rule reports the error
        return Imported{.attributes = std::move(attributes), .inputs = {0}};
    }
    attributes.set("shape", canonicalSizes(*sizes, *data));
    const Result<std::vector<ArrayType>> made = op.shape({op, attributes, std::span(data, 1), context.symbols()});
    const bool isSaid = made && made->front().dimensions == *sizes;
    if (!isSaid && !areNumbers) return notThisForm("the sizes of Reshape are computed when the program runs");
    if (!isSaid && !isZeroCopied) return notThisForm("Reshape to a size of 0");
    if (!isSaid) attributes.set("shape", numbers);
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

// --- ReshapeTo --------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> reshapeToShape(const ShapeInput& in) {
    ArrayType result = sizedType(in, in.inputs[0].dtype);
    const ArrayType& shape = in.inputs[1];
    const bool fits =
        !shape.hasRank ||
        (shape.rank() == 1 && mayBeEqual(shape.dimensions[0], Dimension::of(static_cast<std::int64_t>(result.rank()))));
    if (!fits) return shapeError(fmt::format("{} takes {} numbers as shape", in.op.name, result.rank()));
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> reshapeTo(const EvaluateInput& in) {
    const Shape& from = in.inputs[0]->shape;
    Shape shape = integersIn(*in.inputs[1]);
    const bool isZeroCopied = !in.attributes.boolean("allowzero");
    std::int64_t stated = 1;
    auto open = shape.end();
    for (auto size = shape.begin(); size != shape.end(); ++size) {
        const auto at = static_cast<std::size_t>(size - shape.begin());
        if (*size == 0 && isZeroCopied && at < from.size()) *size = from[at];
        if (*size == -1 && open == shape.end())
            open = size;
        else
            stated *= *size;
    }
    const std::int64_t all = elementCount(from);
    if (open != shape.end() && stated > 0) *open = all / stated;
    if ((open != shape.end() ? stated * *open : stated) != all ||
        std::ranges::any_of(shape, [](auto s) { return s < 0; })) {
        return shapeError(
            fmt::format("the elements of [{}] do not make [{}]", fmt::join(from, ","), fmt::join(shape, ",")));
    }
    auto result = std::make_shared<Array>(*in.inputs[0]);
    result->shape = std::move(shape);
    return std::vector<ArrayPtr>{std::move(result)};
}

Result<Imported> importReshapeTo(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    if (!hasInput(node, 1)) return notThisForm("Reshape has no shape");
    MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
    MITOS_TRY(const std::vector<SizeExpression> wanted, wantedSizes(node, context));
    const bool allowsZero = integerOf(node, "allowzero", 0) != 0;
    MITOS_TRY(const std::vector<Dimension> sizes, reshapedSizes(wanted, data, !allowsZero, context.symbols()));
    MITOS_TRY(std::vector<std::string> names, sizeNames(sizes, context.symbols()));
    Attributes attributes(op);
    attributes.set("allowzero", allowsZero).set("sizes", std::move(names));
    return Imported{.attributes = std::move(attributes), .inputs = {0, 1}};
}

Exported exportReshape(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    return {.type = "Reshape", .constants = {{.input = 1, .values = attributes.integers("shape")}}};
}

// --- Flatten ----------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> flattenShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    if (!data.hasRank) return std::vector<ArrayType>{data};
    const std::int64_t axis = in.attributes.integer("axis");
    if (axis < 0 || axis > static_cast<std::int64_t>(data.rank())) {
        return shapeError(fmt::format("Flatten: there is no axis {} in rank {}", axis, data.rank()));
    }
    const std::span<const Dimension> all = data.dimensions;
    const auto split = static_cast<std::size_t>(axis);
    return std::vector<ArrayType>{{.dtype = data.dtype,
                                   .dimensions = {product(all.first(split), in.symbols).dimension(in.symbols),
                                                  product(all.subspan(split), in.symbols).dimension(in.symbols)}}};
}

Result<Imported> importFlatten(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    std::int64_t axis = integerOf(node, "axis", 1);
    if (axis < 0) {
        MITOS_TRY(const ArrayType data, rankedInput(node, context, 0));
        axis += static_cast<std::int64_t>(data.rank());
    }
    Attributes attributes(op);
    attributes.set("axis", axis);
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

// --- Squeeze, Unsqueeze -----------------------------------------------------------------------------------------------

bool contains(std::span<const std::int64_t> axes, std::size_t axis) {
    return std::ranges::find(axes, static_cast<std::int64_t>(axis)) != axes.end();
}

Result<std::vector<ArrayType>> squeezeShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    if (!data.hasRank) return std::vector<ArrayType>{data};
    const std::vector<std::int64_t>& axes = in.attributes.integers("axes");
    MITOS_REQUIRE(checkAxes(in, axes, data.rank()));
    ArrayType result{.dtype = data.dtype};
    for (std::size_t i = 0; i < data.rank(); ++i) {
        const Dimension size = data.dimensions[i];
        if (!contains(axes, i))
            result.dimensions.push_back(size);
        else if (!mayBeEqual(size, Dimension::of(1)))
            return shapeError(fmt::format("Squeeze: axis {} has a size of {}, not 1", i, size.size));
    }
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayType>> unsqueezeShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    if (!data.hasRank) return std::vector<ArrayType>{data};
    const std::vector<std::int64_t>& axes = in.attributes.integers("axes");
    const std::size_t rank = data.rank() + axes.size();
    MITOS_REQUIRE(checkAxes(in, axes, rank));
    ArrayType result{.dtype = data.dtype};
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        result.dimensions.push_back(contains(axes, i) ? Dimension::of(1) : data.dimensions[next++]);
    }
    return std::vector<ArrayType>{std::move(result)};
}

Result<Imported> importAxes(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const std::optional<std::vector<std::int64_t>> given, integersOf(node, context, "axes", 1));
    const Result<ArrayType> data = rankedInput(node, context, 0);
    if (!data) return data.error();
    std::vector<std::int64_t> axes = given.value_or(std::vector<std::int64_t>());
    if (!given) {  // Squeeze: every axis of one element
        for (std::size_t i = 0; i < data->rank(); ++i) {
            if (!data->dimensions[i].isKnown()) return notThisForm("the axes that Squeeze removes depend on sizes");
            if (data->dimensions[i].size == 1) axes.push_back(static_cast<std::int64_t>(i));
        }
    }
    const std::size_t rank = data->rank() + (op.name == "Unsqueeze" ? axes.size() : 0);
    MITOS_TRY(std::vector<std::int64_t> normal, normalizedAxes(std::move(axes), rank));
    Attributes attributes(op);
    attributes.set("axes", std::move(normal));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Exported exportAxes(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    return {.type = attributes.op().name, .constants = {{.input = 1, .values = attributes.integers("axes")}}};
}

std::vector<ir::TermId> reshapeGradient(const GradientInput& in) {
    std::vector<ir::TermId> result(in.inputs.size());
    if (in.isWanted[0]) result[0] = reshapedTo(in.make, in.cotangents[0], in.inputs[0]);
    return result;
}

}  // namespace

void addReshapes(std::vector<Operator>& table) {
    const auto add = [&table](std::string name, std::string doc, AttributeInfo attribute, ShapeRule shape,
                              OnnxMapping onnx) {
        table.push_back({.name = std::move(name),
                         .doc = std::move(doc),
                         .inputs = {{.name = "data"}},
                         .attributes = {std::move(attribute)},
                         .shape = shape,
                         .evaluate = evaluateReshape,
                         .work = view,
                         .onnx = std::move(onnx),
                         .gradient = {.rule = reshapeGradient}});
    };
    add("Reshape", "the same elements in another shape; 0 copies a size, one size may be -1",
        {.name = "shape", .kind = AttributeKind::Integers}, reshapeShape,
        {.import = importReshape, .exportNode = exportReshape});
    table.push_back({.name = "ReshapeTo",
                     .doc = "the same elements in the shape that the second input says",
                     .inputs = {{.name = "data"}, {.name = "shape"}},
                     .attributes = {{.name = "allowzero",
                                     .kind = AttributeKind::Boolean,
                                     .defaultText = "false",
                                     .doc = "0 is a size; else it copies one"},
                                    sizesAttribute()},
                     .shape = reshapeToShape,
                     .evaluate = reshapeTo,
                     .work = view,
                     .traits = {.mayFail = true},
                     .onnx = {.type = "Reshape", .import = importReshapeTo, .exportNode = exportSized},
                     .gradient = {.rule = reshapeGradient}});
    add("Flatten", "a matrix of the same elements: axes before `axis` are its rows",
        {.name = "axis", .kind = AttributeKind::Integer, .defaultText = "1"}, flattenShape, {.import = importFlatten});
    add("Squeeze", "without those axes, each of one element", {.name = "axes", .kind = AttributeKind::Integers},
        squeezeShape, {.import = importAxes, .exportNode = exportAxes});
    add("Unsqueeze", "with those axes, each of one element, besides its own",
        {.name = "axes", .kind = AttributeKind::Integers, .doc = "as they are counted in the result"}, unsqueezeShape,
        {.import = importAxes, .exportNode = exportAxes});
}

}  // namespace mitos::tensor
