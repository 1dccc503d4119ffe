// SPDX-License-Identifier: GPL-3.0-or-later
// Lets for values that a program computes several times, made before it is differentiated.
#pragma once

#include "core/autodiff/internal/block.h"
#include "core/ir/term_bank.h"

namespace mitos::autodiff {

/// The term with one let for each Float that occurs several times, so that reverse mode adds up its tangent before it goes on to what the
/// Float is computed from. A value moves only to places where it was evaluated before; elements of tensors and of tuples stay as they are.
[[nodiscard]] ir::TermId withSharedValues(ir::TermBank& bank, Names& names, ir::TermId term);

}  // namespace mitos::autodiff
