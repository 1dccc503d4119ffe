// SPDX-License-Identifier: GPL-3.0-or-later
// Loop interchange for sums that every element of a vector needs, so that tensors are read row by row instead of column by column.
// Private to core/codegen.
#pragma once

#include "core/ir/term_bank.h"

#include <vector>

namespace mitos::codegen {

/// For `build n \j. e`, a vector of Floats: returns the sums `sumbuild m \k. s` in e that are better computed for all j at once, with the
/// loop over k outside. These are sums whose summands read rows along j, as `index j (index k b)`, and none along k: as written, each
/// step of the inner loop would access another row of b. The summands of each element are added in the same order either way, so results
/// are equal bit for bit. Sums under a condition or a binder, and summands with loops of their own, are left alone.
[[nodiscard]] std::vector<ir::TermId> sumsAcross(const ir::TermBank& bank, ir::TermId build);

}  // namespace mitos::codegen
