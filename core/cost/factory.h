// SPDX-License-Identifier: GPL-3.0-or-later
// A kind of cost model: its description, and how to make a model for values of its parameters. core/cost/README.md says how to add one.
#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/node_cost.h"

#include <functional>

namespace mitos::cost {

struct CostModelFactory {
    CostModelInfo info;
    /// Makes a model with that description, whose `values` are checked and complete.
    Result<std::shared_ptr<const CostModel>> (*make)(CostModelInfo info);
    /// Replaces given values that mean something else on another machine by those that mean the same everywhere, as names of models are
    /// stored. The result is a warning for the user, or empty. Null if there are no such values.
    Result<std::string> (*settle)(ParameterValues& given) = nullptr;
};

/// The model with the values that are written behind the colon of its name ("laptop,N=8", see findCostModel); none if empty. Fails if
/// a value is not one of its parameter, or if make() fails.
[[nodiscard]] Result<std::shared_ptr<const CostModel>> makeCostModel(const CostModelFactory& factory,
                                                                     std::optional<std::string_view> given = {});

/// A model whose evaluators are made by `evaluator`.
using MakeEvaluator = std::function<std::unique_ptr<CostEvaluator>(const ir::TermBank& bank, ir::FunctionId function)>;
[[nodiscard]] std::shared_ptr<const CostModel> modelOfPrograms(CostModelInfo info, MakeEvaluator evaluator);
/// A model whose costs are sums of the costs of nodes; each evaluator sums over its own `nodes`.
using MakeNodeCosts = std::function<std::unique_ptr<NodeCosts>()>;
[[nodiscard]] std::shared_ptr<const CostModel> modelOfNodes(CostModelInfo info, MakeNodeCosts nodes);

/// All kinds, in the order of listings (written by the build from MODELS in CMakeLists.txt).
[[nodiscard]] std::span<const CostModelFactory> costModelFactories();

}  // namespace mitos::cost
