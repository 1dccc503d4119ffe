// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor programs for tests: random ones, and one whose tree is exponentially larger than its graph.
#pragma once

#include "core/base/random.h"
#include "core/dialects/dialects.h"
#include "core/tensor/operator.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace mitos::test {

/// The term of a table operator with its default attributes. The types fit.
inline ir::TermId node(ir::TermBank& bank, std::string_view op, std::vector<ir::TermId> inputs,
                       std::string_view hint = "") {
    const tensor::Operator& info = *tensor::findOperator(op);
    const Symbol name = hint.empty() ? Symbol() : bank.symbols().intern(hint);
    return tensor::make(bank, info, inputs, tensor::Attributes(info), name).value();
}

/// The program of a root over parameters, each f32[2,3].
inline ir::Program graphProgram(ir::TermBank& bank, const std::string& name, const std::vector<std::string>& parameters,
                                ir::TermId root) {
    const std::array dimensions{ir::Dimension::of(2), ir::Dimension::of(3)};
    const ir::TypeId array = bank.types().array(ir::Dtype::F32, dimensions);
    ir::Function function;
    function.name = name;
    function.dialect = tensor::DialectName;
    for (const std::string& p : parameters) function.parameters.push_back({bank.symbols().intern(p), array});
    const std::vector<ir::TypeId> types(parameters.size(), array);
    function.argument = types.size() == 1 ? array : bank.types().tuple(types);
    function.result = function.declaredResult = bank.type(root);
    const ir::FunctionId id = bank.declare(std::move(function)).value();
    bank.define(id, root);
    return {id, root};
}

inline ir::TermId parameter(ir::TermBank& bank, std::string_view name) {
    const std::array dimensions{ir::Dimension::of(2), ir::Dimension::of(3)};
    return bank.variable(bank.symbols().intern(name), bank.types().array(ir::Dtype::F32, dimensions));
}

inline ir::TermId weight(ir::TermBank& bank, std::string_view name) {
    const std::array dimensions{ir::Dimension::of(2), ir::Dimension::of(3)};
    const Symbol symbol = bank.symbols().intern(name);
    return bank.stated(bank.registry().find(tensor::WeightName), bank.types().array(ir::Dtype::F32, dimensions), {},
                       ir::Payload::name(symbol), symbol);
}

/// x doubled `times` times: times + 1 nodes, and a tree of 2^(times + 1) - 1.
inline ir::Program doublings(ir::TermBank& bank, int times) {
    ir::TermId term = parameter(bank, "x");
    for (int i = 0; i < times; ++i) term = node(bank, "Add", {term, term});
    return graphProgram(bank, "doublings", {"x"}, term);
}

/// About `size` nodes of Add, Mul and Relu over x, y and the weight w; each node is used at least once if `size` allows, many
/// are used often. Some have hints, and some the same one.
inline ir::Program randomGraph(ir::TermBank& bank, Random& random, int size) {
    std::vector<ir::TermId> made{parameter(bank, "x"), parameter(bank, "y"), weight(bank, "w")};
    const auto any = [&] { return made[static_cast<std::size_t>(random.below(made.size()))]; };
    for (int i = 0; i < size; ++i) {
        const std::string hint = random.below(3) == 0 ? fmt::format("a b{}", random.below(4)) : "";
        switch (random.below(3)) {
            case 0: made.push_back(node(bank, "Add", {any(), made.back()}, hint)); break;
            case 1: made.push_back(node(bank, "Mul", {made.back(), any()}, hint)); break;
            default: made.push_back(node(bank, "Relu", {random.below(4) == 0 ? any() : made.back()}, hint)); break;
        }
    }
    const ir::TermId root = random.below(2) == 0 ? made.back() : bank.tuple(std::array{made.back(), any()});
    return graphProgram(bank, fmt::format("random graph {}", bank.functionCount()), {"x", "y"}, root);
}

}  // namespace mitos::test
