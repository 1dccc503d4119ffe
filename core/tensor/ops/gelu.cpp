// SPDX-License-Identifier: GPL-3.0-or-later
// The Gelu family of ONNX Runtime (domain com.microsoft).
#include "core/tensor/dimension.h"
#include "core/tensor/expand.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/entries.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace mitos::tensor {

namespace {

using ir::TermBank;
using ir::TermId;

/// The scale sqrt(2 / pi), and the factor of the cube.
constexpr double TanhScale = 0.7978845608028654;
constexpr double CubeScale = 0.044715;

double gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2)); }
double fastGelu(double x) { return 0.5 * x * (1.0 + std::tanh(TanhScale * (x + CubeScale * x * x * x))); }

auto quickGelu(const Attributes& attributes) {
    return [alpha = attributes.floating("alpha")](double x) { return x / (1.0 + std::exp(-alpha * x)); };
}

/// Applies a function after adding the second input, a number for each column; that input may be left out.
template <auto Function>
Result<std::vector<ArrayPtr>> ofBiased(const EvaluateInput& in) {
    if (in.inputs.size() < 2) return mapElements<Function>(in);
    return mapElements<[](double x, double bias) { return Function(x + bias); }>(in);
}

Result<std::vector<ArrayType>> biasedShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    const ArrayType& x = in.inputs[0];
    if (!in.isPresent(1) || !in.inputs[1].hasRank || !x.hasRank) return std::vector<ArrayType>{x};
    const ArrayType& bias = in.inputs[1];
    const bool fits = x.rank() >= 1 && bias.rank() == 1 && mayBeEqual(bias.dimensions[0], x.dimensions.back());
    if (fits) return std::vector<ArrayType>{x};
    return shapeError(fmt::format("{} takes a bias with a number for each column", in.op.name));
}

Work biasedWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work result = workPerElement<SeriesFlops>(in, outputs);
    if (in.isPresent(1)) result.flops += elements(in.inputs[0]);
    return result;
}

TermId expandedGelu(TermMaker& make, TermId x) {
    const TermId error = make.node("Erf", {make.node("Mul", {x, make.scalar(std::numbers::sqrt2 / 2.0, x)})});
    const TermId half = make.node("Mul", {x, make.scalar(0.5, x)});
    return make.node("Mul", {half, make.node("Add", {error, make.scalar(1.0, x)})});
}

Result<TermId> expandGelu(TermBank& bank, std::span<const TermId> inputs, const Attributes&, Symbol hint) {
    TermMaker make(bank, hint);
    const TermId x = inputs.size() > 1 ? make.node("Add", inputs) : inputs[0];
    return make.take(expandedGelu(make, x));
}

Result<TermId> expandFastGelu(TermBank& bank, std::span<const TermId> inputs, const Attributes&, Symbol hint) {
    TermMaker make(bank, hint);
    const TermId x = inputs.size() > 1 ? make.node("Add", inputs) : inputs[0];
    const TermId cube = make.node("Mul", {make.node("Mul", {x, x}), x});
    const TermId inner = make.node("Add", {x, make.node("Mul", {cube, make.scalar(CubeScale, x)})});
    const TermId gate = make.node("Tanh", {make.node("Mul", {inner, make.scalar(TanhScale, x)})});
    const TermId half = make.node("Mul", {x, make.scalar(0.5, x)});
    return make.take(make.node("Mul", {half, make.node("Add", {gate, make.scalar(1.0, x)})}));
}

Result<TermId> expandQuickGelu(TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                               Symbol hint) {
    TermMaker make(bank, hint);
    const TermId x = inputs[0];
    const TermId scaled = make.node("Mul", {x, make.scalar(attributes.floating("alpha"), x)});
    return make.take(make.node("Mul", {x, make.node("Sigmoid", {scaled})}));
}

}  // namespace

void addGelus(std::vector<Operator>& table) {
    table.push_back({.name = "Gelu",
                     .doc = "x / 2 (1 + erf(x / sqrt 2))",
                     .inputs = {{.name = "X"}},
                     .shape = elementwiseShape<Takes::Floats>,
                     .evaluate = mapElements<gelu>,
                     .work = workPerElement<SeriesFlops>,
                     .traits = {.pointwise = true},
                     .onnx = {.domain = "com.microsoft"},
                     .expand = expandGelu});
    table.push_back({.name = "QuickGelu",
                     .doc = "x times the sigmoid of alpha x",
                     .inputs = {{.name = "X"}},
                     .attributes = {floatAttribute("alpha", "1.702", "alpha")},
                     .shape = elementwiseShape<Takes::Floats>,
                     .evaluate = mapElements<quickGelu>,
                     .work = workPerElement<SeriesFlops>,
                     .traits = {.pointwise = true},
                     .onnx = {.domain = "com.microsoft"},
                     .expand = expandQuickGelu});
    table.push_back({.name = "BiasGelu",
                     .doc = "Gelu of a sum with a number for each column",
                     .inputs = {{.name = "A"}, {.name = "B"}},
                     .shape = biasedShape,
                     .evaluate = ofBiased<gelu>,
                     .work = biasedWork,
                     .onnx = {.domain = "com.microsoft"},
                     .expand = expandGelu});
    table.push_back({.name = "FastGelu",
                     .doc = "Gelu's approximation by tanh, of a sum with a number for each column if there is one",
                     .inputs = {{.name = "X"}, {.name = "bias", .kind = InputInfo::Kind::Optional}},
                     .shape = biasedShape,
                     .evaluate = ofBiased<fastGelu>,
                     .work = biasedWork,
                     .onnx = {.domain = "com.microsoft"},
                     .expand = expandFastGelu});
}

}  // namespace mitos::tensor
