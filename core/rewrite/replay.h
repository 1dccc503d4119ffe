// SPDX-License-Identifier: GPL-3.0-or-later
// Doing one step without the matcher, as the checker and the rewriter do it.
#pragma once

#include "core/rewrite/step.h"

namespace mitos::rewrite {

/// The term at a position. Error: the program has no such position.
[[nodiscard]] Result<ir::TermId> subtermAt(const ir::TermBank& bank, ir::TermId root, const ir::Path& position);

/// The program's root with the node at a position replaced: that occurrence of a tree, of a graph all of them. The types are
/// equal.
[[nodiscard]] Result<ir::TermId> replacedAt(ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                                            ir::TermId replacement);

/// Whether `replacement` may stand where `subterm` stands: the same type, and no variable of the surroundings that
/// `subterm` could not have mentioned either.
[[nodiscard]] bool fits(const ir::TermBank& bank, ir::TermId subterm, ir::TermId replacement);

/// The root after a step. Errors: no such position, not an instance of the rule, a side condition that does not hold, a
/// result that does not fit its place: of another type, or with a variable that is neither bound there nor one of the
/// program's function (parameters and size names).
[[nodiscard]] Result<ir::TermId> replayed(ir::TermBank& bank, const ir::Program& program, const Step& step);

}  // namespace mitos::rewrite
