// SPDX-License-Identifier: GPL-3.0-or-later
// The parameter `operators` of cost models: own costs of operators, by name.
#pragma once

#include "core/cost/cost_model.h"

#include <functional>
#include <map>
#include <string>

namespace mitos::cost {

/// The cost of a node by the name of its operator.
using OperatorCosts = std::map<std::string, double, std::less<>>;

/// Describes the parameter; by default no operator has a cost of its own.
[[nodiscard]] ParameterInfo operatorsParameter();
/// Reads the values of the parameter `operators`, "f=3,g=0.5". Fails for an item that is not a name with a finite number from 0 on, and
/// for a name that occurs twice. `model` names the model in errors.
[[nodiscard]] Result<OperatorCosts> parseOperatorCosts(std::string_view model, const ParameterValues& values);
/// Fails if the model has costs for operators that the registry does not contain, which could never apply. A model is made before the
/// operators of a rule file are known, so this is checked where both are at hand.
[[nodiscard]] Status requireOperators(const CostModelInfo& model, const ir::OperatorRegistry& registry);

}  // namespace mitos::cost
