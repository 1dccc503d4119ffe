// SPDX-License-Identifier: GPL-3.0-or-later
// See proof_path.h.
#include "core/egraph/internal/proof_path.h"

namespace mitos::egraph {

std::vector<PathEdge> proofPath(const EGraph& graph, ENodeId from, ENodeId to) {
    const auto edgesToRoot = [&](ENodeId node, bool isUp) {
        std::vector<PathEdge> edges;
        for (EGraph::ProofEdge edge = graph.proofEdge(node); edge.to.isValid(); edge = graph.proofEdge(node)) {
            edges.push_back({node, edge.to, edge.reason, isUp});
            node = edge.to;
        }
        return edges;
    };
    std::vector<PathEdge> path = edgesToRoot(from, true);
    std::vector<PathEdge> down = edgesToRoot(to, false);
    while (!path.empty() && !down.empty() && path.back().below == down.back().below) {
        path.pop_back();
        down.pop_back();
    }
    path.insert(path.end(), down.rbegin(), down.rend());
    return path;
}

}  // namespace mitos::egraph
