// SPDX-License-Identifier: GPL-3.0-or-later
// Images from the columns of their windows, which are added where they overlap: the inverse of what convolutions do first.
#include "core/tensor/dimension.h"
#include "core/tensor/expand.h"
#include "core/tensor/internal/convolution.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::TermId;

WindowAttributes blockWindow(const Attributes& attributes) {
    WindowAttributes window = windowAttributes(attributes);
    window.kernel = attributes.integers("block_shape");
    return window;
}

/// The product of positive sizes; nullopt beyond the most elements of an array.
std::optional<std::int64_t> boundedProduct(std::span<const std::int64_t> sizes) {
    std::int64_t result = 1;
    for (const std::int64_t size : sizes) {
        if (size < 1 || result > MostElements / size) return std::nullopt;
        result *= size;
    }
    return result;
}

/// The number of blocks along each axis, for attributes that passed the shape rule.
Shape blockCounts(const Attributes& attributes) {
    const WindowAttributes window = blockWindow(attributes);
    const Shape& image = attributes.integers("image_shape");
    const std::size_t rank = image.size();
    Shape counts;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
        counts.push_back((image[i] + window.pads[i] + window.pads[i + rank] - extent) / window.strides[i] + 1);
    }
    return counts;
}

Result<std::vector<ArrayType>> col2ImShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Numbers));
    const WindowAttributes window = blockWindow(in.attributes);
    const Shape& image = in.attributes.integers("image_shape");
    if (window.kernel.size() != image.size() || window.dilations.size() != image.size())
        return shapeError("Col2Im takes as many numbers for a block as for the image");
    MITOS_REQUIRE(checkWindow("Col2Im", window, image.size()));
    if (!boundedProduct(image) || !boundedProduct(window.kernel))
        return shapeError("Col2Im takes positive sizes of images and blocks that fit into memory");
    for (std::size_t i = 0; i < image.size(); ++i) {
        const Result<Dimension> count =
            windowCount(in, window, i, Dimension::of(image[i]), Dimension::of(window.kernel[i]), false);
        if (!count) return count.error();
    }
    const ArrayType& x = in.inputs[0];
    if (!x.hasRank) return std::vector<ArrayType>{{.dtype = x.dtype, .hasRank = false}};
    if (x.rank() != 3) {
        return shapeError(
            fmt::format("Col2Im takes arrays [batch,channels times block,blocks]; found rank {}", x.rank()));
    }
    const std::int64_t block = *boundedProduct(window.kernel);
    const std::optional<std::int64_t> blocks = boundedProduct(blockCounts(in.attributes));
    if (!blocks || !mayBeEqual(x.dimensions[2], Dimension::of(*blocks)))
        return shapeError(
            fmt::format("Col2Im: the image does not have {} blocks", dimensionText(x.dimensions[2], in.symbols)));
    if (x.dimensions[1].isKnown() && x.dimensions[1].size % block != 0) {
        return shapeError(
            fmt::format("Col2Im: {} rows are no multiple of the {} of a block", x.dimensions[1].size, block));
    }
    const SizeExpression channels = SizeExpression(x.dimensions[1], in.symbols) / block;
    ArrayType result{.dtype = x.dtype, .dimensions = {x.dimensions[0], channels.dimension(in.symbols)}};
    for (const std::int64_t size : image) result.dimensions.push_back(Dimension::of(size));
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayPtr>> col2ImEvaluate(const EvaluateInput& in) {
    const Array& columns = *in.inputs[0];
    const std::shared_ptr<Array> result = blank(in.outputs[0]);
    Shape blocks{result->shape[0], result->shape[1]};
    const Shape counts = blockCounts(in.attributes);
    blocks.insert(blocks.end(), counts.begin(), counts.end());
    const Window window = windowOf(blockWindow(in.attributes), result->shape, blocks);
    const std::int64_t channels = result->shape[1];
    const std::int64_t lines = window.axes[0].output * window.axes[1].output;
    for (std::int64_t image = 0; image < result->shape[0]; ++image) {
        moveWindows<true>(window, channels, result->elements.data() + image * channels * window.inputSize(),
                          columns.elements.data() + image * columns.shape[1] * columns.shape[2], 0, lines);
    }
    for (double& element : result->elements) element = held(result->dtype, element);
    return std::vector<ArrayPtr>{result};
}

/// A transposed convolution of each channel with filters that have a single 1, each at another place.
Result<TermId> expandCol2Im(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                            Symbol hint) {
    constexpr std::int64_t LargestBlock = 4096;
    TermMaker make(bank, hint);
    const ArrayType type = make.type(inputs[0]);
    if (!type.hasRank) return shapeError("the rank of its input is unknown");
    const WindowAttributes window = blockWindow(attributes);
    const Shape& image = attributes.integers("image_shape");
    const Shape counts = blockCounts(attributes);
    const std::int64_t rows = make.known(type.dimensions[1], "the number of rows");
    const std::int64_t block = boundedProduct(window.kernel).value_or(0);
    if (block < 1 || block > LargestBlock) return shapeError("its blocks are too large to be written out");
    Shape columns{type.dimensions[0].isKnown() ? type.dimensions[0].size : -1, rows};
    columns.insert(columns.end(), counts.begin(), counts.end());
    Shape filter{block, 1};
    filter.insert(filter.end(), window.kernel.begin(), window.kernel.end());
    Shape repeats(filter.size(), 1);
    repeats[0] = rows / block;
    Shape rest;  // behind the last block
    for (std::size_t i = 0; i < image.size(); ++i) {
        const std::int64_t reached =
            (counts[i] - 1) * window.strides[i] + (window.kernel[i] - 1) * window.dilations[i] + 1;
        rest.push_back(image[i] + window.pads[i] + window.pads[i + image.size()] - reached);
    }
    const TermId ones = make.constant(1.0, {block, block}, inputs[0]);
    const TermId upper = make.node("Trilu", {ones}, {{"upper", true}, {"k", std::int64_t{0}}});
    const TermId places = make.node("Trilu", {upper}, {{"upper", false}, {"k", std::int64_t{0}}});
    const TermId filters =
        make.node("Tile", {make.node("Reshape", {places}, {{"shape", filter}})}, {{"repeats", repeats}});
    return make.take(make.node("ConvTranspose", {make.node("Reshape", {inputs[0]}, {{"shape", columns}}), filters},
                               {{"strides", window.strides},
                                {"pads", window.pads},
                                {"dilations", window.dilations},
                                {"output_padding", rest},
                                {"group", rows / block}}));
}

Result<Imported> importCol2Im(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_REQUIRE(checkWindowNode(node));
    const std::optional<std::vector<std::int64_t>> image = context.integers(1);
    const std::optional<std::vector<std::int64_t>> block = context.integers(2);
    if (!image || !block) return notThisForm("the sizes of Col2Im are known only when the program runs");
    const std::vector<std::int64_t> ones(image->size(), 1);
    Attributes attributes(op);
    attributes.set("image_shape", *image)
        .set("block_shape", *block)
        .set("strides", integersOf(node, "strides").value_or(ones))
        .set("pads", integersOf(node, "pads").value_or(std::vector<std::int64_t>(2 * image->size(), 0)))
        .set("dilations", integersOf(node, "dilations").value_or(ones));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Exported exportCol2Im(const Attributes& attributes, std::span<const ArrayType> /*inputs*/) {
    Exported result = exportPlainly(attributes);
    std::size_t input = 0;
    for (const char* const name : {"image_shape", "block_shape"}) {
        result.attributes.erase(name);
        result.constants.push_back({.input = ++input, .values = attributes.integers(name)});
    }
    return result;
}

}  // namespace

void addColumns(std::vector<Operator>& table) {
    table.push_back(
        {.name = "Col2Im",
         .doc = "images [N,C,...] from the columns [N,C times block,blocks] of their windows, which are added up",
         .inputs = {{.name = "input"}},
         .attributes = {listAttribute("image_shape", "sizes of the image"),
                        listAttribute("block_shape", "sizes of a window"),
                        listAttribute("strides", "distances between windows, one number for each axis"),
                        listAttribute("pads", "what windows have before each axis, then behind each"),
                        listAttribute("dilations", "distances between the positions of a window")},
         .shape = col2ImShape,
         .evaluate = col2ImEvaluate,
         .work = workPerElement<1>,
         .onnx = {.import = importCol2Im, .exportNode = exportCol2Im, .since = 18},
         .expand = expandCol2Im});
}

}  // namespace mitos::tensor
