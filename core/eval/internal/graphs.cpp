// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/eval/internal/graphs.h"

#include "core/ir/shared.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/model.h"
#include "core/tensor/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace mitos::eval {

using ir::TermId;

namespace {

constexpr std::uint64_t SampleSeed = 1;  ///< gives the same numbers for the same name and type

/// The inputs in the order of the parameters.
Result<Inputs> fromTensor(const ir::TermBank& bank, const ir::Function& function, const tensor::Inputs& given) {
    Inputs inputs;
    for (const ir::Parameter& parameter : function.parameters) {
        const auto found = given.find(bank.text(parameter.name));
        inputs.arguments.emplace_back(found->second);
    }
    return inputs;
}

}  // namespace

Result<tensor::Weights> weightsFor(const ir::TermBank& bank, TermId root, const tensor::Weights* given,
                                   bool sampleFills) {
    tensor::Weights weights = given == nullptr ? tensor::Weights() : *given;
    for (const TermId node : ir::SharedNodes(bank, root)) {
        if (bank.opName(node) != tensor::WeightName) continue;
        const std::string name(bank.text(bank.payload(node).asSymbol()));
        const tensor::WeightData* const known = weights.find(name);
        const bool isFill = known != nullptr && known->fill() && ir::isFloating(known->dtype());
        if (known != nullptr && !(sampleFills && isFill)) continue;
        const tensor::ArrayType type = tensor::arrayType(bank.types(), bank.type(node));
        if (!type.isStatic()) {
            return Error{ErrorCode::InvalidInput, fmt::format("the weight {} has no known size", name)};
        }
        weights.set(name, tensor::sampledWeight(type, SampleSeed, name));
    }
    return weights;
}

bool isRepeatableGraph(const ir::TermBank& bank, TermId root) {
    return std::ranges::none_of(ir::SharedNodes(bank, root),
                                [&](TermId node) { return bank.registry().info(bank.op(node)).traits.effectful; });
}

Result<Evaluation> evaluateGraph(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                                 const Limits& limits) {
    const ir::Function& function = bank.function(program.function);
    tensor::Inputs given;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        given.emplace(bank.text(function.parameters[i].name), inputs.arguments[i].arrayPtr());
    }
    MITOS_TRY(const tensor::Weights weights, weightsFor(bank, program.root, inputs.weights.get()));
    const auto most = static_cast<std::int64_t>(limits.bytes / sizeof(double));
    tensor::EvaluateOptions options{.stop = limits.stop, .maxElements = most};
    // The usual limit is one for each array: weights of large networks stand beside their transposed form.
    if (limits.bytes < Limits{}.bytes) options.maxHeld = most;
    MITOS_TRY(std::vector<tensor::ArrayPtr> values, tensor::evaluate(bank, program.root, given, weights, options));
    Evaluation result;
    result.steps = ir::sharedSize(bank, program.root);
    if (bank.types().isTuple(bank.type(program.root))) {
        TupleValue tuple;
        for (tensor::ArrayPtr& value : values) tuple.elements.emplace_back(std::move(value));
        result.value = Value(std::move(tuple));
    } else {
        result.value = Value(std::move(values.front()));
    }
    return result;
}

Result<Inputs> randomGraphInputs(const ir::TermBank& bank, const ir::Function& function, Random& random,
                                 const InputOptions& /*options*/) {
    MITOS_TRY(const tensor::Inputs made, tensor::randomInputs(bank, function, {}, random));
    return fromTensor(bank, function, made);
}

}  // namespace mitos::eval
