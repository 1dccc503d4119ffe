// SPDX-License-Identifier: GPL-3.0-or-later
// Detects steps of a tensor program that do the same in different places, as layers repeat. Private to core/eval.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::eval {

/// Encodes the computation between the cuts and the nodes, up to the identity of the cuts and the names of inputs and weights: nodes with
/// equal keys have equal values if these have equal numbers. Keys are comparable within one bank.
[[nodiscard]] std::vector<std::uint32_t> regionKey(const ir::TermBank& bank, std::span<const ir::TermId> nodes,
                                                   std::span<const ir::TermId> cuts);

}  // namespace mitos::eval
