// SPDX-License-Identifier: GPL-3.0-or-later
// Exact extraction by branch and bound, for problems of which reductions leave little.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <cstdint>

namespace mitos::extract {

struct BranchingResult {
    Choice choice;
    double cost = 0.0;
    bool isProven = false;       ///< nothing is cheaper by more than the tolerance
    std::uint64_t branches = 0;  ///< nodes that were tried
};

/// Improves `start`, a complete acyclic choice of a reduced problem, by branch and bound: it tries each node of a class that every choice
/// needs. Reductions follow each trial, those that use the best known cost included, and what they leave is solved in independent parts.
/// Ends without a proof after looking at `work` nodes, or at the deadline; without the deadline the result is always the same.
/// Costs must not be negative.
[[nodiscard]] BranchingResult branchAndBound(const Problem& problem, const Choice& start, std::uint64_t work,
                                             const Deadline& deadline);

}  // namespace mitos::extract
