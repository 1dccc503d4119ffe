// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the classes of an e-graph free of cycles, so that every choice of nodes is a program (egraph-mcts.txt 4.1 and
// TENSAT, Yang et al. 2021, section 5.2 and its Algorithm 2).
#pragma once

#include "core/base/result.h"
#include "core/egraph/egraph.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::egraph {

enum class CycleFilter : std::uint8_t {
    None,       ///< cycles are allowed; extraction avoids them
    Vanilla,    ///< before two classes are merged, the current graph is searched for a cycle that this would close
    Efficient,  ///< uses the graph at the start of the iteration instead; cycles that this misses are filtered afterwards
};
/// Parses "none", "vanilla" or "efficient". Fails for any other name; the error lists these.
[[nodiscard]] Result<CycleFilter> cycleFilter(std::string_view name);
[[nodiscard]] const std::vector<std::string>& cycleFilterNames();

/// When a guard is asked, and what about.
enum class UnionCheck : std::uint8_t {
    Results,  ///< before each union, about the two classes: refuses all unions that would close a cycle as far as the filter sees
    /// Before a match is applied, about its variables, as in TENSAT's program: terms of the right-hand side that exist already are not
    /// looked at, so more is applied, and more nodes are filtered afterwards.
    Inputs,
};

/// Decides whether an application may merge two classes.
class UnionGuard {
public:
    virtual ~UnionGuard() = default;
    /// Whether the classes of the left-hand side and the right-hand side may be merged: not if the right-hand side
    /// contains the left-hand side. If it is a part of the left-hand side (Relu(Relu(x)) => Relu(x)) the merge is
    /// allowed: the nodes of the left-hand side then reach themselves, so they are filtered and the smaller program
    /// remains. The nodes of the right-hand side must be in the graph.
    [[nodiscard]] virtual bool mayUnite(ENodeId left, ENodeId right) = 0;
    /// Whether a match may be applied: not if a class that a variable denotes contains a class that a root matched.
    [[nodiscard]] virtual bool mayApply(std::span<const ENodeId> variables, std::span<const ENodeId> roots) = 0;
    /// Called when the graph is clean and a new batch of applications begins.
    virtual void begin() = 0;
};
/// Returns null for CycleFilter::None. The graph must outlive the guard.
[[nodiscard]] std::unique_ptr<UnionGuard> makeUnionGuard(CycleFilter filter, const EGraph& graph);

/// Filters nodes (EGraph::filter) until no class can reach itself through unfiltered nodes: in each cycle, the node
/// that was added last is filtered. Every class keeps a term: its oldest node is never the youngest of a cycle, since
/// it was added over older nodes. The graph must be clean. Returns the number of filtered nodes.
std::uint64_t filterCycles(EGraph& graph);

/// Whether some class can reach itself through unfiltered nodes. The graph must be clean.
[[nodiscard]] bool hasCycle(EGraph& graph);

}  // namespace mitos::egraph
