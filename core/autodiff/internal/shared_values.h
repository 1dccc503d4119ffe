// SPDX-License-Identifier: GPL-3.0-or-later
// Lets for values that a program computes several times, made before it is differentiated.
#pragma once

#include "core/autodiff/internal/block.h"
#include "core/ir/term_bank.h"

namespace mitos::autodiff {

/// Whether computing a Float takes longer than reading it.
[[nodiscard]] bool isCostly(const ir::TermBank& bank, ir::TermId value);
/// Whether computing a value of any type takes longer than reading its numbers: it has functions, calls, or sums in it.
[[nodiscard]] bool takesLong(const ir::TermBank& bank, ir::TermId value);
/// Whether a part of the term is costly.
[[nodiscard]] bool hasCostlyParts(const ir::TermBank& bank, ir::TermId term);

/// The term with one let for each Float that occurs several times, so that reverse mode adds up its tangent before it goes on to what the
/// Float is computed from. What takes long and is the same in all iterations of a loop is computed before the loop, so that its tangent is
/// summed up over the iterations. A value moves only to places where it was evaluated before, or where it cannot fail; elements of tensors and of
/// tuples stay as they are.
/// `before` is the term before calls in it were opened, whose places `names` records.
[[nodiscard]] ir::TermId withSharedValues(ir::TermBank& bank, Names& names, ir::TermId term, ir::TermId before);

}  // namespace mitos::autodiff
