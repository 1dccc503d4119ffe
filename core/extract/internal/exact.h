// SPDX-License-Identifier: GPL-3.0-or-later
// Exact extraction: the choice of least cost.
#pragma once

#include "core/extract/internal/program_search.h"

#include <string>

namespace mitos::extract {

/// Improves `start`, a complete acyclic choice, until it is optimal or the deadline is reached. First removes nodes
/// that occur only in choices that cost at least as much as the best known one (lower_bounds.h), which enables further
/// reductions, and so on; the remainder, if any, is passed to the solver. Costs must not be negative. Errors are those
/// of the solver.
[[nodiscard]] Result<ExactAnswer> solveExactly(const Problem& problem, const Choice& start, const std::string& solver,
                                               const Deadline& deadline);

}  // namespace mitos::extract
