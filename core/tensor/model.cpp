// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/model.h"

#include "core/ir/shared.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace mitos::tensor {

WeightData sampledWeight(const ArrayType& type, std::uint64_t seed, std::string_view name) {
    WeightData drawn = WeightData::random(type.dtype, type.shape(), seed, name);
    if (type.rank() > 1) return drawn;  // not read before it is requested
    const Result<ArrayPtr> vector = drawn.read();
    if (!vector) return drawn;
    auto positive = std::make_shared<Array>(**vector);
    for (double& element : positive->elements) element = std::abs(element);
    return WeightData::of(std::move(positive));
}

Weights sampledWeights(const ir::TermBank& bank, ir::TermId root, std::uint64_t seed) {
    Weights weights;
    for (const ir::TermId node : ir::SharedNodes(bank, root)) {
        if (bank.opName(node) != WeightName) continue;
        const ArrayType type = arrayType(bank.types(), bank.type(node));
        if (!type.isStatic()) continue;
        const std::string name(bank.text(bank.payload(node).asSymbol()));
        weights.set(name, sampledWeight(type, seed, name));
    }
    return weights;
}

Model modelOf(const ir::TermBank& bank, const ir::Program& program) {
    Model model;
    model.program = program;
    model.name = bank.function(program.function).name;
    model.weights = std::make_shared<const Weights>();
    const ir::TypeId type = bank.type(program.root);
    const std::size_t count = bank.types().isTuple(type) ? bank.types().children(type).size() : 1;
    for (std::size_t i = 0; i < count; ++i) model.outputs.push_back(fmt::format("output_{}", i));
    return model;
}

}  // namespace mitos::tensor
