// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor programs and programs that are task graphs (core/tasks), as task graphs.
#pragma once

#include "core/cost/node_cost.h"
#include "core/cost/sizes.h"
#include "core/ir/term_bank.h"
#include "core/schedule/task_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::schedule {

struct ProgramGraph {
    TaskGraph graph;
    std::vector<ir::TermId>
        terms;  ///< by operation; invalid for the one that provides inputs and those that provide weights
    std::uint64_t residentBytes = 0;  ///< of weights that are not part of the graph: they are in memory all the time
    bool hasOwnDurations = false;     ///< of a task graph: they are not costs of the model
};

struct ProgramGraphOptions {
    cost::AssumedSizes sizes = {};
    /// Whether weights are tensors of the graph, so that they are on some device: operations without duration, before all others, provide
    /// those with the same users, and hold them to the end. With one device they are the same in every order, and better left out.
    bool hasWeights = false;
};

/// The task graph of a program. That of a task graph is the graph itself, whatever the costs and options are.
///
/// In a tensor program each node that is computed while the program runs is an operation whose duration is its cost, in the
/// unit of the model; `costs` are those of CostEvaluator::explainNodes. Its value is a tensor, unless it lies in the memory of another one
/// (a view): then the operations that use it hold that one, and wait for the node. The inputs of the program are tensors of one operation
/// without duration, which comes before all others. What is computed from weights alone is a weight. One device that runs the program in its own
/// order has the peak of the model peak-memory, less `residentBytes` where weights are left out. Fails for programs without an operation,
/// and for costs that are no durations.
[[nodiscard]] Result<ProgramGraph> graphOf(const ir::TermBank& bank, const ir::Program& program,
                                           std::span<const cost::NodeCost> costs,
                                           const ProgramGraphOptions& options = {});

}  // namespace mitos::schedule
