// SPDX-License-Identifier: GPL-3.0-or-later
// E-graphs as plain data.
#pragma once

#include "core/egraph/egraph.h"
#include "core/egraph/snapshot.h"

#include <absl/functional/function_ref.h>

#include <span>

namespace mitos::egraph {

/// The live nodes of a clean graph, with their costs, the rules that made them and the iterations. Node ids are those
/// of the graph. Nodes that are out of scope (EGraph::isInScope) or have infinite cost are marked as subsumed:
/// extraction must not choose them.
[[nodiscard]] Snapshot takeSnapshot(EGraph& graph, std::span<const ENodeId> roots,
                                    absl::FunctionRef<double(ENodeId)> cost);

/// The nodes that these terms of the clean graph consist of, by their numbers in a snapshot of it. Where terms have two nodes of one class,
/// the one reached first counts.
[[nodiscard]] NodeChoice nodesOf(EGraph& graph, const Snapshot& snapshot, std::span<const ir::TermId> terms);

}  // namespace mitos::egraph
