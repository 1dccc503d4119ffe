// SPDX-License-Identifier: GPL-3.0-or-later
// Detects contradictory conditions: a rule with one would never apply.
#pragma once

#include "core/rules/language/compiled.h"

#include <cstdint>
#include <span>

namespace mitos::rules {

/// Whether the conditions are found to contradict each other for all values of their variables. The check finds false parts without
/// variables, numbers bounded by disjoint intervals, an operator that would have to be two different ones, and a condition together
/// with its negation. It is incomplete: false proves nothing. NoNode among the conditions always holds.
[[nodiscard]] bool neverHold(const NodeTable& table, std::span<const std::uint32_t> conditions,
                             const ir::OperatorRegistry& registry);

}  // namespace mitos::rules
