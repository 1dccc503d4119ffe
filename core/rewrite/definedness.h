// SPDX-License-Identifier: GPL-3.0-or-later
// Whether steps keep programs defined. A rule marked `domain` may make defined what was not; taken backwards, as proofs of an e-graph
// do, the same instance may make undefined what was defined.
#pragma once

#include "core/rewrite/step.h"

#include <cstddef>

namespace mitos::rewrite {

/// Whether a ks program, of which the term at `position` was replaced by one that is equal wherever both have a value, still has a value
/// wherever it had one, as far as the two terms show: each operation of the new term that can fail, or is undefined over the reals, is one
/// that every evaluation of the old one performs. Loops over the sizes that types name stay inside of their vectors. The value of a `let`
/// need not be used, so there only failures count. False if that is not shown, and for terms too large to compare.
[[nodiscard]] bool staysDefined(ir::TermBank& bank, const ir::Program& before, ir::TermId after,
                                const ir::Path& position);

/// The number of leading steps of a ks thread after which it is shown that no defined value is lost: all steps up to the first reversed
/// instance of a `domain` rule without staysDefined(), unless the states soon after it have that again.
[[nodiscard]] std::size_t stepsThatStayDefined(ir::TermBank& bank, const Thread& thread);

}  // namespace mitos::rewrite
