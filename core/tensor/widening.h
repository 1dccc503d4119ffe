// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that store the same numbers in more bytes.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::tensor {

/// Whether a term converts its input element by element to a wider type: DequantizeLinear, or Cast of many elements to a wider
/// type. For weights this is not computed at export: files keep them narrow on purpose, and a runtime may compute with the
/// narrow ones.
[[nodiscard]] bool widens(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::tensor
