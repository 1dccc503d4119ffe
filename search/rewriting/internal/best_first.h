// SPDX-License-Identifier: GPL-3.0-or-later
// Best-first search: always expands the state with the highest priority. A*, greedy search and backtracking differ in the priority
// and in the states that they keep.
#pragma once

#include "search/rewriting/experience.h"
#include "search/rewriting/internal/state_space.h"
#include "search/rewriting/value.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace mitos::search {

/// The priority of a state is its cost reduction so far plus V̂ within the time left. Of equal priority, the state with more time left
/// comes first, then the expression found first.
struct BestFirst {
    /// The longest path from the start; the time left is what remains of it, and an expression that is reached again with more time
    /// left is expanded again. Without it no state has less time than another.
    std::optional<std::uint32_t> depth;
    std::uint32_t timeLeft = 0;  ///< of every state, if there is no `depth`
    double reference = 0.0;      ///< the cost from which reductions count
    /// The fewest expressions that are valued at once: the best open states are expanded until they have so many successors, or until no
    /// state is left (Knossos paper, Table 1: "minimum batch size for evaluation"). 1: each state after the successors of the one
    /// before are valued.
    std::size_t batch = 1;
    /// States that cost this times the best so far or more are pruned.
    double relaxation = std::numeric_limits<double>::infinity();
    /// Gets the steps between the states that are visited, if it is not null.
    std::vector<StateEdge>* edges = nullptr;
};

/// Searches until no state is left or the search ends.
void searchBestFirst(StateSpace& space, ValueFunction& value, const BestFirst& how);

/// The values of expressions, a row for each with all of the given times left. They are computed in batches of ValueFunction::batch(),
/// between which the search may end; what is then left has the value 0.
[[nodiscard]] std::vector<double> valuesOf(StateSpace& space, ValueFunction& value, std::span<const ExpressionId> ids,
                                           TimesLeft times);

}  // namespace mitos::search
