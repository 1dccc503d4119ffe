// SPDX-License-Identifier: GPL-3.0-or-later
// Exact extraction: the choice of least cost.
#pragma once

#include "core/base/result.h"
#include "core/extract/extract.h"
#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <string>

namespace mitos::extract {

// The answers have a choice, complete and acyclic, a bound, whether the choice is proven to be optimal, and a note.

/// Improves `start`, a complete acyclic choice of a reduced problem, until it is optimal or the deadline is reached. First removes
/// what only choices need that cost at least as much as the best known one (narrowing.h). What remains is solved in independent parts:
/// each by branch and bound (branching.h), or by the solver where that does not end within Options::branchWork. Costs must not be
/// negative. Errors are those of the solver.
[[nodiscard]] Result<Extraction> solveExactly(const Problem& problem, const Choice& start, const Options& options,
                                              const Deadline& deadline);

/// The optimum by an integer program alone, with constraints against cycles added when cycles occur.
///
/// Model: x(n) is 1 for chosen nodes; roots have exactly one, other classes at most one; a node of c over d requires a
/// node of d that does not in turn need c. Remaining cycles are cut off when they occur: a set S of classes that only
/// need each other is not a term, so a class of S needs some node of S without children in S (like loop formulas in
/// answer set programming). Components that keep producing cycles get order variables instead. Every round's least cost
/// is a bound, and its repaired choice is a new start. Errors are those of the solver.
[[nodiscard]] Result<Extraction> searchByProgram(const Problem& problem, const Choice& start, const std::string& solver,
                                                 const Deadline& deadline);

}  // namespace mitos::extract
