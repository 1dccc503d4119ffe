// SPDX-License-Identifier: GPL-3.0-or-later
// Keeping the classes of an e-graph free of cycles, so that every choice of nodes is a program (egraph-mcts.txt 4.1 and
// TENSAT, Yang et al. 2021, section 5.2 and its Algorithm 2).
#pragma once

#include "core/base/result.h"
#include "core/egraph/egraph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::egraph {

enum class CycleFilter : std::uint8_t {
    None,     ///< cycles may come; extraction goes round them
    Vanilla,  ///< before two classes become one, the graph as it is then is searched for a cycle that this would close
    Efficient,  ///< the graph of the iteration's start is asked instead; what that overlooks is filtered afterwards
};
/// "none", "vanilla", "efficient". Errors: another name, listing these.
[[nodiscard]] Result<CycleFilter> cycleFilter(std::string_view name);
[[nodiscard]] const std::vector<std::string>& cycleFilterNames();

/// Asked before an application makes two classes one.
class UnionGuard {
public:
    virtual ~UnionGuard() = default;
    /// Whether the class of the left side and that of the right side may become one: not if the right side is made over the
    /// left. Where it is a part of the left side (Relu(Relu(x)) => Relu(x)) they may, which TENSAT refuses: the nodes of the left side
    /// then reach themselves, so they are filtered and the smaller program stays. The right side's nodes are in the graph.
    [[nodiscard]] virtual bool mayUnite(ENodeId left, ENodeId right) = 0;
    /// The graph is clean, and a new batch of applications begins.
    virtual void begin() = 0;
};
/// Null for CycleFilter::None. The graph must outlive the guard.
[[nodiscard]] std::unique_ptr<UnionGuard> makeUnionGuard(CycleFilter filter, const EGraph& graph);

/// Filters nodes (EGraph::filter) until no class can reach itself through nodes that are left: of the nodes of a cycle the one
/// that was added last. Every class keeps a term: its oldest node is never the youngest of a cycle, since it was added over
/// older ones. The graph must be clean. Returns how many nodes were filtered.
std::uint64_t filterCycles(EGraph& graph);

/// Whether some class can reach itself through nodes that are not filtered. Of a clean graph.
[[nodiscard]] bool hasCycle(EGraph& graph);

}  // namespace mitos::egraph
