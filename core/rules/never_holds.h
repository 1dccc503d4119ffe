// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions that contradict themselves: a rule with one would never apply.
#pragma once

#include "core/rules/compiled.h"

#include <cstdint>
#include <span>

namespace mitos::rules {

/// Whether the conditions can be seen not to hold together, whatever their variables stand for: parts without variables
/// that are false, numbers that lie in no common interval, an operator that would have to be two, something and its
/// negation. False if nothing is seen, which proves nothing. NoNode among the conditions always holds.
[[nodiscard]] bool neverHold(const NodeTable& table, std::span<const std::uint32_t> conditions,
                             const ir::OperatorRegistry& registry);

}  // namespace mitos::rules
