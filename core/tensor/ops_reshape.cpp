// SPDX-License-Identifier: GPL-3.0-or-later
// Other shapes for the same elements in the same order.
#include "core/tensor/dimension.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops.h"
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
            return shapeError("Reshape: -1, the size that follows from the others, stands twice");
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
        result.hasRank = std::all_of(wanted.begin(), wanted.end(), [](std::int64_t size) { return size > 0; });
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

/// Numbers where all sizes are known; else at most one -1, if that can say it.
std::vector<std::int64_t> canonicalSizes(const ArrayType& type, const std::vector<std::int64_t>& otherwise) {
    std::vector<std::int64_t> sizes;
    for (const Dimension& dimension : type.dimensions) sizes.push_back(dimension.isKnown() ? dimension.size : -1);
    const bool isPlain =
        std::find(sizes.begin(), sizes.end(), 0) == sizes.end() && std::count(sizes.begin(), sizes.end(), -1) <= 1;
    return isPlain && type.hasRank ? sizes : otherwise;
}

Result<Imported> importReshape(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    Result<std::optional<std::vector<std::int64_t>>> shape = integersOf(node, context, "shape", 1);
    if (!shape) return std::move(shape).error();
    if (!*shape) return notThisForm("Reshape has no shape");
    const std::vector<std::int64_t> sizes = **std::move(shape);
    const ArrayType* const data = context.type(0);
    if (integerOf(node, "allowzero", 0) != 0 && std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
        return notThisForm("Reshape to a size of 0");
    }
    Attributes attributes(op);
    attributes.set("shape", sizes);
    if (data == nullptr || !data->hasRank) return Imported{.attributes = std::move(attributes), .inputs = {0}};
    SymbolTable symbols;  // names do not matter here: each becomes the one size that is left open
    ArrayType known = *data;
    for (std::size_t i = 0; i < known.rank(); ++i) {
        if (!known.dimensions[i].isKnown())
            known.dimensions[i] =
                Dimension::named(symbols.intern(fmt::format("size{}", known.dimensions[i].name.value)));
    }
    const Result<std::vector<ArrayType>> result = op.shape({op, attributes, std::span(&known, 1), symbols});
    if (!result) return result.error();
    attributes.set("shape", canonicalSizes(result->front(), sizes));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
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
        const Result<ArrayType> data = rankedInput(node, context, 0);
        if (!data) return data.error();
        axis += static_cast<std::int64_t>(data->rank());
    }
    Attributes attributes(op);
    attributes.set("axis", axis);
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

// --- Squeeze, Unsqueeze -----------------------------------------------------------------------------------------------

/// Rising and within the rank: terms name axes in one way only.
Status checkAxes(std::string_view op, std::span<const std::int64_t> axes, std::size_t rank) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] < 0 || axes[i] >= static_cast<std::int64_t>(rank)) {
            return shapeError(fmt::format("{}: there is no axis {} in rank {}", op, axes[i], rank));
        }
        if (i > 0 && axes[i] <= axes[i - 1]) {
            return shapeError(fmt::format("{} takes rising axes; found [{}]", op, fmt::join(axes, ",")));
        }
    }
    return Success{};
}

bool contains(std::span<const std::int64_t> axes, std::size_t axis) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
}

Result<std::vector<ArrayType>> squeezeShape(const ShapeInput& in) {
    const ArrayType& data = in.inputs[0];
    if (!data.hasRank) return std::vector<ArrayType>{data};
    const std::vector<std::int64_t>& axes = in.attributes.integers("axes");
    if (Status status = checkAxes("Squeeze", axes, data.rank()); !status) return std::move(status).error();
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
    if (Status status = checkAxes("Unsqueeze", axes, rank); !status) return std::move(status).error();
    ArrayType result{.dtype = data.dtype};
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i) {
        result.dimensions.push_back(contains(axes, i) ? Dimension::of(1) : data.dimensions[next++]);
    }
    return std::vector<ArrayType>{std::move(result)};
}

Result<Imported> importAxes(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const Result<std::optional<std::vector<std::int64_t>>> given = integersOf(node, context, "axes", 1);
    if (!given) return given.error();
    const Result<ArrayType> data = rankedInput(node, context, 0);
    if (!data) return data.error();
    std::vector<std::int64_t> axes = given->value_or(std::vector<std::int64_t>());
    if (!*given) {  // Squeeze: every axis of one element
        for (std::size_t i = 0; i < data->rank(); ++i) {
            if (!data->dimensions[i].isKnown()) return notThisForm("which axes Squeeze removes depends on sizes");
            if (data->dimensions[i].size == 1) axes.push_back(static_cast<std::int64_t>(i));
        }
    }
    const std::size_t rank = data->rank() + (op.name == "Unsqueeze" ? axes.size() : 0);
    Result<std::vector<std::int64_t>> normal = normalizedAxes(std::move(axes), rank);
    if (!normal) return std::move(normal).error();
    Attributes attributes(op);
    attributes.set("axes", *std::move(normal));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Exported exportAxes(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    return {.type = attributes.op().name, .constants = {{.input = 1, .values = attributes.integers("axes")}}};
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
                         .onnx = std::move(onnx)});
    };
    add("Reshape", "the same elements in another shape; 0 copies a size, one size may be -1",
        {.name = "shape", .kind = AttributeKind::Integers}, reshapeShape,
        {.import = importReshape, .exportNode = exportReshape});
    add("Flatten", "a matrix of the same elements: axes before `axis` are its rows",
        {.name = "axis", .kind = AttributeKind::Integer, .defaultText = "1"}, flattenShape, {.import = importFlatten});
    add("Squeeze", "without those axes, each of one element", {.name = "axes", .kind = AttributeKind::Integers},
        squeezeShape, {.import = importAxes, .exportNode = exportAxes});
    add("Unsqueeze", "with those axes, each of one element, besides its own",
        {.name = "axes", .kind = AttributeKind::Integers, .doc = "as they are counted in the result"}, unsqueezeShape,
        {.import = importAxes, .exportNode = exportAxes});
}

}  // namespace mitos::tensor
