// SPDX-License-Identifier: GPL-3.0-or-later
// The least cost.
#pragma once

#include "core/extract/program_search.h"

#include <string>

namespace mitos::extract {

/// Improves `start`, a complete acyclic choice, until nothing better is left or the deadline comes. First nodes are removed that
/// only choices need which cost as much as the best known one (lower_bounds.h), which makes further reductions possible, and so
/// on; what is left, if anything, goes to the solver. Costs must not be negative. Errors are those of the solver.
[[nodiscard]] Result<ExactAnswer> solveExactly(const Problem& problem, const Choice& start, const std::string& solver,
                                               const Deadline& deadline);

}  // namespace mitos::extract
