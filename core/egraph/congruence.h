// SPDX-License-Identifier: GPL-3.0-or-later
// Closing an e-graph from a file under congruence, which the format does not promise.
#pragma once

#include "core/egraph/snapshot.h"

#include <cstdint>
#include <vector>

namespace mitos::egraph {

/// What had to be merged, in terms of the snapshot before.
struct CongruenceReport {
    struct MergedClasses {
        std::uint32_t kept = 0;    ///< the one that appeared first
        std::uint32_t merged = 0;  ///< whose nodes are now in it
        std::uint32_t node = 0;    ///< of the two classes: equal operators over equal classes
        std::uint32_t other = 0;
    };
    struct DroppedNode {
        std::uint32_t kept = 0;  ///< now costs the less of the two
        std::uint32_t dropped = 0;
    };
    std::vector<MergedClasses> classes;
    std::vector<DroppedNode> nodes;
};

struct CongruentSnapshot {
    Snapshot snapshot;
    CongruenceReport report;
};

/// The smallest congruent e-graph with the same equalities: nodes of one operator over the same classes are one node (the
/// first, at the least cost of all, subsumed if one of them was), their classes are one class (the first, with what is
/// said about the others where it says nothing itself), to the fixpoint. Order and ids are kept.
[[nodiscard]] CongruentSnapshot closeUnderCongruence(const Snapshot& snapshot);

}  // namespace mitos::egraph
