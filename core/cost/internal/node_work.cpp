// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/internal/node_work.h"

#include "core/tensor/work.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>
#include <vector>

namespace mitos::cost {

namespace {

double bytesOf(const std::vector<tensor::ArrayType>& arrays) {
    double sum = 0.0;
    for (const tensor::ArrayType& array : arrays) sum += tensor::bytes(array);
    return sum;
}

tensor::Attributes attributesOf(const Node& node, const tensor::Operator& op) {
    if (op.attributes.empty()) return tensor::Attributes(op);
    Result<tensor::Attributes> attributes = tensor::Attributes::read(op, node.bank.text(node.payload.asSymbol()));
    assert(attributes.ok());  // the type rule has read them
    return *std::move(attributes);
}

}  // namespace

std::vector<tensor::ArrayType> arraysOf(const ir::TermBank& bank, ir::TypeId type, const AssumedSizes& sizes) {
    const ir::TypeTable& types = bank.types();
    std::vector<tensor::ArrayType> result;
    if (types.isArray(type)) {
        result.push_back(tensor::arrayType(types, type));
        for (ir::Dimension& dimension : result.back().dimensions) {
            if (!dimension.isKnown()) dimension = ir::Dimension::of(sizeOf(bank.text(dimension.name), sizes));
        }
    } else if (types.isTuple(type)) {
        for (const ir::TypeId element : types.children(type)) {
            std::vector<tensor::ArrayType> arrays = arraysOf(bank, element, sizes);
            std::ranges::move(arrays, std::back_inserter(result));
        }
    }
    return result;
}

NodeWork workOf(const Node& node, const AssumedSizes& sizes) {
    NodeWork result;
    const std::vector<tensor::ArrayType> outputs = arraysOf(node.bank, node.output, sizes);
    result.bytes = bytesOf(outputs);
    if (!outputs.empty()) result.dtype = outputs.front().dtype;
    std::vector<tensor::ArrayType> inputs;
    for (const ir::TypeId type : node.inputs) {
        std::vector<tensor::ArrayType> arrays = arraysOf(node.bank, type, sizes);
        if (arrays.empty()) arrays.push_back(tensor::ArrayType::absent());
        std::ranges::move(arrays, std::back_inserter(inputs));
    }
    result.inputBytes = bytesOf(inputs);
    const ir::OperatorInfo& info = node.bank.registry().info(node.op);
    const bool isWeight = info.name == tensor::WeightName || info.name == tensor::AbsentName;
    result.isKernel = !isWeight && info.dialect != "core";
    if (!result.isKernel) return result;
    const tensor::Operator* const op = info.dialect == "tensor" ? tensor::findOperator(info.name) : nullptr;
    if (op != nullptr) {
        const tensor::Attributes attributes = attributesOf(node, *op);
        SymbolTable symbols;  // no size has a name here
        result.work = tensor::work({*op, attributes, inputs, symbols}, outputs);
    } else {  // an unknown operator costs what it moves
        result.work.readBytes = result.inputBytes;
        result.work.writtenBytes = result.bytes;
    }
    return result;
}

std::optional<NodeWork> workOf(const Operation& operation) {
    const tensor::Operator* const op = tensor::findOperator(operation.op);
    if (op == nullptr) return std::nullopt;
    const Result<tensor::Attributes> attributes = tensor::Attributes::read(*op, operation.attributes);
    if (!attributes || operation.inputs.size() < op->minArity() || operation.inputs.size() > op->maxArity())
        return std::nullopt;
    NodeWork result;
    result.isKernel = true;
    std::vector<tensor::ArrayType> inputs;
    for (const Operand& operand : operation.inputs) {
        tensor::ArrayType& type = inputs.emplace_back(tensor::ArrayType::absent());
        if (operand.isAbsent) continue;
        type = {.dtype = operand.dtype};
        for (const std::int64_t size : operand.shape) type.dimensions.push_back(ir::Dimension::of(size));
    }
    SymbolTable symbols;  // no size has a name here
    const tensor::ShapeInput in{*op, *attributes, inputs, symbols};
    const Result<std::vector<tensor::ArrayType>> outputs = op->shape(in);
    if (!outputs) return std::nullopt;
    result.inputBytes = bytesOf(inputs);
    result.bytes = bytesOf(*outputs);
    if (!outputs->empty()) result.dtype = outputs->front().dtype;
    result.work = tensor::work(in, *outputs);
    return result;
}

bool isInItsInput(const Node& node, const NodeWork& work) {
    return !node.inputs.empty() && (work.work.isView || node.is(ir::CoreOp::Get));
}

}  // namespace mitos::cost
