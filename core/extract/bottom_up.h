// SPDX-License-Identifier: GPL-3.0-or-later
// Cheapest trees for all classes at once, bottom-up from the leaves.
#pragma once

#include "core/extract/problem.h"

#include <span>
#include <vector>

namespace mitos::extract {

struct BottomUp {
    Choice choice;             ///< for every class that has a finite term; acyclic
    std::vector<double> cost;  ///< by class: cost of the chosen tree; infinite if too large for a double
};

/// Knuth's generalization of Dijkstra's algorithm ("A generalization of Dijkstra's algorithm", 1977): settles the
/// cheapest open class, which makes nodes over it ready. Each node is visited once for each of its children. A node's
/// own cost is weight[node], which must not be negative. Among trees of equal cost, the class takes the one of its
/// first node.
[[nodiscard]] BottomUp bottomUp(const Problem& problem, const ParentIndex& parents, std::span<const double> weight);

}  // namespace mitos::extract
