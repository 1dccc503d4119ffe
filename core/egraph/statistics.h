// SPDX-License-Identifier: GPL-3.0-or-later
// Counts that describe an e-graph.
#pragma once

#include "core/egraph/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace mitos::egraph {

struct Statistics {
    std::size_t edges = 0;                         ///< arguments of nodes, repeated ones included
    std::size_t subsumed = 0;                      ///< nodes that extraction must not choose
    std::uint32_t largestClass = Snapshot::None;   ///< the first class with the most nodes; None if there is no class
    std::size_t largestSize = 0;                   ///< its number of nodes
    std::map<std::string, std::size_t> operators;  ///< number of nodes by operator
    /// Whether no class depends on itself: no node has an argument from which its own class can be reached.
    bool isAcyclic = true;
    double leastCost = 0.0;  ///< of a node; 0 if there is none
    double greatestCost = 0.0;
};

[[nodiscard]] Statistics statisticsOf(const Snapshot& snapshot);

}  // namespace mitos::egraph
