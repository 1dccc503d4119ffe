// SPDX-License-Identifier: GPL-3.0-or-later
// Local simplification of generated code: sums with zero, products with one, sums of equal products or of quotients by one value,
// elements of tuples, Integer constants.
#pragma once

#include "core/ir/term_bank.h"

#include <span>

namespace mitos::autodiff {

/// The term with these children, or a simpler one of the same value but for rounding. The children are simplified already.
[[nodiscard]] ir::TermId simplified(ir::TermBank& bank, ir::TermId term, std::span<const ir::TermId> children);

}  // namespace mitos::autodiff
