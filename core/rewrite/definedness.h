// SPDX-License-Identifier: GPL-3.0-or-later
// Checks whether steps keep programs defined. A rule marked `domain` may define a value that was undefined; applied backwards, as in
// proofs of an e-graph, the same instance may make a defined value undefined.
#pragma once

#include "core/rewrite/step.h"

#include <cstddef>

namespace mitos::rewrite {

/// Whether a ks program still has a value wherever it had one after the term at `position` was replaced by one that is equal wherever both
/// have a value. The check compares the two terms: every evaluation of the old one must perform each operation of the new one that can
/// fail or is undefined over the reals. Loops over the sizes that types name stay inside of their vectors. The value of a `let`
/// need not be used, so there only failures count. False if this cannot be shown, and for terms too large to compare.
[[nodiscard]] bool staysDefined(ir::TermBank& bank, const ir::Program& before, ir::TermId after,
                                const ir::Path& position);

/// The number of leading steps of a ks thread that are shown to lose no defined value: all steps before the first reversed instance of a
/// `domain` rule for which staysDefined() is false, unless it is true again for a state soon after that step.
[[nodiscard]] std::size_t stepsThatStayDefined(ir::TermBank& bank, const Thread& thread);

}  // namespace mitos::rewrite
