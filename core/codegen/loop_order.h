// SPDX-License-Identifier: GPL-3.0-or-later
// Which loop goes outside: sums that every element of a vector needs, read row by row instead of column by column. Private
// to core/codegen.
#pragma once

#include "core/ir/term_bank.h"

#include <vector>

namespace mitos::codegen {

/// Of `build n \j. e`, a vector of Floats: the sums `sumbuild m \k. s` in e that are better worked out for all j at once,
/// with the loop over k outside. Those whose summands read rows along j, as `index j (index k b)`, and none along k: as
/// written, each step of the inner loop would go to another row of b. Each element's summands are added in the same order
/// either way, so results do not change in a bit. Left alone are sums under a condition or a binder, and summands with
/// loops of their own.
[[nodiscard]] std::vector<ir::TermId> sumsAcross(const ir::TermBank& bank, ir::TermId build);

}  // namespace mitos::codegen
