// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/known_outputs.h"

#include "core/tensor/evaluate.h"
#include "core/tensor/work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace mitos::onnx {

namespace {

using tensor::ArrayPtr;
using tensor::ArrayType;
using tensor::Attributes;

constexpr std::int64_t MostComputed = 4096;
constexpr double MostOperations = 1e6;

/// The types of the term's inputs; those that are left out are absent.
std::vector<ArrayType> inputTypes(const MappedNode& mapped, const NodeInputs& context) {
    std::vector<ArrayType> types;
    for (const int input : mapped.imported.inputs) {
        const ArrayType* const type = input < 0 ? nullptr : context.type(static_cast<std::size_t>(input));
        types.push_back(type != nullptr ? *type : ArrayType::absent());
    }
    return types;
}

bool isMuchWork(const MappedNode& mapped, const NodeInputs& context) {
    const std::vector<ArrayType> types = inputTypes(mapped, context);
    const tensor::ShapeInput input{*mapped.op, mapped.imported.attributes, types, context.symbols()};
    const Result<std::vector<ArrayType>> outputs = mapped.op->shape(input);
    return !outputs || tensor::work(input, *outputs).flops > MostOperations;
}

/// The outputs for these elements; nullopt if they cannot be computed exactly.
std::optional<std::vector<ArrayPtr>> exactOutputs(const MappedNode& mapped, std::span<const ArrayPtr> inputs) {
    Result<std::vector<ArrayPtr>> outputs =
        tensor::apply(*mapped.op, mapped.imported.attributes, inputs, {.stop = {}, .maxElements = MostComputed});
    const auto isExact = [](const ArrayPtr& output) { return tensor::isExact(*output); };
    if (!outputs || !std::ranges::all_of(*outputs, isExact)) return std::nullopt;
    return *std::move(outputs);
}

}  // namespace

std::optional<std::vector<ArrayPtr>> foldedOutputs(const MappedNode& mapped, const NodeInputs& context) {
    if (mapped.imported.inputs.empty()) return std::nullopt;
    // Weights stay quantized.
    if (mapped.op->name == "DequantizeLinear" || mapped.op->name == "QuantizeLinear") return std::nullopt;
    std::vector<ArrayPtr> inputs;
    bool hasIntegers = false;
    bool isLearned = false;
    for (const int input : mapped.imported.inputs) {
        inputs.push_back(input < 0 ? nullptr : context.known(static_cast<std::size_t>(input)));
        if (input < 0) continue;
        const ArrayPtr& known = inputs.back();
        if (!known || known->elements.size() > MostComputed || !tensor::isExact(*known)) return std::nullopt;
        hasIntegers = hasIntegers || !ir::isFloating(known->dtype);
        isLearned = isLearned || context.value(static_cast<std::size_t>(input))->isLearned;
    }
    // Floating-point weights stay as the file has them. What is computed from constants alone is a constant.
    if ((!hasIntegers && isLearned) || isMuchWork(mapped, context)) return std::nullopt;
    if (!mapped.imported.isFold) return exactOutputs(mapped, inputs);
    std::optional<std::vector<ArrayPtr>> outputs({inputs.front()});
    for (std::size_t i = 1; outputs && i < inputs.size(); ++i)
        outputs = exactOutputs(mapped, std::array{outputs->front(), inputs[i]});
    return outputs;
}

bool areOfWeights(const std::vector<ArrayPtr>& outputs, const MappedNode& mapped, const NodeInputs& context) {
    const auto isFloating = [](const ArrayPtr& output) { return ir::isFloating(output->dtype); };
    const auto isLearned = [&](int input) {
        return input >= 0 && context.value(static_cast<std::size_t>(input))->isLearned;
    };
    return std::ranges::any_of(outputs, isFloating) && std::ranges::any_of(mapped.imported.inputs, isLearned);
}

std::optional<std::vector<SizeArray>> sizedOutputs(const MappedNode& mapped, const NodeInputs& context) {
    const std::vector<int>& inputs = mapped.imported.inputs;
    const std::vector<ArrayType> types = inputTypes(mapped, context);
    std::vector<SizeArray> known;
    known.reserve(inputs.size());
    std::vector<const SizeArray*> arrays;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto input = static_cast<std::size_t>(inputs[i]);
        const Value* const value = inputs[i] < 0 ? nullptr : context.value(input);
        arrays.push_back(value != nullptr && value->sizes ? &*value->sizes : nullptr);
        if (value == nullptr || arrays.back() != nullptr || !types[i].isStatic()) continue;
        const std::optional<std::vector<std::int64_t>> numbers = context.integers(input);
        if (!numbers) continue;
        known.push_back({.dtype = types[i].dtype, .shape = types[i].shape()});
        known.back().elements.assign(numbers->begin(), numbers->end());
        arrays.back() = &known.back();
    }
    const tensor::Operator& op = *mapped.op;
    const Attributes& attributes = mapped.imported.attributes;
    if (!mapped.imported.isFold) return sizesMadeBy(op, attributes, arrays, types, context.symbols());
    std::optional<std::vector<SizeArray>> result;
    if (arrays.front() != nullptr) result.emplace(1, *arrays.front());
    for (std::size_t i = 1; result && i < arrays.size(); ++i) {
        const std::vector<const SizeArray*> both{&result->front(), arrays[i]};
        result = sizesMadeBy(op, attributes, both, types, context.symbols());
    }
    return result;
}

namespace {

using tensor::WeightData;
using FoundData = std::optional<WeightData>;

WeightData floats(tensor::Shape shape, std::span<const float> numbers) {
    auto array = std::make_shared<tensor::Array>();
    array->dtype = ir::Dtype::F32;
    array->shape = std::move(shape);
    array->elements.assign(numbers.begin(), numbers.end());
    return WeightData::of(std::move(array));
}

Result<FoundData> readTensor(const proto::TensorProto& tensor, TensorReader& tensors) {
    Result<WeightData> read = tensors.read(tensor);
    if (read) return FoundData(*std::move(read));
    if (read.error().code == ErrorCode::Unsupported) return FoundData();
    return std::move(read).error();
}

}  // namespace

Result<FoundData> constantData(const proto::NodeProto& node, TensorReader& tensors) {
    if (node.output_size() != 1 || node.attribute_size() != 1) return FoundData();
    const proto::AttributeProto& attribute = node.attribute(0);
    const std::string& kind = attribute.name();
    if (kind == "value" && attribute.has_t()) return readTensor(attribute.t(), tensors);
    if (kind == "value_float") return FoundData(floats({}, std::array{attribute.f()}));
    if (kind == "value_floats") {
        const std::vector<float> numbers(attribute.floats().begin(), attribute.floats().end());
        return FoundData(floats({attribute.floats_size()}, numbers));
    }
    if (kind == "value_int") return FoundData(integerData({}, std::array<std::int64_t, 1>{attribute.i()}));
    if (kind == "value_ints") {
        const std::vector<std::int64_t> numbers(attribute.ints().begin(), attribute.ints().end());
        return FoundData(integerData({attribute.ints_size()}, numbers));
    }
    return FoundData();
}

Result<FoundData> fillData(const proto::NodeProto& node, const tensor::Shape& sizes, TensorReader& tensors) {
    MITOS_TRY(tensor::Shape shape, tensorShape(sizes));
    const proto::AttributeProto* const attribute = findAttribute(node, "value");
    if (attribute == nullptr) return FoundData(WeightData::filled(ir::Dtype::F32, std::move(shape), 0.0));
    const Result<FoundData> read = readTensor(attribute->t(), tensors);
    if (!read || !*read) return read;
    const std::optional<double> value = (*read)->fill();
    if (!value) return onnxError(ErrorCode::Parse, "the value of a ConstantOfShape has one element");
    // A fill is kept as a double, so it must be exact.
    if (!ir::isFloating((*read)->dtype()) && std::abs(*value) > 0x1p53) return FoundData();
    return FoundData(WeightData::filled((*read)->dtype(), std::move(shape), *value));
}

}  // namespace mitos::onnx
