// SPDX-License-Identifier: GPL-3.0-or-later
// Doing one step without the matcher, as the checker and the rewriter do it.
#pragma once

#include "core/ir/shared.h"
#include "core/rewrite/step.h"

namespace mitos::rewrite {

/// The term at a position. Error: the program has no such position.
[[nodiscard]] Result<ir::TermId> subtermAt(const ir::TermBank& bank, ir::TermId root, const ir::Path& position);
/// What a step's rule speaks of: the term at its position, of several positions the tuple of the terms there. Error: the
/// program has no such position.
[[nodiscard]] Result<ir::TermId> subjectAt(ir::TermBank& bank, ir::TermId root, const Step& step);

/// The program's root with the node at a position replaced: that occurrence of a tree, of a graph all of them. The types are
/// equal.
[[nodiscard]] Result<ir::TermId> replacedAt(ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                                            ir::TermId replacement);

/// Whether `replacement` may stand where `subterm` stands: the same type, and no variable of the surroundings that
/// `subterm` could not have mentioned either.
[[nodiscard]] bool fits(const ir::TermBank& bank, ir::TermId subterm, ir::TermId replacement);
/// Whether the nodes of a tuple can all be replaced at once, by those of the other: they are different nodes, and no replacement
/// contains a node that goes away. It would have to stand below itself.
[[nodiscard]] bool fitTogether(const ir::TermBank& bank, ir::TermId nodes, ir::TermId replacements);
/// The pairs of two such tuples.
[[nodiscard]] std::vector<ir::NodeReplacement> paired(const ir::TermBank& bank, ir::TermId nodes,
                                                      ir::TermId replacements);

/// The root after a step. Errors: no such position, not an instance of the rule, a side condition that does not hold, a
/// result that does not fit its place: of another type, or with a variable that is neither bound there nor one of the
/// program's function (parameters and size names). Of several roots also: not a position for each, a program that is no
/// graph, roots that cannot be replaced at once (fitTogether), a reversed step.
[[nodiscard]] Result<ir::TermId> replayed(ir::TermBank& bank, const ir::Program& program, const Step& step);

}  // namespace mitos::rewrite
