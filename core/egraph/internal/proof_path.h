// SPDX-License-Identifier: GPL-3.0-or-later
// Paths in the proof forest of an e-graph. Private to core/egraph.
#pragma once

#include "core/egraph/egraph.h"

#include <vector>

namespace mitos::egraph {

/// An edge of the proof forest, and the direction in which a path follows it.
struct PathEdge {
    ENodeId below;
    ENodeId above;
    Reason reason = Asserted;
    bool isUp = true;
};

/// The path from one member of a class to another, through their lowest common ancestor.
[[nodiscard]] std::vector<PathEdge> proofPath(const EGraph& graph, ENodeId from, ENodeId to);

}  // namespace mitos::egraph
