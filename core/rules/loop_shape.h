// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the sizes of a term can change from one turn of a loop to the next: what the condition `v.has_one_shape` asks.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>

namespace mitos::rules {

/// Whether the value of a ks term, wherever it has one, has the same sizes at every level, whatever the innermost `bound` variables around it are.
/// Read from the term alone: numbers have no sizes; what is built has those that it is built with; pointwise operators have the sizes of
/// their operands; both arms of an `if` must have the same ones; a term that does not mention the variables has one shape, though it
/// may be a ragged vector of vectors. Where that tells nothing, the answer is no. Takes time linear in the term up to a limit.
[[nodiscard]] bool hasOneShape(const ir::TermBank& bank, ir::TermId term, std::uint32_t bound);

}  // namespace mitos::rules
