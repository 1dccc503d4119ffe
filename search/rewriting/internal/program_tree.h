// SPDX-License-Identifier: GPL-3.0-or-later
// A program as a tree of occurrences with their costs, for estimates over the whole program.
#pragma once

#include "core/cost/cost_model.h"

#include <cstdint>
#include <vector>

namespace mitos::search {

/// An occurrence of a subterm. Costs are its contribution to the whole program: the cost of one run × the number of runs.
struct Occurrence {
    ir::TermId term;
    std::uint32_t parent = 0;  ///< the root's parent is itself
    std::uint32_t child = 0;   ///< which child of the parent it is
    std::uint32_t depth = 0;
    std::uint32_t size = 1;    ///< number of occurrences in its subtree, including itself
    std::uint32_t binder = 0;  ///< the nearest enclosing binder; itself if there is none
    double own = 0.0;          ///< cost of its operator
    double total = 0.0;        ///< cost of its subtree
    double once = 0.0;         ///< cost of its subtree, run once
    double times = 1.0;        ///< number of runs
};

/// The occurrences in pre-order; of a graph, the nodes at their first paths. Empty if the program has more than `most` nodes, since an estimate must not cost more than
/// a search, or if its cost cannot be explained.
[[nodiscard]] std::vector<Occurrence> programTree(const ir::TermBank& bank, cost::CostEvaluator& costs,
                                                  const ir::Program& program, std::uint64_t most);

/// A key for the value that an occurrence computes: its term and the binders of its loose variables. Equal keys mean equal values.
[[nodiscard]] std::uint64_t valueKey(const ir::TermBank& bank, const std::vector<Occurrence>& tree,
                                     std::uint32_t occurrence);

}  // namespace mitos::search
