// SPDX-License-Identifier: GPL-3.0-or-later
// The structure of conditions; detects contradictory ones, with which a rule would never apply.
#pragma once

#include "core/rules/language/compiled.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::rules {

/// The conditions and expressions that a condition directly consists of.
[[nodiscard]] std::vector<std::uint32_t> partsOf(const ConditionNode& node);
/// Whether the condition is about a variable (ConditionNode::var) itself.
[[nodiscard]] bool isOfVariable(const ConditionNode& node);

/// Whether the conditions are found to contradict each other for all values of their variables. The check finds false parts without
/// variables, numbers bounded by disjoint intervals, an operator that would have to be two different ones, and a condition together
/// with its negation. It is incomplete: false proves nothing. NoNode among the conditions always holds.
[[nodiscard]] bool neverHold(const NodeTable& table, std::span<const std::uint32_t> conditions,
                             const ir::OperatorRegistry& registry);

}  // namespace mitos::rules
