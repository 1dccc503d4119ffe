// SPDX-License-Identifier: GPL-3.0-or-later
// Extraction problems of live e-graphs.
#pragma once

#include "core/egraph/egraph.h"
#include "core/extract/problem.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::extract {

/// The classes that the roots can reach. Nodes that would use a variable where it is not bound (EGraph::isInScope) and
/// nodes of infinite cost are left out. `origin` of a node is its id in the graph. Roots keep their order; duplicates
/// are removed.
[[nodiscard]] Problem makeProblem(egraph::EGraph& graph, std::span<const egraph::ENodeId> roots,
                                  absl::FunctionRef<double(egraph::ENodeId)> cost);

/// The same with other members of a class, or with them in another order, given its leader: the order of classes follows from it.
using MembersOf = absl::FunctionRef<std::span<const std::uint32_t>(std::uint32_t leader)>;
[[nodiscard]] Problem makeProblem(const egraph::EGraph& graph, std::span<const egraph::ENodeId> roots,
                                  MembersOf membersOf, absl::FunctionRef<double(egraph::ENodeId)> cost);

/// The terms of a checked choice (check.h), one for each root.
[[nodiscard]] std::vector<ir::TermId> chosenTerms(egraph::EGraph& graph, const Problem& problem, const Choice& choice);

}  // namespace mitos::extract
