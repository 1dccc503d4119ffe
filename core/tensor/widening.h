// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that make more bytes of the same numbers.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::tensor {

/// Whether a term makes wider numbers of those that it is given, element by element: DequantizeLinear, or Cast of many to a wider type. Of
/// weights that is not computed beforehand: files have them as narrow as they are on purpose, and what runs them may compute with
/// the narrow ones.
[[nodiscard]] bool widens(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::tensor
