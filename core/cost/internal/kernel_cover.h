// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a tensor program as a runtime computes it: by kernels that cover groups of its operators. Private to core/cost.
#pragma once

#include "core/cost/factory.h"
#include "core/cost/kernels.h"

#include <memory>

namespace mitos::cost {

/// A model whose costs are sums of the costs of kernels, each priced as the operator that the runtime puts in place of a group.
///
/// The cover is found as instruction selection finds one by maximal munch: from the inputs to the outputs, the largest group at each node whose
/// inner values nothing else uses becomes a kernel, which may be part of a larger group behind it. Nodes in no group are kernels of
/// their own. Each node that runs costs 0.00001 in addition, so that programs of equal kernels are compared by their numbers of nodes. Null kernels: the sum over all nodes (modelOfNodes()).
[[nodiscard]] std::shared_ptr<const CostModel> modelOfKernels(CostModelInfo info,
                                                              std::shared_ptr<const Kernels> kernels,
                                                              MakeNodeCosts nodes);

}  // namespace mitos::cost
