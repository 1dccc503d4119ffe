// SPDX-License-Identifier: GPL-3.0-or-later
// Least trees for all classes at once, from the leaves up.
#pragma once

#include "core/extract/parent_index.h"
#include "core/extract/problem.h"

#include <span>
#include <vector>

namespace mitos::extract {

struct BottomUp {
    Choice choice;             ///< for every class that has a finite term; acyclic
    std::vector<double> cost;  ///< by class: of the chosen tree; infinite where too large for a double
};

/// Knuth's generalization of Dijkstra's algorithm ("A generalization of Dijkstra's algorithm", 1977): the cheapest class that
/// is open is settled, which makes nodes over it ready. Each node is looked at once for each of its children. A node's
/// own cost is weight[node], which must not be negative. Of equal trees the class takes the one of its first node.
[[nodiscard]] BottomUp bottomUp(const Problem& problem, const ParentIndex& parents, std::span<const double> weight);

}  // namespace mitos::extract
