// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a tensor program that do the same in different places: layers repeat. Private to core/eval.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::eval {

/// What is computed between the cuts and the nodes, up to which nodes the cuts are and what inputs and weights are called: nodes
/// with equal keys have the same values for the same numbers in their place. Within one bank.
[[nodiscard]] std::vector<std::uint32_t> regionKey(const ir::TermBank& bank, std::span<const ir::TermId> nodes,
                                                   std::span<const ir::TermId> cuts);

}  // namespace mitos::eval
