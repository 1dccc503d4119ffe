// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of a search that chose the next rule for an e-graph, as views draw it.
#pragma once

#include <cstdint>
#include <vector>

namespace mitos::search {

struct GuideTree {
    struct Node {
        std::uint32_t parent = 0;  ///< index in `nodes`; of the root: 0
        std::uint32_t rule =
            0;  ///< that led to it from its parent, by number in the report of the growth; of the root: 0
        std::uint64_t visits = 0;
        double value = 0.0;        ///< the average reward, in parts of the cost at the root
        double cost = 0.0;         ///< of the cheapest program extracted from its e-graph
        std::uint64_t enodes = 0;  ///< of its e-graph
        bool isFull = false;       ///< a limit ended the application of its rule
        bool isSaturated = false;  ///< no rule changes its e-graph
        bool operator==(const Node&) const = default;
    };
    std::vector<Node> nodes;    ///< the root first, parents before their children
    std::uint32_t chosen = 0;   ///< the index of the child whose rule is applied
    std::uint64_t leftOut = 0;  ///< nodes that were visited less often than the others, and are not here
    bool operator==(const GuideTree&) const = default;
};

}  // namespace mitos::search
