// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of ONNX Runtime (domain com.microsoft) that combine a few of ONNX's own: a product or a convolution with
// the operators that follow it. They use the table entries that they extend, whose attributes and first inputs they share.
#include "core/tensor/dimension.h"
#include "core/tensor/expand.h"
#include "core/tensor/internal/elementwise.h"
#include "core/tensor/internal/strided.h"
#include "core/tensor/ops/ops.h"
#include "core/tensor/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace mitos::tensor {

namespace {

using ir::Dimension;
using ir::TermId;

const Operator& conv() { return *findOperator("Conv"); }
const Operator& gemm() { return *findOperator("Gemm"); }
const Operator& matMul() { return *findOperator("MatMul"); }

AttributeInfo activationInfo() {
    return {.name = "activation",
            .kind = AttributeKind::Word,
            .doc = "the activation applied to each element of the result",
            .words = {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Clip"}};
}

/// Applies an activation. a and b are its parameters, if it has any (LeakyRelu has one, HardSigmoid and Clip have two).
void activate(std::string_view activation, double a, double b, std::vector<double>& elements) {
    const auto apply = [&elements](auto f) { std::ranges::transform(elements, elements.begin(), f); };
    if (activation == "Relu") apply([](double x) { return x > 0.0 || std::isnan(x) ? x : 0.0; });
    if (activation == "Tanh") apply([](double x) { return std::tanh(x); });
    if (activation == "Sigmoid") apply([](double x) { return 1.0 / (1.0 + std::exp(-x)); });
    if (activation == "LeakyRelu") apply([a](double x) { return x < 0.0 ? a * x : x; });
    if (activation == "HardSigmoid") apply([a, b](double x) { return std::clamp(a * x + b, 0.0, 1.0); });
    if (activation == "Clip") apply([a, b](double x) { return std::min(std::max(x, a), b); });
}

std::size_t parameterCount(std::string_view activation) {
    if (activation == "LeakyRelu") return 1;
    return activation == "HardSigmoid" || activation == "Clip" ? 2 : 0;
}

/// The activation as an operator of its own.
TermId activated(TermMaker& make, std::string_view activation, double a, double b, TermId x) {
    if (activation == "LeakyRelu") return make.node("LeakyRelu", {x}, {{"alpha", a}});
    if (activation == "HardSigmoid") return make.node("HardSigmoid", {x}, {{"alpha", a}, {"beta", b}});
    if (activation == "Clip") return make.node("Clip", {x}, {{"min", a}, {"max", b}});
    return make.node(activation, {x});
}

std::shared_ptr<Array> copyOf(const ArrayPtr& array) { return std::make_shared<Array>(*array); }

/// The work with one more operation for each element of the result.
Work withActivation(Work work, std::span<const ArrayType> outputs) {
    work.flops += elements(outputs[0]);
    return work;
}

// --- FusedConv --------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> fusedConvShape(const ShapeInput& in) {
    Result<std::vector<ArrayType>> outputs = conv().shape(in);
    if (!outputs) return outputs;
    const std::string& activation = in.attributes.word("activation");
    if (in.attributes.floats("activation_params").size() != parameterCount(activation)) {
        return shapeError(fmt::format("{}: {} has {} parameters", in.op.name, activation, parameterCount(activation)));
    }
    if (!in.isPresent(3) || !in.inputs[3].hasRank || !outputs->front().hasRank) return outputs;
    const std::vector<Dimension>& z = in.inputs[3].dimensions;
    const std::vector<Dimension>& y = outputs->front().dimensions;
    if (std::ranges::equal(z, y, mayBeEqual)) return outputs;
    return shapeError(
        fmt::format("{}: the array that is added does not have the shape of the convolution's result", in.op.name));
}

Result<std::vector<ArrayPtr>> fusedConvEvaluate(const EvaluateInput& in) {
    MITOS_TRY(const std::vector<ArrayPtr> outputs, conv().evaluate(in));
    std::shared_ptr<Array> result = copyOf(outputs.front());
    if (in.inputs.size() > 3 && in.inputs[3] != nullptr) {
        const std::vector<double>& z = in.inputs[3]->elements;
        std::ranges::transform(z, result->elements, result->elements.begin(), std::plus());
    }
    std::vector<double> parameters = in.attributes.floats("activation_params");
    parameters.resize(2, 0.0);
    activate(in.attributes.word("activation"), parameters[0], parameters[1], result->elements);
    return std::vector<ArrayPtr>{std::move(result)};
}

Work fusedConvWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = withActivation(conv().work(in, outputs), outputs);
    if (in.isPresent(3)) work.flops += elements(outputs[0]);
    return work;
}

Result<TermId> expandFusedConv(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                               Symbol hint) {
    TermMaker make(bank, hint);
    const bool hasBias = inputs.size() > 2 && bank.types().isArray(bank.type(inputs[2]));
    TermId y = make.node("Conv", inputs.first(hasBias ? 3 : 2),
                         {{"strides", attributes.integers("strides")},
                          {"pads", attributes.integers("pads")},
                          {"dilations", attributes.integers("dilations")},
                          {"group", attributes.integer("group")}});
    if (inputs.size() > 3) y = make.node("Add", {y, inputs[3]});
    std::vector<double> parameters = attributes.floats("activation_params");
    parameters.resize(2, 0.0);
    return make.take(activated(make, attributes.word("activation"), parameters[0], parameters[1], y));
}

Result<Imported> importFusedConv(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    MITOS_TRY(Imported imported, conv().onnx.import(op, node, context));
    // The attributes of the activation are read unchanged.
    OnnxNode rest = node;
    for (std::size_t i = 0; i < conv().attributes.size(); ++i) {
        rest.attributes.insert_or_assign(op.attributes[i].name, imported.attributes.values()[i]);
    }
    rest.attributes.erase("auto_pad");
    rest.attributes.erase("kernel_shape");
    return importPlainly(op, rest);
}

// --- FusedGemm --------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> fusedGemmShape(const ShapeInput& in) { return gemm().shape(in); }

Result<std::vector<ArrayPtr>> fusedGemmEvaluate(const EvaluateInput& in) {
    MITOS_TRY(const std::vector<ArrayPtr> outputs, gemm().evaluate(in));
    std::shared_ptr<Array> result = copyOf(outputs.front());
    activate(in.attributes.word("activation"), in.attributes.floating("activation_alpha"),
             in.attributes.floating("activation_beta"), result->elements);
    return std::vector<ArrayPtr>{std::move(result)};
}

Work fusedGemmWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    return withActivation(gemm().work(in, outputs), outputs);
}

Result<TermId> expandFusedGemm(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                               Symbol hint) {
    TermMaker make(bank, hint);
    const TermId y = make.node("Gemm", inputs,
                               {{"alpha", attributes.floating("alpha")},
                                {"beta", attributes.floating("beta")},
                                {"transA", attributes.boolean("transA")},
                                {"transB", attributes.boolean("transB")}});
    return make.take(activated(make, attributes.word("activation"), attributes.floating("activation_alpha"),
                               attributes.floating("activation_beta"), y));
}

// --- FusedMatMul ------------------------------------------------------------------------------------------------------

constexpr std::array<const char*, 2> Transposed{"transA", "transB"};

Result<std::vector<ArrayType>> fusedMatMulShape(const ShapeInput& in) {
    std::vector<ArrayType> inputs(in.inputs.begin(), in.inputs.end());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].hasRank || !in.attributes.boolean(Transposed[i])) continue;
        if (inputs[i].rank() < 2) return shapeError("FusedMatMul transposes arrays of rank 2 or more");
        std::swap(inputs[i].dimensions.back(), inputs[i].dimensions[inputs[i].rank() - 2]);
    }
    return matMul().shape({in.op, in.attributes, inputs, in.symbols});
}

ArrayPtr transposed(const Array& array) {
    Shape steps = strides(array.shape);
    Shape shape = array.shape;
    std::swap(steps.back(), steps[steps.size() - 2]);
    std::swap(shape.back(), shape[shape.size() - 2]);
    return gathered(array, 0, steps, std::move(shape));
}

Result<std::vector<ArrayPtr>> fusedMatMulEvaluate(const EvaluateInput& in) {
    std::vector<ArrayPtr> inputs(in.inputs.begin(), in.inputs.end());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (in.attributes.boolean(Transposed[i])) inputs[i] = transposed(*inputs[i]);
    }
    MITOS_TRY(const std::vector<ArrayPtr> outputs, matMul().evaluate({in.attributes, inputs, in.outputs}));
    std::shared_ptr<Array> result = copyOf(outputs.front());
    for (double& element : result->elements) element *= in.attributes.floating("alpha");
    return std::vector<ArrayPtr>{std::move(result)};
}

Work fusedMatMulWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    const ArrayType& a = in.inputs[0];
    if (a.rank() < 2) return matMul().work(in, outputs);
    const Dimension inner = a.dimensions[a.rank() - (in.attributes.boolean("transA") ? 2 : 1)];
    work.flops = 2.0 * elements(outputs[0]) * static_cast<double>(inner.isKnown() ? inner.size : 1);
    return in.attributes.floating("alpha") == 1.0 ? work : withActivation(work, outputs);
}

Result<TermId> expandFusedMatMul(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                                 Symbol hint) {
    TermMaker make(bank, hint);
    const TermId a = attributes.boolean("transA") ? make.transposed(inputs[0]) : inputs[0];
    const TermId b = attributes.boolean("transB") ? make.transposed(inputs[1]) : inputs[1];
    const TermId y = make.node("MatMul", {a, b});
    const double alpha = attributes.floating("alpha");
    return make.take(alpha == 1.0 ? y : make.node("Mul", {y, make.scalar(alpha, inputs[0])}));
}

Result<Imported> importFusedMatMul(const Operator& op, const OnnxNode& node, const OnnxContext& /*context*/) {
    OnnxNode rest = node;
    for (const char* const name : {"transBatchA", "transBatchB"}) {
        const auto found = rest.attributes.find(name);
        if (found != rest.attributes.end() && found->second == AttributeValue(std::int64_t{0}))
            rest.attributes.erase(found);
    }
    return importPlainly(op, rest);
}

// --- SkipLayerNormalization ---------------------------------------------------------------------------------------------

const Operator& layerNormalization() { return *findOperator("LayerNormalization"); }

Result<std::vector<ArrayType>> skipLayerShape(const ShapeInput& in) {
    MITOS_REQUIRE(checkElements(in, Takes::Floats));
    const ArrayType& x = in.inputs[0];
    if (!x.hasRank) return std::vector<ArrayType>{x};
    if (x.rank() != 2 && x.rank() != 3) {
        return shapeError(fmt::format("SkipLayerNormalization takes arrays of rank 2 or 3; found {}", x.rank()));
    }
    for (std::size_t i = 1; i < in.inputs.size(); ++i) {
        const ArrayType& other = in.inputs[i];
        if (!in.isPresent(i) || !other.hasRank) continue;
        // The skip input may be the same for a whole batch; the others are vectors.
        auto first = other.dimensions.begin();
        while (i == 1 && first != other.dimensions.end() && *first == Dimension::of(1)) ++first;
        const bool isOfRank = i == 1 ? other.rank() >= 1 && other.rank() <= x.rank() : other.rank() == 1;
        const auto end = other.dimensions.end();
        if (!isOfRank || !std::equal(first, end, x.dimensions.end() - (end - first), x.dimensions.end(), mayBeEqual)) {
            return shapeError(fmt::format("SkipLayerNormalization: {} does not fit", in.op.inputs[i].name));
        }
    }
    return std::vector<ArrayType>{x};
}

Result<std::vector<ArrayPtr>> skipLayerEvaluate(const EvaluateInput& in) {
    std::shared_ptr<Array> sum = copyOf(in.inputs[0]);
    const Array* const bias = in.inputs.size() > 4 ? in.inputs[4].get() : nullptr;
    for (std::size_t i = 0; i < sum->elements.size(); ++i) {
        sum->elements[i] += in.inputs[1]->elements[i % in.inputs[1]->elements.size()];
        if (bias != nullptr) sum->elements[i] += bias->elements[i % bias->elements.size()];
    }
    Attributes attributes(layerNormalization());
    attributes.set("axis", static_cast<std::int64_t>(sum->shape.size()) - 1);
    attributes.set("epsilon", in.attributes.floating("epsilon"));
    std::vector<ArrayPtr> inputs{sum, in.inputs[2]};
    if (in.inputs.size() > 3 && in.inputs[3] != nullptr) inputs.push_back(in.inputs[3]);
    return layerNormalization().evaluate({attributes, inputs, in.outputs});
}

Work skipLayerWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    Work work = movement(in, outputs);
    work.flops = (in.isPresent(4) ? 10.0 : 9.0) * elements(outputs[0]);
    return work;
}

Result<TermId> expandSkipLayer(ir::TermBank& bank, std::span<const TermId> inputs, const Attributes& attributes,
                               Symbol hint) {
    TermMaker make(bank, hint);
    TermId sum = make.node("Add", inputs.first(2));
    if (inputs.size() > 4) sum = make.node("Add", {sum, inputs[4]});
    const ArrayType type = make.type(inputs[0]);
    if (!type.hasRank) return shapeError("the rank of the input is unknown");
    std::vector<TermId> normalized{sum, inputs[2]};
    if (inputs.size() > 3 && bank.types().isArray(bank.type(inputs[3]))) normalized.push_back(inputs[3]);
    return make.take(
        make.node("LayerNormalization", normalized,
                  {{"axis", static_cast<std::int64_t>(type.rank()) - 1}, {"epsilon", attributes.floating("epsilon")}}));
}

AttributeInfo number(std::string name, std::string defaultText) {
    return {.name = std::move(name), .kind = AttributeKind::Float, .defaultText = std::move(defaultText)};
}
AttributeInfo flag(std::string name) {
    return {.name = std::move(name), .kind = AttributeKind::Boolean, .defaultText = "false"};
}

}  // namespace

void addFused(std::vector<Operator>& table) {
    Operator fusedConv{.name = "FusedConv",
                       .doc = "a convolution, plus Z if it is there, and an activation",
                       .inputs = {{.name = "X"},
                                  {.name = "W"},
                                  {.name = "B", .kind = InputInfo::Kind::Optional},
                                  {.name = "Z", .kind = InputInfo::Kind::Optional}},
                       .shape = fusedConvShape,
                       .evaluate = fusedConvEvaluate,
                       .work = fusedConvWork,
                       .onnx = {.domain = "com.microsoft", .import = importFusedConv},
                       .expand = expandFusedConv};
    const auto plain = std::ranges::find(table, "Conv", &Operator::name);
    fusedConv.attributes = plain->attributes;
    fusedConv.onnx.exportNode = plain->onnx.exportNode;
    fusedConv.attributes.push_back(activationInfo());
    fusedConv.attributes.push_back({.name = "activation_params", .kind = AttributeKind::Floats, .defaultText = "[]"});
    table.push_back(std::move(fusedConv));
    table.push_back(
        {.name = "FusedGemm",
         .doc = "a Gemm and an activation",
         .inputs = {{.name = "A"}, {.name = "B"}, {.name = "C", .kind = InputInfo::Kind::Optional}},
         .attributes = {number("alpha", "1.0"), number("beta", "1.0"), flag("transA"), flag("transB"), activationInfo(),
                        number("activation_alpha", "0.0"), number("activation_beta", "0.0")},
         .shape = fusedGemmShape,
         .evaluate = fusedGemmEvaluate,
         .work = fusedGemmWork,
         .onnx = {.domain = "com.microsoft"},
         .expand = expandFusedGemm});
    table.push_back({.name = "FusedMatMul",
                     .doc = "alpha A B, where the matrices of A and B may be transposed first",
                     .inputs = {{.name = "A"}, {.name = "B"}},
                     .attributes = {number("alpha", "1.0"), flag("transA"), flag("transB")},
                     .shape = fusedMatMulShape,
                     .evaluate = fusedMatMulEvaluate,
                     .work = fusedMatMulWork,
                     .onnx = {.domain = "com.microsoft", .import = importFusedMatMul},
                     .expand = expandFusedMatMul});
    table.push_back({.name = "SkipLayerNormalization",
                     .doc = "the layer normalization of a sum",
                     .inputs = {{.name = "input"},
                                {.name = "skip"},
                                {.name = "gamma"},
                                {.name = "beta", .kind = InputInfo::Kind::Optional},
                                {.name = "bias", .kind = InputInfo::Kind::Optional}},
                     .attributes = {number("epsilon", "1e-12")},
                     .shape = skipLayerShape,
                     .evaluate = skipLayerEvaluate,
                     .work = skipLayerWork,
                     .onnx = {.domain = "com.microsoft"},
                     .expand = expandSkipLayer});
}

}  // namespace mitos::tensor
