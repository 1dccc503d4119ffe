// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that change nothing: they are not worth a node in a file.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::tensor {

/// Whether a term is its first child, whatever that holds: Identity, Dropout without its mask, a Cast to the same type, a Transpose
/// that moves only axes of one element to no other place, a Reshape to the same sizes, a Concat of one, a Slice of all, …
[[nodiscard]] bool isIdle(const ir::TermBank& bank, ir::TermId term);

/// The program without them.
[[nodiscard]] ir::TermId withoutIdle(ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::tensor
