// SPDX-License-Identifier: GPL-3.0-or-later
// The operations that the programs of an e-graph run, for measuring them before a search.
#pragma once

#include "core/cost/operation.h"
#include "core/egraph/egraph.h"

#include <vector>

namespace mitos::extract {

/// The operations of all e-nodes of a clean graph of tensor programs, each once, as pricing asks a cost model about them. Views are
/// included.
[[nodiscard]] std::vector<cost::Operation> operationsOf(egraph::EGraph& graph, const cost::AssumedSizes& sizes);

}  // namespace mitos::extract
