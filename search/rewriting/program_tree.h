// SPDX-License-Identifier: GPL-3.0-or-later
// A program as a tree of occurrences with their costs, for estimates that look at it as a whole.
#pragma once

#include "core/cost/cost_model.h"

#include <cstdint>
#include <vector>

namespace mitos::search {

/// An occurrence of a subterm. Costs are what it contributes to the whole program: once × how often it is run.
struct Occurrence {
    ir::TermId term;
    std::uint32_t parent = 0;  ///< the root's is itself
    std::uint32_t child = 0;   ///< which child of the parent it is
    std::uint32_t depth = 0;
    std::uint32_t size = 1;    ///< occurrences of its subtree, itself included
    std::uint32_t binder = 0;  ///< the nearest binder around it; itself if there is none
    double own = 0.0;          ///< of its operator
    double total = 0.0;        ///< of its subtree
    double once = 0.0;         ///< of its subtree, run once
    double times = 1.0;
};

/// In pre-order. Programs of more than `most` nodes give an empty tree: an estimate must not cost more than a search.
[[nodiscard]] std::vector<Occurrence> programTree(const ir::TermBank& bank, cost::CostEvaluator& costs, ir::TermId root,
                                                  std::uint64_t most);

/// The value that an occurrence computes: the term, and for its loose variables which binders they belong to. Equal keys
/// are equal values.
[[nodiscard]] std::uint64_t valueKey(const ir::TermBank& bank, const std::vector<Occurrence>& tree,
                                     std::uint32_t occurrence);

}  // namespace mitos::search
