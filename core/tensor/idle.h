// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that change nothing, which exported files need not contain.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::tensor {

/// Whether a term equals its first child for all values: Identity, Dropout without its mask, a Cast to the same type, a Transpose
/// that keeps the order of all axes of more than one element, a Reshape to the same sizes, a Concat of one input, a Slice of everything, …
[[nodiscard]] bool isIdle(const ir::TermBank& bank, ir::TermId term);

/// The program without idle operators.
[[nodiscard]] ir::TermId withoutIdle(ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::tensor
