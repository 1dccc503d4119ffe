// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that change nothing, which exported files need not contain; operators that store the same numbers in more bytes, which are
// not computed beforehand.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::tensor {

/// Whether a term equals its first child for all values: Identity, Dropout without its mask, a Cast to the same type, a Transpose
/// that keeps the order of all axes of more than one element, a Reshape to the same sizes, a Concat of one input, a Slice of everything, …
[[nodiscard]] bool isIdle(const ir::TermBank& bank, ir::TermId term);

/// The program without idle operators.
[[nodiscard]] ir::TermId withoutIdle(ir::TermBank& bank, ir::TermId root);

/// Whether a term converts its input element by element to a wider type: DequantizeLinear, or Cast of many elements to a wider
/// type. For weights this is not computed at export: files keep them narrow on purpose, and a runtime may compute with the
/// narrow ones.
[[nodiscard]] bool widens(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::tensor
