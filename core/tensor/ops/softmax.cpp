// SPDX-License-Identifier: GPL-3.0-or-later
// Softmax and related operators: along one axis, as since opset 13, and over all axes from one on, as before.
#include "core/tensor/internal/array_facts.h"
#include "core/tensor/internal/axes.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"
#include "core/tensor/internal/gradients.h"
#include "core/tensor/internal/strided.h"
#include "core/tensor/onnx_hooks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mitos::tensor {

namespace {

using Slice = std::vector<double>;

/// Computes e^x relative to the largest element, so that nothing overflows, and returns the sum.
double exponentials(Slice& slice) {
    const double top = *std::ranges::max_element(slice);
    for (double& element : slice) element = std::exp(element - top);
    return std::accumulate(slice.begin(), slice.end(), 0.0);
}

void softmax(Slice& slice) {
    const double total = exponentials(slice);
    for (double& element : slice) element /= total;
}

void logSoftmax(Slice& slice) {
    const double top = *std::ranges::max_element(slice);
    Slice copy = slice;
    const double total = std::log(exponentials(copy));
    for (double& element : slice) element -= top + total;
}

/// Sets the first of the largest elements to 1 and all others to 0.
void hardmax(Slice& slice) {
    const auto top = std::ranges::max_element(slice);
    const auto place = top - slice.begin();
    std::ranges::fill(slice, 0.0);
    slice[static_cast<std::size_t>(place)] = 1.0;
}

Result<std::vector<ArrayType>> softmaxShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    MITOS_REQUIRE(checkAxes(in, std::array{in.attributes.integer("axis")}));
    return std::vector<ArrayType>{in.inputs[0]};
}

template <void (*Function)(Slice&)>
Result<std::vector<ArrayPtr>> alongAxis(const EvaluateInput& in) {
    const auto change = [](std::size_t, Slice& slice) { Function(slice); };
    return std::vector<ArrayPtr>{mapSlices(*in.inputs[0], std::array{in.attributes.integer("axis")}, change)};
}

template <void (*Function)(Slice&)>
Result<std::vector<ArrayPtr>> fromAxis(const EvaluateInput& in) {
    const Array& x = *in.inputs[0];
    const auto change = [](std::size_t, Slice& slice) { Function(slice); };
    return std::vector<ArrayPtr>{mapSlices(x, axesFrom(in.attributes.integer("axis"), x.shape.size()), change)};
}

/// Before opset 13 the default axis was 1, and all later axes were included. That makes no difference if these have
/// the size 1.
Result<Imported> importAlongAxis(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    const bool isOld = node.opset < 13;
    Result<Imported> imported = importWithAxis(op, node, context, isOld ? 1 : -1);
    if (!imported || !isOld) return imported;
    const std::vector<ir::Dimension>& dimensions = context.type(0)->dimensions;
    const bool isOneAxis = std::all_of(dimensions.begin() + imported->attributes.integer("axis") + 1, dimensions.end(),
                                       [](ir::Dimension d) { return d == ir::Dimension::of(1); });
    if (!isOneAxis) return notThisForm("it goes over several axes");
    return imported;
}

/// The number of sizes that are names.
std::ptrdiff_t named(const ArrayType& type) {
    return std::ranges::count_if(type.dimensions, [](ir::Dimension d) { return !d.isKnown(); });
}

Result<Imported> importFromAxis(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    if (node.opset >= 13) return notThisForm("it goes along one axis");
    Result<Imported> imported = importWithAxis(op, node, context, 1);
    if (imported && named(*context.type(0)) > 1) return notThisForm("it goes over axes of unknown sizes");
    return imported;
}

/// Exports as a node along one axis, between nodes that join the axes into one and split them again.
Exported exportFromAxis(const Attributes& attributes, std::span<const ArrayType> inputs) {
    const std::string& type = attributes.op().onnx.type;
    // A Reshape copies a size where its shape is 0; without elements there is nothing to normalize.
    if (std::ranges::find(inputs[0].dimensions, ir::Dimension::of(0)) != inputs[0].dimensions.end())
        return {.type = "Identity"};
    std::vector<std::int64_t> shape;
    for (const ir::Dimension dimension : inputs[0].dimensions) shape.push_back(dimension.size);  // -1 is the rest
    return {.type = "Flatten",
            .attributes = {{"axis", attributes.integer("axis")}},
            .then = {{.type = type, .attributes = {{"axis", std::int64_t{1}}}},
                     {.type = "Reshape", .constants = {{.input = 1, .values = std::move(shape)}}}}};
}

/// The axes along which a term's elements are normalized.
std::vector<std::int64_t> normalizedAlong(Operands p, bool isFrom) {
    const std::int64_t axis = p.attributes.integer("axis");
    if (!isFrom) return {axis};
    return axesBetween(static_cast<std::size_t>(axis), p.a.make().type(p.a.id()).rank());
}

template <bool IsFrom>
ArrayTerm softmaxGradient(Operands p) {
    return p.r * (p.d - sumAlong(p.d * p.r, normalizedAlong(p, IsFrom)));
}
template <bool IsFrom>
ArrayTerm logSoftmaxGradient(Operands p) {
    return p.d - apply("Exp", p.r) * sumAlong(p.d, normalizedAlong(p, IsFrom));
}

template <void (*Function)(Slice&)>
void add(std::vector<Operator>& table, const std::string& name, const std::string& doc,
         const OperatorGradient& gradient, const OperatorGradient& gradientFrom) {
    Operator op{.name = name,
                .doc = doc + " along an axis",
                .inputs = {{.name = "X"}},
                .attributes = {integerAttribute("axis", {}, "the axis over which elements are normalized")},
                .shape = softmaxShape,
                .evaluate = alongAxis<Function>,
                .work = workPerElement<SeriesFlops + 2>,
                .onnx = {.import = importAlongAxis},
                .gradient = gradient};
    table.push_back(op);
    op.name = name + "From";
    op.doc = doc + " over all axes from one on: " + name + " before opset 13";
    op.evaluate = fromAxis<Function>;
    op.onnx = {.type = name, .import = importFromAxis, .exportNode = exportFromAxis};
    op.gradient = gradientFrom;
    table.push_back(std::move(op));
}

}  // namespace

void addSoftmax(std::vector<Operator>& table) {
    add<softmax>(table, "Softmax", "e^x, divided by their sum,", PointwiseGradient<softmaxGradient<false>>,
                 PointwiseGradient<softmaxGradient<true>>);
    for (std::size_t i = table.size() - 2; i < table.size(); ++i) table[i].facts = BoundedFacts<0, 1, true>;
    add<logSoftmax>(table, "LogSoftmax", "logarithm of Softmax", PointwiseGradient<logSoftmaxGradient<false>>,
                    PointwiseGradient<logSoftmaxGradient<true>>);
    add<hardmax>(table, "Hardmax", "1 for the first of the largest elements, else 0,", ZeroGradient, ZeroGradient);
}

}  // namespace mitos::tensor
