// SPDX-License-Identifier: GPL-3.0-or-later
// Operators of ONNX Runtime (domain com.microsoft) that stand for a few of ONNX's own: a product or a convolution with
// what follows it. They rest on the table entries that they extend, whose attributes and first inputs they share.
#include "core/tensor/ops.h"
#include "core/tensor/strided.h"
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

const Operator& conv() { return *findOperator("Conv"); }
const Operator& gemm() { return *findOperator("Gemm"); }
const Operator& matMul() { return *findOperator("MatMul"); }

AttributeInfo activationInfo() {
    return {.name = "activation",
            .kind = AttributeKind::Word,
            .doc = "what is done to each element of the result",
            .words = {"Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Clip"}};
}

/// a and b: the parameters of the activation, where it has some (LeakyRelu one, HardSigmoid and Clip two).
void activate(std::string_view activation, double a, double b, std::vector<double>& elements) {
    const auto apply = [&elements](auto f) { std::transform(elements.begin(), elements.end(), elements.begin(), f); };
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

std::shared_ptr<Array> copyOf(const ArrayPtr& array) { return std::make_shared<Array>(*array); }

/// One more operation for each element of the result.
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
        return shapeError(fmt::format("FusedConv: {} has {} parameters", activation, parameterCount(activation)));
    }
    if (!in.isPresent(3) || !in.inputs[3].hasRank || !outputs->front().hasRank) return outputs;
    const std::vector<Dimension>& z = in.inputs[3].dimensions;
    const std::vector<Dimension>& y = outputs->front().dimensions;
    if (std::equal(z.begin(), z.end(), y.begin(), y.end(),
                   [](Dimension a, Dimension b) { return a == b || !a.isKnown() || !b.isKnown(); }))
        return outputs;
    return shapeError("FusedConv: what is added does not have the shape of the convolution's result");
}

Result<std::vector<ArrayPtr>> fusedConvEvaluate(const EvaluateInput& in) {
    const Result<std::vector<ArrayPtr>> outputs = conv().evaluate(in);
    if (!outputs) return outputs;
    std::shared_ptr<Array> result = copyOf(outputs->front());
    if (in.inputs.size() > 3 && in.inputs[3] != nullptr) {
        const std::vector<double>& z = in.inputs[3]->elements;
        std::transform(z.begin(), z.end(), result->elements.begin(), result->elements.begin(), std::plus<>());
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

Result<Imported> importFusedConv(const Operator& op, const OnnxNode& node, const OnnxContext& context) {
    Result<Imported> imported = conv().onnx.import(op, node, context);
    if (!imported) return imported;
    // What belongs to the activation is read as it stands.
    OnnxNode rest = node;
    for (std::size_t i = 0; i < conv().attributes.size(); ++i) {
        rest.attributes.insert_or_assign(op.attributes[i].name, imported->attributes.values()[i]);
    }
    rest.attributes.erase("auto_pad");
    rest.attributes.erase("kernel_shape");
    return importPlainly(op, rest);
}

// --- FusedGemm --------------------------------------------------------------------------------------------------------

Result<std::vector<ArrayType>> fusedGemmShape(const ShapeInput& in) { return gemm().shape(in); }

Result<std::vector<ArrayPtr>> fusedGemmEvaluate(const EvaluateInput& in) {
    const Result<std::vector<ArrayPtr>> outputs = gemm().evaluate(in);
    if (!outputs) return outputs;
    std::shared_ptr<Array> result = copyOf(outputs->front());
    activate(in.attributes.word("activation"), in.attributes.floating("activation_alpha"),
             in.attributes.floating("activation_beta"), result->elements);
    return std::vector<ArrayPtr>{std::move(result)};
}

Work fusedGemmWork(const ShapeInput& in, std::span<const ArrayType> outputs) {
    return withActivation(gemm().work(in, outputs), outputs);
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
    const Result<std::vector<ArrayPtr>> outputs = matMul().evaluate({in.attributes, inputs, in.outputs});
    if (!outputs) return outputs;
    std::shared_ptr<Array> result = copyOf(outputs->front());
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

Result<Imported> importFusedMatMul(const Operator& op, const OnnxNode& node, const OnnxContext& /*context*/) {
    OnnxNode rest = node;
    for (const char* const name : {"transBatchA", "transBatchB"}) {
        const auto found = rest.attributes.find(name);
        if (found != rest.attributes.end() && found->second == AttributeValue(std::int64_t{0}))
            rest.attributes.erase(found);
    }
    return importPlainly(op, rest);
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
                       .onnx = {.domain = "com.microsoft", .import = importFusedConv}};
    const auto plain = std::find_if(table.begin(), table.end(), [](const Operator& op) { return op.name == "Conv"; });
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
         .onnx = {.domain = "com.microsoft"}});
    table.push_back({.name = "FusedMatMul",
                     .doc = "alpha A B, where the matrices of A and B may be transposed first",
                     .inputs = {{.name = "A"}, {.name = "B"}},
                     .attributes = {number("alpha", "1.0"), flag("transA"), flag("transB")},
                     .shape = fusedMatMulShape,
                     .evaluate = fusedMatMulEvaluate,
                     .work = fusedMatMulWork,
                     .onnx = {.domain = "com.microsoft", .import = importFusedMatMul}});
}

}  // namespace mitos::tensor
