// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions. The sizes of the kernel are those of the input W, not an attribute.
#include "core/tensor/dimension.h"
#include "core/tensor/internal/convolution.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/gemm.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::TermId;

/// The number of doubles in the buffer for the windows of a few lines of output, which fits into the cache.
constexpr std::int64_t BufferSize = std::int64_t{1} << 17U;

/// Checks ranks, groups and bias. `features` is the axis of W for the output's channels, 0 or 1; the other one is for X's.
/// Axis 0 of W counts the channels of all groups together.
Status checkConv(const ShapeInput& in, std::size_t features) {
    const ArrayType& x = in.inputs[0];
    const ArrayType& w = in.inputs[1];
    if (x.rank() != w.rank()) {
        return shapeError(fmt::format("{} takes X and W of one rank; found {} and {}", in.op.name, x.rank(), w.rank()));
    }
    if (x.rank() < 3) return shapeError(fmt::format("{} takes X of rank 3 or more; found {}", in.op.name, x.rank()));
    MITOS_REQUIRE(checkWindow(in.op.name, windowAttributes(in.attributes), x.rank() - 2));
    const std::int64_t group = in.attributes.integer("group");
    if (group < 1) return shapeError(fmt::format("{}: a group of {} is less than 1", in.op.name, group));
    const Dimension all = w.dimensions[0];
    if (all.isKnown() && all.size % group != 0) {
        return shapeError(fmt::format("{}: {} channels in W are no multiple of group {}", in.op.name, all.size, group));
    }
    const bool isForward = features == 0;
    const Dimension wanted =
        isForward ? (SizeExpression(w.dimensions[1], in.symbols) * group).dimension(in.symbols) : all;
    if (!mayBeEqual(x.dimensions[1], wanted)) {
        return shapeError(fmt::format("{}: X has {} channels, W (with group {}) {}", in.op.name,
                                      dimensionText(x.dimensions[1], in.symbols), group,
                                      dimensionText(wanted, in.symbols)));
    }
    if (!in.isPresent(2) || !in.inputs[2].hasRank) return Success{};
    const Dimension outputs =
        isForward ? all : (SizeExpression(w.dimensions[1], in.symbols) * group).dimension(in.symbols);
    const ArrayType& b = in.inputs[2];
    if (b.rank() != 1 || !mayBeEqual(b.dimensions[0], outputs)) {
        return shapeError(fmt::format("{} takes a bias with one number for each of {} channels", in.op.name,
                                      dimensionText(outputs, in.symbols)));
    }
    return Success{};
}

Result<std::vector<ArrayType>> convShape(const ShapeInput& in) {
    const ArrayType& x = in.inputs[0];
    const ArrayType& w = in.inputs[1];
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    if (!x.hasRank || !w.hasRank) return std::vector<ArrayType>{{.dtype = x.dtype, .hasRank = false}};
    MITOS_REQUIRE(checkConv(in, 0));
    ArrayType result{.dtype = x.dtype, .dimensions = {x.dimensions[0], w.dimensions[0]}};
    const WindowAttributes window = windowAttributes(in.attributes);
    for (std::size_t i = 0; i + 2 < x.rank(); ++i) {
        MITOS_TRY(const Dimension size, windowCount(in, window, i, x.dimensions[i + 2], w.dimensions[i + 2], false));
        result.dimensions.push_back(size);
    }
    return std::vector<ArrayType>{std::move(result)};
}

Result<std::vector<ArrayType>> convTransposeShape(const ShapeInput& in) {
    const ArrayType& x = in.inputs[0];
    const ArrayType& w = in.inputs[1];
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    if (!x.hasRank || !w.hasRank) return std::vector<ArrayType>{{.dtype = x.dtype, .hasRank = false}};
    MITOS_REQUIRE(checkConv(in, 1));
    const std::size_t rank = x.rank() - 2;
    const std::vector<std::int64_t>& extra = in.attributes.integers("output_padding");
    if (extra.size() != rank) {
        return shapeError(
            fmt::format("ConvTranspose takes {} numbers as output_padding; found {}", rank, extra.size()));
    }
    SymbolTable& symbols = in.symbols;
    const SizeExpression features = SizeExpression(w.dimensions[1], symbols) * in.attributes.integer("group");
    ArrayType result{.dtype = x.dtype, .dimensions = {x.dimensions[0], features.dimension(symbols)}};
    const WindowAttributes window = windowAttributes(in.attributes);
    for (std::size_t i = 0; i < rank; ++i) {
        if (extra[i] < 0 || extra[i] > MostPositions)
            return shapeError(fmt::format("ConvTranspose: {} is no output_padding", extra[i]));
        if (w.dimensions[i + 2].isKnown() && w.dimensions[i + 2].size < 1)
            return shapeError("ConvTranspose: the window is empty");
        const SizeExpression extent = (SizeExpression(w.dimensions[i + 2], symbols) - 1) * window.dilations[i] + 1;
        const SizeExpression size = (SizeExpression(x.dimensions[i + 2], symbols) - 1) * window.strides[i] + extent +
                                    extra[i] - window.pads[i] - window.pads[i + rank];
        if (size.number().value_or(0) < 0) return shapeError("ConvTranspose: the pads leave nothing of the output");
        result.dimensions.push_back(size.dimension(symbols));
    }
    return std::vector<ArrayType>{std::move(result)};
}

bool isPointwise(const Window& window) {
    return window.kernelSize() == 1 && std::ranges::all_of(window.axes, [](const WindowAxis& axis) {
               return axis.stride == 1 && axis.padBegin == 0 && axis.padEnd == 0;
           });
}

void addBias(const EvaluateInput& in, Array& result, std::int64_t size) {
    if (in.inputs.size() < 3 || in.inputs[2] == nullptr) return;
    const std::vector<double>& bias = in.inputs[2]->elements;
    double* at = result.elements.data();
    for (std::int64_t image = 0; image < result.shape[0]; ++image) {
        for (const double value : bias) {
            for (std::int64_t i = 0; i < size; ++i) *at++ += value;
        }
    }
}

WindowAttributes windowOfWeight(const EvaluateInput& in) {
    WindowAttributes attributes = windowAttributes(in.attributes);
    attributes.kernel.assign(in.inputs[1]->shape.begin() + 2, in.inputs[1]->shape.end());
    return attributes;
}

Result<std::vector<ArrayPtr>> convEvaluate(const EvaluateInput& in) {
    const Array& x = *in.inputs[0];
    const Array& w = *in.inputs[1];
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const Window window = windowOf(windowOfWeight(in), x.shape, result->shape);
    const std::int64_t groups = in.attributes.integer("group");
    const std::int64_t channels = w.shape[1];
    const std::int64_t features = w.shape[0] / groups;
    const std::int64_t depth = channels * window.kernelSize();
    const std::int64_t size = window.outputSize();
    const std::int64_t lineSize = window.axes[2].output;
    const std::int64_t lines = lineSize == 0 ? 0 : size / lineSize;
    const std::int64_t step = std::max<std::int64_t>(1, BufferSize / std::max<std::int64_t>(1, depth * lineSize));
    std::vector<double> buffer;
    for (std::int64_t part = 0; part < x.shape[0] * groups; ++part) {  // each group of each image
        const double* const input = x.elements.data() + part * channels * window.inputSize();
        double* const output = result->elements.data() + part * features * size;
        const MatrixView kernel{.data = w.elements.data() + part % groups * features * depth,
                                .rows = features,
                                .columns = depth,
                                .stride = depth};
        if (isPointwise(window)) {
            multiply(kernel, {.data = input, .rows = depth, .columns = size, .stride = size}, output, size);
            continue;
        }
        for (std::int64_t from = 0; from < lines; from += step) {
            const std::int64_t to = std::min(lines, from + step);
            const std::int64_t columns = (to - from) * lineSize;
            buffer.resize(static_cast<std::size_t>(depth * columns));
            moveWindows<false>(window, channels, input, buffer.data(), from, to);
            multiply(kernel, {.data = buffer.data(), .rows = depth, .columns = columns, .stride = columns},
                     output + from * lineSize, size);
        }
    }
    addBias(in, *result, size);
    return std::vector<ArrayPtr>{std::move(result)};
}

/// Computes the transpose of the convolution that maps the output back to the input.
Result<std::vector<ArrayPtr>> convTransposeEvaluate(const EvaluateInput& in) {
    const Array& x = *in.inputs[0];
    const Array& w = *in.inputs[1];
    std::shared_ptr<Array> result = blank(in.outputs[0]);
    const Window window = windowOf(windowOfWeight(in), result->shape, x.shape);
    const std::int64_t groups = in.attributes.integer("group");
    const std::int64_t channels = x.shape[1] / groups;
    const std::int64_t features = w.shape[1];
    const std::int64_t depth = features * window.kernelSize();
    const std::int64_t size = window.outputSize();  // output of that convolution: positions of x
    const std::int64_t lineSize = window.axes[2].output;
    const std::int64_t lines = lineSize == 0 ? 0 : size / lineSize;
    const std::int64_t step = std::max<std::int64_t>(1, BufferSize / std::max<std::int64_t>(1, depth * lineSize));
    std::vector<double> buffer;
    for (std::int64_t part = 0; part < x.shape[0] * groups; ++part) {
        const MatrixView kernel{.data = w.elements.data() + part % groups * channels * depth,
                                .rows = channels,
                                .columns = depth,
                                .stride = depth,
                                .isTransposed = true};
        double* const output = result->elements.data() + part * features * window.inputSize();
        for (std::int64_t from = 0; from < lines; from += step) {
            const std::int64_t to = std::min(lines, from + step);
            const std::int64_t columns = (to - from) * lineSize;
            buffer.resize(static_cast<std::size_t>(depth * columns));
            const MatrixView input{.data = x.elements.data() + part * channels * size + from * lineSize,
                                   .rows = channels,
                                   .columns = columns,
                                   .stride = size};
            multiply(kernel, input, buffer.data(), columns);
            moveWindows<true>(window, features, output, buffer.data(), from, to);
        }
    }
    addBias(in, *result, window.inputSize());
    return std::vector<ArrayPtr>{std::move(result)};
}

/// The work if each element of `applied` is multiplied by each number of one filter of W. W's first axis counts the filters.
Work convWork(const ShapeInput& in, std::span<const ArrayType> outputs, const ArrayType& applied) {
    Work work = movement(in, outputs);
    const ArrayType& w = in.inputs[1];
    if (w.rank() < 2) return work;
    ArrayType filter = w;
    filter.dimensions.erase(filter.dimensions.begin());
    work.flops = 2.0 * elements(applied) * elements(filter);
    if (in.isPresent(2)) work.flops += elements(outputs[0]);
    return work;
}

Work forwardWork(const ShapeInput& in, std::span<const ArrayType> outputs) { return convWork(in, outputs, outputs[0]); }
Work convTransposeWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    return convWork(in, outputs, in.inputs[0]);
}

// --- ONNX -------------------------------------------------------------------------------------------------------------

struct ImportedWindow {
    std::vector<Dimension> input;
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
};

Result<ImportedWindow> importedWindow(const OnnxNode& node, const OnnxContext& context, std::size_t kernel) {
    MITOS_REQUIRE(checkWindowNode(node));
    MITOS_TRY(const ArrayType x, rankedInput(node, context, 0));
    MITOS_TRY(const ArrayType w, rankedInput(node, context, kernel));
    if (x.rank() < 3 || w.rank() != x.rank()) return notThisForm("X and W do not have the same spatial axes");
    ImportedWindow window;
    window.input.assign(x.dimensions.begin() + 2, x.dimensions.end());
    const std::optional<std::vector<std::int64_t>> stated = integersOf(node, "kernel_shape");
    if (stated && stated->size() + 2 != w.rank()) return notThisForm("W does not have the axes of kernel_shape");
    for (std::size_t i = 2; i < w.rank(); ++i) {
        const Dimension size = w.dimensions[i];
        if (!size.isKnown() && !stated) return notThisForm("the sizes of the kernel are unknown");
        window.kernel.push_back(stated ? (*stated)[i - 2] : size.size);
        if (!mayBeEqual(size, Dimension::of(window.kernel.back()))) {
            return notThisForm(fmt::format("kernel_shape says {}, and W {}", window.kernel.back(),
                                           dimensionText(size, context.symbols())));
        }
    }
    const std::vector<std::int64_t> ones(window.kernel.size(), 1);
    window.strides = integersOf(node, "strides").value_or(ones);
    window.dilations = integersOf(node, "dilations").value_or(ones);
    return window;
}

Result<Imported> importConv(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(Imported imported, importConvolution(op, node, context, 1));
    imported.inputs = firstInputs(node, 3);
    return imported;
}

/// The pads that give the output the node's size: output_shape, or auto_pad (input times stride). An
/// output that is larger than windows reach is padded at its end: `extra`, the output_padding, grows.
Result<std::vector<std::int64_t>> transposePads(const OnnxNode& node, const ImportedWindow& window,
                                                std::vector<std::int64_t>& extra) {
    const std::size_t rank = window.kernel.size();
    const std::string mode = wordOf(node, "auto_pad", "NOTSET");
    std::optional<std::vector<std::int64_t>> wanted = integersOf(node, "output_shape");
    std::vector<std::int64_t> pads(2 * rank, 0);
    if (!wanted && mode == "NOTSET") return integersOf(node, "pads").value_or(pads);
    if (!wanted && mode == "VALID") return pads;
    if (wanted && wanted->size() > rank) wanted->erase(wanted->begin(), wanted->end() - static_cast<long>(rank));
    if ((wanted && wanted->size() != rank) || window.strides.size() != rank || window.dilations.size() != rank ||
        extra.size() != rank) {
        return notThisForm("ConvTranspose does not have one number for each spatial axis");
    }
    for (const auto& numbers : {window.strides, window.kernel, window.dilations, extra}) {
        if (areTooLarge(numbers)) return notThisForm("a window of ConvTranspose is too large");
    }
    for (std::size_t i = 0; i < rank; ++i) {
        if (window.input[i].isKnown() && window.input[i].size > MostPositions)
            return notThisForm("ConvTranspose has too many positions");
        if (!window.input[i].isKnown()) return notThisForm("the pads of ConvTranspose depend on an unknown size");
        const std::int64_t size = wanted ? (*wanted)[i] : window.input[i].size * window.strides[i];
        const std::int64_t full = window.strides[i] * (window.input[i].size - 1) + extra[i] +
                                  (window.kernel[i] - 1) * window.dilations[i] + 1;
        const std::int64_t total = std::max<std::int64_t>(0, full - size);
        if (wanted) extra[i] += std::max<std::int64_t>(0, size - full);
        pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
        pads[i + rank] = total - pads[i];
    }
    return pads;
}

Result<Imported> importConvTranspose(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(const ImportedWindow window, importedWindow(node, context, 1));
    std::vector<std::int64_t> extra =
        integersOf(node, "output_padding").value_or(std::vector<std::int64_t>(window.kernel.size(), 0));
    MITOS_TRY(std::vector<std::int64_t> pads, transposePads(node, window, extra));
    Attributes attributes(op);
    attributes.set("strides", window.strides)
        .set("pads", std::move(pads))
        .set("dilations", window.dilations)
        .set("output_padding", std::move(extra))
        .set("group", integerOf(node, "group", 1));
    return Imported{.attributes = std::move(attributes), .inputs = firstInputs(node, 3)};
}

Exported exportConv(const Attributes& attributes, std::span<const ArrayType> inputs) {
    return exportConvolution(attributes, inputs[1]);
}

// --- gradients ------------------------------------------------------------------------------------------------------

/// The spatial sizes of an array of images, which must be numbers.
Shape spatialSizes(TermMaker& make, TermId images) {
    const ArrayType type = make.type(images);
    Shape sizes;
    if (!type.hasRank) make.fail(shapeError("the rank of X is unknown"));
    for (std::size_t i = 2; i < type.rank(); ++i) {
        sizes.push_back(make.known(type.dimensions[i], "a size of the images"));
    }
    return sizes;
}

/// The first two axes exchanged.
TermId exchanged(TermMaker& make, TermId images) {
    std::vector<std::int64_t> order = axesBetween(0, make.type(images).rank());
    std::swap(order[0], order[1]);
    return make.node("Transpose", {images}, {{"perm", order}});
}

/// Images [N,C,…] as [C/group,group*N,…]: each channel of a group is an image whose channels are the images.
TermId channelsAsImages(TermMaker& make, TermId images, std::int64_t group) {
    if (group == 1) return exchanged(make, images);
    const ArrayType type = make.type(images);
    const Shape sizes = spatialSizes(make, images);
    const std::int64_t count = make.known(type.dimensions[0], "the number of images");
    const std::int64_t channels = make.known(type.dimensions[1], "the number of channels") / group;
    Shape apart{count, group, channels};
    Shape joined{channels, group * count};
    apart.insert(apart.end(), sizes.begin(), sizes.end());
    joined.insert(joined.end(), sizes.begin(), sizes.end());
    std::vector<std::int64_t> order = axesBetween(0, apart.size());
    std::swap(order[0], order[2]);
    const TermId parts = make.node("Reshape", {images}, {{"shape", apart}});
    return make.node("Reshape", {make.node("Transpose", {parts}, {{"perm", order}})}, {{"shape", joined}});
}

/// The cotangent of the kernel of a convolution from `images` to `results`, as a convolution with strides and dilations exchanged. If the
/// windows do not reach the end of the images, it has further elements, which are cut off.
TermId kernelGradient(const GradientInput& in, TermId images, TermId results, TermId kernel) {
    TermMaker& make = in.make;
    const WindowAttributes window = windowAttributes(in.attributes);
    const Shape input = spatialSizes(make, images);
    const Shape output = spatialSizes(make, results);
    const Shape sizes = spatialSizes(make, kernel);
    if (make.failed()) return {};
    const std::size_t rank = input.size();
    std::vector<std::int64_t> pads = window.pads;
    bool isCut = false;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t wanted = (output[i] - 1) * window.strides[i] + (sizes[i] - 1) * window.dilations[i] + 1;
        const std::int64_t end = wanted - input[i] - pads[i];
        pads[i + rank] = std::max<std::int64_t>(0, end);
        isCut = isCut || end < 0;
    }
    const std::int64_t group = in.attributes.integer("group");
    TermId found =
        make.node("Conv", {channelsAsImages(make, images, group), exchanged(make, results)},
                  {{"strides", window.dilations}, {"pads", pads}, {"dilations", window.strides}, {"group", group}});
    if (isCut && !make.failed()) {
        found = make.node("Slice", {found},
                          {{"starts", Shape(rank, 0)},
                           {"ends", sizes},
                           {"axes", axesBetween(2, rank + 2)},
                           {"steps", Shape(rank, 1)}});
    }
    return make.failed() ? TermId() : exchanged(make, found);
}

TermId biasGradient(const GradientInput& in) {
    std::vector<std::int64_t> axes = axesBetween(0, in.make.type(in.cotangents[0]).rank());
    axes.erase(axes.begin() + 1);
    return in.make.node("ReduceSum", {in.cotangents[0]}, {{"axes", axes}, {"keepdims", false}});
}

std::vector<TermId> convGradient(const GradientInput& in) {
    std::vector<TermId> result(in.inputs.size());
    TermMaker& make = in.make;
    const TermId d = in.cotangents[0];
    const WindowAttributes window = windowAttributes(in.attributes);
    if (in.isWanted[0]) {
        const Shape input = spatialSizes(make, in.inputs[0]);
        const Shape output = spatialSizes(make, d);
        const Shape kernel = spatialSizes(make, in.inputs[1]);
        if (make.failed()) return result;
        Shape rest;  // behind the last window
        for (std::size_t i = 0; i < input.size(); ++i) {
            rest.push_back(input[i] + window.pads[i] + window.pads[i + input.size()] -
                           (output[i] - 1) * window.strides[i] - (kernel[i] - 1) * window.dilations[i] - 1);
        }
        result[0] = make.node("ConvTranspose", {d, in.inputs[1]},
                              {{"strides", window.strides},
                               {"pads", window.pads},
                               {"dilations", window.dilations},
                               {"output_padding", rest},
                               {"group", in.attributes.integer("group")}});
    }
    if (in.isWanted[1]) result[1] = kernelGradient(in, in.inputs[0], d, in.inputs[1]);
    if (in.inputs.size() > 2 && in.isWanted[2]) result[2] = biasGradient(in);
    return result;
}

/// A transposed convolution is the transpose of the convolution from its results to its images.
std::vector<TermId> convTransposeGradient(const GradientInput& in) {
    std::vector<TermId> result(in.inputs.size());
    const TermId d = in.cotangents[0];
    const WindowAttributes window = windowAttributes(in.attributes);
    if (in.isWanted[0]) {
        result[0] = in.make.node("Conv", {d, in.inputs[1]},
                                 {{"strides", window.strides},
                                  {"pads", window.pads},
                                  {"dilations", window.dilations},
                                  {"group", in.attributes.integer("group")}});
    }
    if (in.isWanted[1]) result[1] = kernelGradient(in, d, in.inputs[0], in.inputs[1]);
    if (in.inputs.size() > 2 && in.isWanted[2]) result[2] = biasGradient(in);
    return result;
}

}  // namespace

Result<Imported> importConvolution(const Operator& op, const OnnxNode& node, const OnnxContext& context,
                                   std::size_t kernel) {
    MITOS_TRY(const ImportedWindow window, importedWindow(node, context, kernel));
    MITOS_TRY(std::vector<std::int64_t> pads,
              importedPads(node, window.input, window.kernel, window.strides, window.dilations));
    Attributes attributes(op);
    attributes.set("strides", window.strides)
        .set("pads", std::move(pads))
        .set("dilations", window.dilations)
        .set("group", integerOf(node, "group", 1));
    return Imported{.attributes = std::move(attributes), .inputs = {}};
}

Exported exportConvolution(const Attributes& attributes, const ArrayType& kernel) {
    Exported result = exportPlainly(attributes);
    if (kernel.isStatic() && kernel.rank() > 2) {
        const Shape shape = kernel.shape();
        result.attributes.emplace("kernel_shape", std::vector<std::int64_t>(shape.begin() + 2, shape.end()));
    }
    return result;
}

void addConvolutions(std::vector<Operator>& table) {
    const std::vector<InputInfo> inputs = {
        {.name = "X"}, {.name = "W"}, {.name = "B", .kind = InputInfo::Kind::Optional}};
    const AttributeInfo strides =
        integersAttribute("strides", "distances between windows, one number for each spatial axis");
    const AttributeInfo pads = integersAttribute("pads", "zeros added before each spatial axis, then after each");
    const AttributeInfo dilations = integersAttribute("dilations", "distances between the positions of a window");
    const AttributeInfo group = {.name = "group",
                                 .kind = AttributeKind::Integer,
                                 .defaultText = "1",
                                 .doc = "groups of channels that are computed separately"};
    table.push_back({.name = "Conv",
                     .doc = "convolution of X[N,C,...] with the filters W[M,C/group,...], plus a bias for each filter",
                     .inputs = inputs,
                     .attributes = {strides, pads, dilations, group},
                     .shape = convShape,
                     .evaluate = convEvaluate,
                     .work = forwardWork,
                     .onnx = {.import = importConv, .exportNode = exportConv},
                     .gradient = {.rule = convGradient}});
    table.push_back(
        {.name = "ConvTranspose",
         .doc = "transposed convolution of X[N,C,...] with W[C,M/group,...], plus a bias for each channel",
         .inputs = inputs,
         .attributes = {strides, pads, dilations,
                        integersAttribute("output_padding", "how much the output is extended at the end of each axis"),
                        group},
         .shape = convTransposeShape,
         .evaluate = convTransposeEvaluate,
         .work = convTransposeWork,
         .onnx = {.import = importConvTranspose, .exportNode = exportConv},
         .gradient = {.rule = convTransposeGradient}});
}

}  // namespace mitos::tensor
