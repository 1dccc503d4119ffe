// SPDX-License-Identifier: GPL-3.0-or-later
// Extraction from an e-graph that is at work.
#pragma once

#include "core/egraph/egraph.h"
#include "core/extract/problem.h"

#include <absl/functional/function_ref.h>

#include <span>
#include <vector>

namespace mitos::extract {

/// The classes that the roots can reach. Nodes are left out that would let a variable be mentioned where it is not bound
/// (EGraph::isInScope), and nodes of infinite cost. `origin` of a node is its id in the graph. Roots keep their order; equal ones stand once.
[[nodiscard]] Problem makeProblem(egraph::EGraph& graph, std::span<const egraph::ENodeId> roots,
                                  absl::FunctionRef<double(egraph::ENodeId)> cost);

/// The terms of a checked choice (check.h), one for each root.
[[nodiscard]] std::vector<ir::TermId> chosenTerms(egraph::EGraph& graph, const Problem& problem, const Choice& choice);

}  // namespace mitos::extract
