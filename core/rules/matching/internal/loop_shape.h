// SPDX-License-Identifier: GPL-3.0-or-later
// Decides whether the sizes of a term depend on loop variables, for the condition `v.has_one_shape`.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>

namespace mitos::rules {

/// Whether the value of a ks term, wherever it is defined, has the same sizes at every level for all values of the `bound` innermost
/// variables around it. The answer follows from the term alone: numbers have no sizes; `build`, `constVec` and similar operators have the
/// sizes in their arguments; a pointwise operator has the sizes of its operands; the arms of an `if` must agree; a term that does not
/// mention the variables has one shape, though it may be a ragged vector of vectors. False if these rules do not decide it. Takes time
/// linear in the size of the term, up to a limit.
[[nodiscard]] bool hasOneShape(const ir::TermBank& bank, ir::TermId term, std::uint32_t bound);

}  // namespace mitos::rules
