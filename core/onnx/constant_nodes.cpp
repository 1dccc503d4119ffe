// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/constant_nodes.h"

#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace mitos::onnx {

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
    Result<tensor::Shape> shape = tensorShape(sizes);
    if (!shape) return std::move(shape).error();
    const proto::AttributeProto* const attribute = findAttribute(node, "value");
    if (attribute == nullptr) return FoundData(WeightData::filled(ir::Dtype::F32, *std::move(shape), 0.0));
    const Result<FoundData> read = readTensor(attribute->t(), tensors);
    if (!read || !*read) return read;
    const std::optional<double> value = (*read)->fill();
    if (!value) return onnxError(ErrorCode::Parse, "the value of a ConstantOfShape has one element");
    // A fill is kept as a double, so it must be exact.
    if (!ir::isFloating((*read)->dtype()) && std::abs(*value) > 0x1p53) return FoundData();
    return FoundData(WeightData::filled((*read)->dtype(), *std::move(shape), *value));
}

}  // namespace mitos::onnx
