// SPDX-License-Identifier: GPL-3.0-or-later
// Replays one step without the matcher, for the checker and the rewriter.
#pragma once

#include "core/ir/shared.h"
#include "core/rewrite/step.h"

namespace mitos::rewrite {

/// The term at a position. Fails if the program has no such position.
[[nodiscard]] Result<ir::TermId> subtermAt(const ir::TermBank& bank, ir::TermId root, const ir::Path& position);
/// The subject of a step: the term at its position, or the tuple of the terms at its positions if there are several. Fails if the
/// program has no such position.
[[nodiscard]] Result<ir::TermId> subjectAt(ir::TermBank& bank, ir::TermId root, const Step& step);

/// The program's root with the node at a position replaced: in a tree that occurrence, in a graph all occurrences. The types must be
/// equal.
[[nodiscard]] Result<ir::TermId> replacedAt(ir::TermBank& bank, const ir::Program& program, const ir::Path& position,
                                            ir::TermId replacement);

/// Whether `replacement` may take the place of `subterm`: it has the same type, and it has no loose bound variable further out than
/// those of `subterm`.
[[nodiscard]] bool fits(const ir::TermBank& bank, ir::TermId subterm, ir::TermId replacement);
/// Whether the nodes of a tuple can all be replaced at once by those of the other: they are different nodes, and no replacement
/// contains a node that is replaced, which would have to stand below itself.
[[nodiscard]] bool fitTogether(const ir::TermBank& bank, ir::TermId nodes, ir::TermId replacements);
/// The pairs of corresponding nodes of two such tuples.
[[nodiscard]] std::vector<ir::NodeReplacement> paired(const ir::TermBank& bank, ir::TermId nodes,
                                                      ir::TermId replacements);

/// The root after a step. Fails if there is no such position, if the step is not an instance of the rule, if a side condition does not
/// hold, or if the result does not fit its place: it has another type, or a variable that is neither bound there nor one of the
/// program's function (parameters and size names). For a rule with several roots it also fails if the number of positions differs from
/// that of the roots, if the program is not a graph, if the roots cannot be replaced at once (fitTogether), or if the step is reversed.
[[nodiscard]] Result<ir::TermId> replayed(ir::TermBank& bank, const ir::Program& program, const Step& step);

}  // namespace mitos::rewrite
