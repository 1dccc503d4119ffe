// SPDX-License-Identifier: GPL-3.0-or-later
// The structure of conditions; detects contradictory ones, with which a rule would never apply.
#pragma once

#include "core/rules/language/compiled.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mitos::rules {

/// The conditions and expressions that a condition directly consists of.
[[nodiscard]] std::vector<std::uint32_t> partsOf(const ConditionNode& node);
/// Whether the condition is about a variable (ConditionNode::var) itself.
[[nodiscard]] bool isOfVariable(const ConditionNode& node);

/// How two conditions contradict each other.
enum class Contradiction : std::uint8_t {
    None,  ///< none was found, which proves nothing
    Conditions,
    Operators,  ///< the operators of two variables of the program would have to differ
};

/// Whether the conditions are found to contradict each other for all values of their variables. The check finds false parts without
/// variables, numbers bounded by disjoint intervals, terms or operators that would have to be two different ones, and a condition together
/// with its negation. NoNode among the conditions always holds.
[[nodiscard]] Contradiction contradictionOf(const NodeTable& table, std::span<const std::uint32_t> conditions,
                                            const ir::OperatorRegistry& registry);
/// What to do about it, for users; `consequence` is said where there is nothing better.
[[nodiscard]] std::string hintFor(Contradiction contradiction, std::string consequence);

}  // namespace mitos::rules
