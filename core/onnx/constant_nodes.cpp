// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/constant_nodes.h"

#include <cmath>

namespace mitos::onnx {

namespace {

using tensor::WeightData;
using FoundData = std::optional<WeightData>;

WeightData scalar(ir::Dtype dtype, double value) {
    auto array = std::make_shared<tensor::Array>();
    array->dtype = dtype;
    array->elements = {value};
    return WeightData::of(std::move(array));
}

template <typename Numbers>
WeightData list(ir::Dtype dtype, const Numbers& numbers) {
    auto array = std::make_shared<tensor::Array>();
    array->dtype = dtype;
    array->shape = {numbers.size()};
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
    if (kind == "value_float") return FoundData(scalar(ir::Dtype::F32, static_cast<double>(attribute.f())));
    if (kind == "value_ints") return FoundData(list(ir::Dtype::I64, attribute.ints()));
    if (kind == "value_floats") return FoundData(list(ir::Dtype::F32, attribute.floats()));
    const bool isExact = std::abs(static_cast<double>(attribute.i())) <= 0x1p53;
    if (kind == "value_int" && isExact) return FoundData(scalar(ir::Dtype::I64, static_cast<double>(attribute.i())));
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
    return FoundData(WeightData::filled((*read)->dtype(), *std::move(shape), *value));
}

}  // namespace mitos::onnx
