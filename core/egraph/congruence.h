// SPDX-License-Identifier: GPL-3.0-or-later
// Closes an e-graph from a file under congruence, which the format does not guarantee.
#pragma once

#include "core/egraph/snapshot.h"

#include <cstdint>
#include <vector>

namespace mitos::egraph {

/// The merges made, with the numbers of the snapshot before them.
struct CongruenceReport {
    struct MergedClasses {
        std::uint32_t kept = 0;    ///< the class that appeared first
        std::uint32_t merged = 0;  ///< the class whose nodes moved into `kept`
        std::uint32_t node = 0;    ///< a node of each class, with equal operators over equal classes
        std::uint32_t other = 0;
    };
    struct DroppedNode {
        std::uint32_t kept = 0;  ///< now has the lower cost of the two
        std::uint32_t dropped = 0;
    };
    std::vector<MergedClasses> classes;
    std::vector<DroppedNode> nodes;
};

struct CongruentSnapshot {
    Snapshot snapshot;
    CongruenceReport report;
};

/// The smallest congruent e-graph with the same equalities: nodes with one operator over the same classes become one
/// node (the first, at the least cost of all, subsumed if one of them was), and their classes become one class (the
/// first, with data of the others where it has none itself), up to the fixpoint. Order and ids are kept.
[[nodiscard]] CongruentSnapshot closeUnderCongruence(const Snapshot& snapshot);

}  // namespace mitos::egraph
