// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onnx/internal/one_node.h"

#include "core/onnx/internal/proto.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>

namespace mitos::onnx {

namespace {

constexpr std::uint64_t WeightSeed = 1;

/// A function of that body as a model.
Result<tensor::Model> modelOf(ir::TermBank& bank, std::vector<ir::Parameter> parameters, ir::TermId body,
                              tensor::Weights weights) {
    ir::Function function;
    function.name = "operation";
    function.parameters = std::move(parameters);
    std::vector<ir::TypeId> arguments;
    for (const ir::Parameter& parameter : function.parameters) arguments.push_back(parameter.type);
    function.argument = arguments.size() == 1 ? arguments.front() : bank.types().tuple(arguments);
    function.result = bank.type(body);
    function.declaredResult = function.result;
    function.dialect = tensor::DialectName;
    MITOS_TRY(const ir::FunctionId id, bank.declare(std::move(function)));
    bank.define(id, body);
    tensor::Model model = tensor::modelOf(bank, {id, body});
    model.weights = std::make_shared<const tensor::Weights>(std::move(weights));
    return model;
}

tensor::ArrayType typeOf(const cost::Operand& operand) {
    tensor::ArrayType type{.dtype = operand.dtype};
    for (const std::int64_t size : operand.shape) type.dimensions.push_back(ir::Dimension::of(size));
    return type;
}

}  // namespace

Result<tensor::Model> oneNodeModel(ir::TermBank& bank, const cost::Operation& operation) {
    const tensor::Operator* const op = tensor::findOperator(operation.op);
    if (op == nullptr) {
        return onnxError(ErrorCode::Unsupported, fmt::format("the operator {} is unknown", operation.op));
    }
    MITOS_TRY(const tensor::Attributes attributes, op->attributes.empty()
                                                       ? Result<tensor::Attributes>(tensor::Attributes(*op))
                                                       : tensor::Attributes::read(*op, operation.attributes));
    std::vector<ir::Parameter> parameters;
    std::vector<ir::TermId> inputs;
    tensor::Weights weights;
    for (const cost::Operand& operand : operation.inputs) {
        if (operand.isAbsent) {
            MITOS_TRY(const ir::TermId absent, bank.make(bank.registry().find(tensor::AbsentName), {}));
            inputs.push_back(absent);
            continue;
        }
        const tensor::ArrayType type = typeOf(operand);
        const ir::TypeId id = tensor::typeId(bank.types(), type);
        const std::string name = fmt::format("{}{}", operand.isConstant ? 'w' : 'x', inputs.size());
        const Symbol symbol = bank.symbols().intern(name);
        if (operand.isConstant) {
            weights.set(name, tensor::sampledWeight(type, WeightSeed, name));
            inputs.push_back(bank.stated(bank.registry().find(tensor::WeightName), id, {}, ir::Payload::name(symbol)));
        } else {
            parameters.push_back({symbol, id});
            inputs.push_back(bank.variable(symbol, id));
        }
    }
    MITOS_TRY(ir::TermId body, tensor::make(bank, *op, inputs, attributes));
    if (const ir::TypeId type = bank.type(body); bank.types().isTuple(type)) {
        std::vector<ir::TermId> parts;
        for (std::size_t i = 0; i < bank.types().children(type).size(); ++i) {
            parts.push_back(bank.get(body, static_cast<std::uint32_t>(i)));
        }
        body = bank.tuple(parts);
    }
    return modelOf(bank, std::move(parameters), body, std::move(weights));
}

tensor::Model chainModel(ir::TermBank& bank, std::int64_t elements, int nodes) {
    const tensor::Operator& op = *tensor::findOperator("Neg");
    const Symbol name = bank.symbols().intern("x0");
    const ir::TypeId type = bank.types().array(ir::Dtype::F32, {{ir::Dimension::of(elements)}});
    ir::TermId body = bank.variable(name, type);
    for (int i = 0; i < nodes; ++i) body = *tensor::make(bank, op, {{body}}, tensor::Attributes(op));
    return *modelOf(bank, {{name, type}}, body, {});
}

}  // namespace mitos::onnx
