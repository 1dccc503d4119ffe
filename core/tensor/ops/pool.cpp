// SPDX-License-Identifier: GPL-3.0-or-later
// Pools: one number for each window of each channel. Padded positions are ignored, unless an average counts them.
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/window.h"
#include "core/tensor/onnx_hooks.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::TermId;

constexpr std::string_view IndexedName = "MaxPoolWithIndices";
constexpr std::string_view MeanName = "ReduceMean";
constexpr std::string_view LargestName = "ReduceMax";

bool has(const Operator& op, std::string_view attribute) {
    return std::ranges::any_of(op.attributes,
                               [attribute](const AttributeInfo& info) { return info.name == attribute; });
}

template <Takes Wanted>
Result<std::vector<ArrayType>> poolShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Wanted));
    const ArrayType& x = in.inputs[0];
    if (!x.hasRank) return std::vector<ArrayType>{x};
    if (x.rank() < 3) return shapeError(fmt::format("{} takes X of rank 3 or more; found {}", in.op.name, x.rank()));
    const WindowAttributes window = windowAttributes(in.attributes);
    const std::size_t rank = x.rank() - 2;
    MITOS_REQUIRE(checkWindow(in.op.name, window, rank));
    if (window.kernel.size() != rank) {
        return shapeError(
            fmt::format("{} takes {} numbers as kernel_shape; found {}", in.op.name, rank, window.kernel.size()));
    }
    const bool ceil = has(in.op, "ceil_mode") && in.attributes.boolean("ceil_mode");
    ArrayType result{.dtype = x.dtype, .dimensions = {x.dimensions[0], x.dimensions[1]}};
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t kernel = window.kernel[i];
        if ((window.pads[i] >= kernel || window.pads[i + rank] >= kernel) && window.dilations.empty()) {
            return shapeError(fmt::format("{}: a window of {} can lie entirely in the padding", in.op.name, kernel));
        }
        MITOS_TRY(const Dimension size,
                  windowCount(in, window, i, x.dimensions[i + 2], Dimension::of(window.kernel[i]), ceil));
        result.dimensions.push_back(size);
    }
    return std::vector<ArrayType>{std::move(result)};
}

struct Maximum {
    double value = -std::numeric_limits<double>::infinity();
    void add(double element) {
        if (element > value || std::isnan(element)) value = element;
    }
    [[nodiscard]] double result(double /*size*/) const { return value; }
};

struct Average {
    double value = 0.0;
    void add(double element) { value += element; }
    [[nodiscard]] double result(double size) const { return value / size; }
};

struct Norm {
    double power;
    double value = 0.0;
    void add(double element) { value += std::pow(std::abs(element), power); }
    [[nodiscard]] double result(double /*size*/) const { return std::pow(value, 1.0 / power); }
};

/// The number of a window's positions in the input or its padding; windows may reach beyond both.
std::int64_t paddedSize(const WindowAxis& axis, std::int64_t window) {
    const std::int64_t rest = axis.input + axis.padEnd - axis.start(window);
    return std::clamp<std::int64_t>((rest + axis.dilation - 1) / axis.dilation, 0, axis.kernel);
}

/// Reduces one window of a channel, starting from `empty`, a reduction of no elements.
template <typename Reduction>
double reduced(const double* channel, const Window& window, const std::array<std::int64_t, 3>& at, bool countPads,
               const Reduction& empty) {
    const auto& [a, b, c] = window.axes;
    const auto [aFirst, aLast] = a.inside(at[0]);
    const auto [bFirst, bLast] = b.inside(at[1]);
    const auto [cFirst, cLast] = c.inside(at[2]);
    Reduction reduction = empty;
    for (std::int64_t i = aFirst; i < aLast; ++i) {
        for (std::int64_t j = bFirst; j < bLast; ++j) {
            const std::int64_t row = (a.start(at[0]) + i * a.dilation) * b.input + b.start(at[1]) + j * b.dilation;
            const double* const line = channel + row * c.input;
            for (std::int64_t k = cFirst; k < cLast; ++k) reduction.add(line[c.start(at[2]) + k * c.dilation]);
        }
    }
    const auto product = [](std::int64_t x, std::int64_t y, std::int64_t z) {
        return static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
    };
    return reduction.result(countPads ? product(paddedSize(a, at[0]), paddedSize(b, at[1]), paddedSize(c, at[2]))
                                      : product(aLast - aFirst, bLast - bFirst, cLast - cFirst));
}

template <typename Reduction>
ArrayPtr pool(const Array& x, const Window& window, Shape shape, bool countPads, const Reduction& empty) {
    auto result = std::make_shared<Array>();
    result->dtype = x.dtype;
    result->shape = std::move(shape);
    result->elements.reserve(static_cast<std::size_t>(elementCount(result->shape)));
    const std::int64_t channels = result->shape[0] * result->shape[1];
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        const double* const from = x.elements.data() + channel * window.inputSize();
        for (std::int64_t i = 0; i < window.axes[0].output; ++i) {
            for (std::int64_t j = 0; j < window.axes[1].output; ++j) {
                for (std::int64_t k = 0; k < window.axes[2].output; ++k)
                    result->elements.push_back(reduced(from, window, {i, j, k}, countPads, empty));
            }
        }
    }
    return result;
}

template <typename Reduction>
Result<std::vector<ArrayPtr>> evaluatePool(const EvaluateInput& in, bool countPads, const Reduction& empty) {
    const Array& x = *in.inputs[0];
    Shape shape = in.outputs[0].shape();
    const Window window = windowOf(windowAttributes(in.attributes), x.shape, shape);
    return std::vector<ArrayPtr>{pool(x, window, std::move(shape), countPads, empty)};
}

Result<std::vector<ArrayPtr>> maxPool(const EvaluateInput& in) { return evaluatePool(in, false, Maximum()); }
Result<std::vector<ArrayPtr>> averagePool(const EvaluateInput& in) {
    return evaluatePool(in, in.attributes.boolean("count_include_pad"), Average());
}
Result<std::vector<ArrayPtr>> lpPool(const EvaluateInput& in) {
    return evaluatePool(in, false, Norm{.power = static_cast<double>(in.attributes.integer("p"))});
}

Work poolWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    work.flops = elements(outputs[0]);
    for (const std::int64_t size : in.attributes.integers("kernel_shape")) work.flops *= static_cast<double>(size);
    return work;
}

// --- MaxPool with the positions of the largest elements ---------------------------------------------------------------

Result<std::vector<ArrayType>> indexedShape(const ShapeInput& in) {
    MITOS_TRY(std::vector<ArrayType> outputs, poolShape<Takes::Numbers>(in));
    outputs.push_back(outputs.front());
    outputs.back().dtype = ir::Dtype::I64;
    return outputs;
}

/// The first position of a window whose element is not less; -1 if the window has none in the input.
std::int64_t placeOf(double largest, const double* channel, const Window& window,
                     const std::array<std::int64_t, 3>& at) {
    const auto& [a, b, c] = window.axes;
    const auto [aFirst, aLast] = a.inside(at[0]);
    const auto [bFirst, bLast] = b.inside(at[1]);
    const auto [cFirst, cLast] = c.inside(at[2]);
    for (std::int64_t i = aFirst; i < aLast; ++i) {
        for (std::int64_t j = bFirst; j < bLast; ++j) {
            const std::int64_t row = (a.start(at[0]) + i * a.dilation) * b.input + b.start(at[1]) + j * b.dilation;
            for (std::int64_t k = cFirst; k < cLast; ++k) {
                const std::int64_t place = row * c.input + c.start(at[2]) + k * c.dilation;
                if (!(channel[place] < largest)) return place;
            }
        }
    }
    return -1;
}

/// Computes a MaxPool with positions; of equal elements, the first counts.
Result<std::vector<ArrayPtr>> indexedMaxPool(const EvaluateInput& in) {
    const Array& x = *in.inputs[0];
    MITOS_TRY(std::vector<ArrayPtr> outputs, evaluatePool(in, false, Maximum()));
    const std::vector<double>& largest = outputs.front()->elements;
    const Window window = windowOf(windowAttributes(in.attributes), x.shape, outputs.front()->shape);
    auto places = std::make_shared<Array>();
    places->dtype = ir::Dtype::I64;
    places->shape = outputs.front()->shape;
    const auto& [a, b, c] = window.axes;
    const std::int64_t size = window.outputSize();
    for (std::size_t i = 0; i < largest.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t plane = at / size * window.inputSize();
        const std::int64_t place =
            placeOf(largest[i], x.elements.data() + plane, window,
                    {at % size / (b.output * c.output), at % size / c.output % b.output, at % c.output});
        places->elements.push_back(static_cast<double>(place < 0 ? place : plane + place));
    }
    outputs.push_back(std::move(places));
    return outputs;
}

// --- one window over all of a channel ---------------------------------------------------------------------------------

Result<std::vector<ArrayType>> globalShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    ArrayType result = in.inputs[0];
    if (!result.hasRank) return std::vector<ArrayType>{result};
    if (result.rank() < 2) {
        return shapeError(fmt::format("{} takes X[N,C,...]; found rank {}", in.op.name, result.rank()));
    }
    std::fill(result.dimensions.begin() + 2, result.dimensions.end(), Dimension::of(1));
    return std::vector<ArrayType>{std::move(result)};
}

template <typename Reduction>
Result<std::vector<ArrayPtr>> evaluateGlobal(const EvaluateInput& in, const Reduction& empty) {
    const Array& x = *in.inputs[0];
    Window window;
    const std::int64_t size = elementCount(std::span(x.shape).subspan(2));
    window.axes.back() = {.input = size, .output = 1, .kernel = size};
    return std::vector<ArrayPtr>{pool(x, window, in.outputs[0].shape(), false, empty)};
}

Result<std::vector<ArrayPtr>> globalMax(const EvaluateInput& in) { return evaluateGlobal(in, Maximum()); }
Result<std::vector<ArrayPtr>> globalAverage(const EvaluateInput& in) { return evaluateGlobal(in, Average()); }
Result<std::vector<ArrayPtr>> globalLp(const EvaluateInput& in) {
    return evaluateGlobal(in, Norm{.power = static_cast<double>(in.attributes.integer("p"))});
}

Work globalWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    work.flops = elements(in.inputs[0]);
    return work;
}

// --- ONNX -------------------------------------------------------------------------------------------------------------

Result<Imported> importPool(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_REQUIRE(checkWindowNode(node));
    MITOS_TRY(const ArrayType x, rankedInput(node, context, 0));
    if (x.rank() < 3) return notThisForm(fmt::format("X of {} has no spatial axes", node.type));
    const bool hasIndices = node.outputs.size() > 1 && !node.outputs[1].empty();
    if (hasIndices != (op.name == IndexedName)) {
        return notThisForm(fmt::format("{} {} indices as its second output", node.type, hasIndices ? "has" : "lacks"));
    }
    if (hasIndices && integerOf(node, "storage_order", 0) != 0) {
        return notThisForm("MaxPool with indices column by column");
    }
    const std::vector<std::int64_t> kernel = integersOf(node, "kernel_shape").value_or(std::vector<std::int64_t>());
    const std::vector<std::int64_t> ones(kernel.size(), 1);
    const std::vector<std::int64_t> strides = integersOf(node, "strides").value_or(ones);
    const std::vector<std::int64_t> dilations = integersOf(node, "dilations").value_or(ones);
    if (!has(op, "dilations") && dilations != ones) return notThisForm(fmt::format("{} has dilations", node.type));
    MITOS_TRY(std::vector<std::int64_t> pads,
              importedPads(node, std::span(x.dimensions).subspan(2), kernel, strides, dilations));
    Attributes attributes(op);
    attributes.set("kernel_shape", kernel).set("strides", strides).set("pads", std::move(pads));
    if (has(op, "dilations")) attributes.set("dilations", dilations);
    for (const char* const name : {"ceil_mode", "count_include_pad"}) {
        const bool isSet = integerOf(node, name, 0) != 0;
        if (!has(op, name) && isSet) return notThisForm(fmt::format("{} with {}", node.type, name));
        if (has(op, name)) attributes.set(name, isSet);
    }
    if (has(op, "p")) attributes.set("p", integerOf(node, "p", 2));
    return Imported{.attributes = std::move(attributes), .inputs = {0}};
}

Operator windowed(std::string name, std::string doc, Evaluate evaluate, std::vector<AttributeInfo> more) {
    Operator op{
        .name = std::move(name),
        .doc = std::move(doc),
        .inputs = {{.name = "X"}},
        .attributes = {integersAttribute("kernel_shape", "sizes of the window"),
                       integersAttribute("strides", "distances between windows, one number for each spatial axis"),
                       integersAttribute("pads", "positions added before each spatial axis, then after each")},
        .shape = poolShape<Takes::Floats>,
        .evaluate = evaluate,
        .work = poolWork,
        .onnx = {.import = importPool}};
    op.attributes.insert(op.attributes.end(), more.begin(), more.end());
    return op;
}

Operator global(std::string name, std::string doc, Evaluate evaluate) {
    return {.name = std::move(name),
            .doc = std::move(doc),
            .inputs = {{.name = "X"}},
            .shape = globalShape,
            .evaluate = evaluate,
            .work = globalWork};
}

// --- gradients ------------------------------------------------------------------------------------------------------

/// A MaxPool that also gives the places of the largest elements, which its gradient needs.
Result<TermId> withIndices(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                           Symbol hint) {
    TermMaker make(bank, hint);
    const TermId both = make.node(IndexedName, inputs,
                                  {{"kernel_shape", attributes.integers("kernel_shape")},
                                   {"strides", attributes.integers("strides")},
                                   {"pads", attributes.integers("pads")},
                                   {"dilations", attributes.integers("dilations")},
                                   {"ceil_mode", attributes.boolean("ceil_mode")}});
    return make.take(make.output(both, 0));
}

/// Cotangents are added at the places of the largest elements, which count over all of X.
std::vector<TermId> maxPoolGradient(const GradientInput& in) {
    TermMaker& make = in.make;
    const std::vector<std::int64_t> flat{-1};
    const TermId places = make.node("Reshape", {in.outputs[1]}, {{"shape", flat}});
    const TermId updates = make.node("Reshape", {in.cotangents[0]}, {{"shape", flat}});
    const ArrayType type = make.type(in.inputs[0]);
    const TermId zeros = type.isStatic() ? make.constant(0.0, {elementCount(type.shape())}, in.inputs[0])
                                         : make.node("Reshape", {zerosLike(make, in.inputs[0])}, {{"shape", flat}});
    const TermId added = make.node("ScatterElements", {zeros, places, updates},
                                   {{"axis", std::int64_t{0}}, {"reduction", std::string("add")}});
    return {make.failed() ? TermId() : reshapedTo(make, added, in.inputs[0])};
}

/// A transposed convolution with ones distributes each cotangent, divided by the size of its window, over the window. Channels are images
/// of their own.
std::vector<TermId> averagePoolGradient(const GradientInput& in) {
    TermMaker& make = in.make;
    const TermId x = in.inputs[0];
    const ArrayType type = make.type(x);
    const ArrayType pooled = make.type(in.cotangents[0]);
    const WindowAttributes window = windowAttributes(in.attributes);
    const std::size_t rank = window.kernel.size();
    Shape input{1, 1};
    Shape output{-1, 1};
    Shape kernel{1, 1};
    Shape rest;  // behind the last window
    bool isCut = in.attributes.boolean("ceil_mode");
    for (std::size_t i = 0; type.hasRank && i < rank; ++i) {
        input.push_back(make.known(type.dimensions[i + 2], "a size of the images"));
        output.push_back(make.known(pooled.dimensions[i + 2], "a size of the images"));
        kernel.push_back(window.kernel[i]);
        rest.push_back(input.back() + window.pads[i] + window.pads[i + rank] - (output.back() - 1) * window.strides[i] -
                       window.kernel[i]);
        isCut = isCut && rest.back() < 0;
    }
    if (isCut || !type.hasRank)
        make.fail(shapeError(isCut ? "a window reaches beyond the end" : "the rank of X is unknown"));
    if (make.failed()) return {TermId()};
    const TermId ones = make.constant(1.0, kernel, x);
    const bool isPadded = std::ranges::any_of(window.pads, [](std::int64_t pad) { return pad > 0; });
    const bool hasCounts = isPadded && !in.attributes.boolean("count_include_pad");
    const Shape dense(rank, 1);
    const TermId counts = hasCounts
                              ? make.node("Conv", {make.constant(1.0, input, x), ones},
                                          {{"strides", window.strides}, {"pads", window.pads}, {"dilations", dense}})
                              : make.scalar(static_cast<double>(elementCount(kernel)), x);
    const TermId images = make.node("Reshape", {in.cotangents[0]}, {{"shape", output}});
    const TermId spread =
        make.node("ConvTranspose", {make.node("Div", {images, counts}), ones},
                  {{"strides", window.strides}, {"pads", window.pads}, {"dilations", dense}, {"output_padding", rest}});
    return {make.failed() ? TermId() : reshapedTo(make, spread, x)};
}

/// A global pool as a reduction, whose axes stay.
template <const std::string_view& Reduction>
Result<TermId> asReduction(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& /*attributes*/,
                           Symbol hint) {
    TermMaker make(bank, hint);
    const ArrayType type = make.type(inputs[0]);
    if (!type.hasRank) return shapeError("the rank of X is unknown");
    return make.take(make.node(Reduction, inputs, {{"axes", axesBetween(2, type.rank())}, {"keepdims", true}}));
}

/// The sum of |x|^p over windows, as a mean that counts padded positions, and its root.
Result<TermId> normOfWindows(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                             Symbol hint) {
    TermMaker make(bank, hint);
    const auto power = static_cast<double>(attributes.integer("p"));
    double places = 1.0;
    for (const std::int64_t size : attributes.integers("kernel_shape")) places *= static_cast<double>(size);
    const ArrayTerm powers = apply("Pow", apply("Abs", ArrayTerm(make, inputs[0])), power);
    const ArrayTerm means = apply("AveragePool", powers,
                                  {{"kernel_shape", attributes.integers("kernel_shape")},
                                   {"strides", attributes.integers("strides")},
                                   {"pads", attributes.integers("pads")},
                                   {"count_include_pad", true}});
    return make.take(apply("Pow", means * places, 1.0 / power).id());
}

/// The same over all spatial axes.
Result<TermId> normOfChannels(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                              Symbol hint) {
    TermMaker make(bank, hint);
    const ArrayType type = make.type(inputs[0]);
    if (!type.hasRank) return shapeError("the rank of X is unknown");
    const auto power = static_cast<double>(attributes.integer("p"));
    const ArrayTerm powers = apply("Pow", apply("Abs", ArrayTerm(make, inputs[0])), power);
    return make.take(apply("Pow", sumAlong(powers, axesBetween(2, type.rank())), 1.0 / power).id());
}

}  // namespace

void addPools(std::vector<Operator>& table) {
    const AttributeInfo ceil = {.name = "ceil_mode",
                                .kind = AttributeKind::Boolean,
                                .defaultText = "false",
                                .doc = "whether a last window may reach beyond the end"};
    const AttributeInfo power = {.name = "p", .kind = AttributeKind::Integer, .defaultText = "2", .doc = "of the norm"};
    table.push_back(windowed("MaxPool", "the largest element of each window", maxPool,
                             {integersAttribute("dilations", "distances between the positions of a window"), ceil}));
    table.back().shape = poolShape<Takes::Numbers>;
    Operator indexed = table.back();
    table.back().gradient.instead = withIndices;
    indexed.gradient.rule = maxPoolGradient;
    indexed.name = IndexedName;
    indexed.doc = "the largest element of each window, and its place in X as a whole";
    indexed.shape = indexedShape;
    indexed.evaluate = indexedMaxPool;
    indexed.onnx.type = "MaxPool";
    table.push_back(std::move(indexed));
    table.push_back(windowed("AveragePool", "the mean of each window", averagePool,
                             {ceil,
                              {.name = "count_include_pad",
                               .kind = AttributeKind::Boolean,
                               .defaultText = "false",
                               .doc = "whether padded positions count as zeros"}}));
    table.back().gradient.rule = averagePoolGradient;
    table.push_back(windowed("LpPool", "the p-norm of each window", lpPool, {power}));
    table.back().gradient.instead = normOfWindows;
    table.push_back(global("GlobalMaxPool", "the largest element of each channel", globalMax));
    table.back().gradient.instead = asReduction<LargestName>;
    table.push_back(global("GlobalAveragePool", "the mean of each channel", globalAverage));
    table.back().gradient.instead = asReduction<MeanName>;
    table.push_back(global("GlobalLpPool", "the p-norm of each channel", globalLp));
    table.back().attributes = {power};
    table.back().gradient.instead = normOfChannels;
}

}  // namespace mitos::tensor
