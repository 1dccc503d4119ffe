// SPDX-License-Identifier: GPL-3.0-or-later
// Extraction as an integer program, with constraints against cycles added when cycles occur.
#pragma once

#include "core/base/result.h"
#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <optional>
#include <string>

namespace mitos::extract {

struct ExactAnswer {
    Choice choice;                ///< the best known one, complete and acyclic
    std::optional<double> bound;  ///< lower bound on the cost of every choice
    bool proven = false;          ///< the cost of the choice equals the bound
    std::string note;
};

/// Improves `start`, a complete acyclic choice, until it is optimal or the deadline is reached.
///
/// Model: x(n) is 1 for chosen nodes; roots have exactly one, other classes at most one; a node of c over d requires a
/// node of d that does not in turn need c. Remaining cycles are cut off when they occur: a set S of classes that only
/// need each other is not a term, so a class of S needs some node of S without children in S (like loop formulas in
/// answer set programming). Components that keep producing cycles get order variables instead. Every round's least cost
/// is a bound, and its repaired choice is a new start. Errors are those of the solver.
/// new start. Errors are those of the solver.
[[nodiscard]] Result<ExactAnswer> searchByProgram(const Problem& problem, const Choice& start,
                                                  const std::string& solver, const Deadline& deadline);

}  // namespace mitos::extract
