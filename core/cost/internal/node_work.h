// SPDX-License-Identifier: GPL-3.0-or-later
// The operations and memory of a node of a tensor program, for the cost models of such programs.
#pragma once

#include "core/cost/node_cost.h"
#include "core/cost/operation.h"
#include "core/cost/sizes.h"
#include "core/tensor/operator.h"

#include <optional>
#include <vector>

namespace mitos::cost {

/// The operations and memory of one node, for assumed sizes.
struct NodeWork {
    tensor::Work work;                 ///< for operators; empty for leaves
    double bytes = 0.0;                ///< size of the node's value; the sum over several outputs
    double inputBytes = 0.0;           ///< size of the values of its inputs
    bool isKernel = false;             ///< an operator that runs: not a leaf, a tuple, or an element of a tuple
    ir::Dtype dtype = ir::Dtype::F32;  ///< of its (first) output
};

/// The arrays of a type, in order; sizes that are names are those assumed. Empty for an input that is left out.
[[nodiscard]] std::vector<tensor::ArrayType> arraysOf(const ir::TermBank& bank, ir::TypeId type,
                                                      const AssumedSizes& sizes);

[[nodiscard]] NodeWork workOf(const Node& node, const AssumedSizes& sizes);
/// Whether the node's value lies in the memory of its first input.
[[nodiscard]] bool isInItsInput(const Node& node, const NodeWork& work);
/// The same for an operation by itself; none if its operator does not take such inputs.
[[nodiscard]] std::optional<NodeWork> workOf(const Operation& operation);

}  // namespace mitos::cost
