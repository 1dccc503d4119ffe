// SPDX-License-Identifier: GPL-3.0-or-later
// Extraction as an integer program, with constraints against cycles added where cycles turn up.
#pragma once

#include "core/base/result.h"
#include "core/extract/deadline.h"
#include "core/extract/problem.h"

#include <optional>
#include <string>

namespace mitos::extract {

struct ExactAnswer {
    Choice choice;                ///< the best one known, complete and acyclic
    std::optional<double> bound;  ///< no choice costs less
    bool proven = false;          ///< the choice costs that
    std::string note;
};

/// Improves `start`, a complete acyclic choice, until nothing better is left or the deadline comes.
///
/// Model: x(n) is 1 for chosen nodes; roots have one, other classes at most one; nodes of c over d ask for a node of d that does not in turn
/// need c. What that leaves of cycles is cut off when it turns up: a set S of classes that only need each other is no
/// term, so a class of S needs some node of S without children in S (as loop formulas do in answer set programming).
/// Components that go on making cycles get order variables instead. Every round's least cost is a bound, and its choice, repaired, a
/// new start. Errors are those of the solver.
[[nodiscard]] Result<ExactAnswer> searchByProgram(const Problem& problem, const Choice& start,
                                                  const std::string& solver, const Deadline& deadline);

}  // namespace mitos::extract
