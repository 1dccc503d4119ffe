// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the cost models of tensor programs: the work of a node, what is known before the program runs, and explanations of graphs.
#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/sized_model.h"
#include "core/ir/shared.h"
#include "core/tensor/operator.h"

#include <absl/functional/function_ref.h>

#include <optional>
#include <vector>

namespace mitos::cost {

/// The operations and memory of one node, for assumed sizes.
struct NodeWork {
    tensor::Work work;                 ///< for operators; empty for leaves
    double bytes = 0.0;                ///< size of the node's value; the sum over several outputs
    bool isKernel = false;             ///< an operator that runs: not a leaf, a tuple, or an element of a tuple
    bool isOffline = false;            ///< depends on weights and constants only: computed before the program runs
    ir::Dtype dtype = ir::Dtype::F32;  ///< of its (first) output
};

/// Caches the work of the terms of a bank; children come before parents.
class NodeWorks {
public:
    NodeWorks(const ir::TermBank& bank, AssumedSizes sizes) : m_bank(bank), m_sizes(std::move(sizes)) {}

    /// Requires earlier calls for the children.
    const NodeWork& operator[](ir::TermId term);
    [[nodiscard]] std::size_t bytes() const;

private:
    [[nodiscard]] NodeWork find(ir::TermId term) const;
    [[nodiscard]] std::vector<tensor::ArrayType> arrays(ir::TypeId type) const;
    [[nodiscard]] std::int64_t size(const ir::Dimension& dimension) const;

    const ir::TermBank& m_bank;
    AssumedSizes m_sizes;
    std::vector<std::optional<NodeWork>> m_known;  // by term id
};

/// The value of a size's name for assumed sizes, at least 1. A name may be computed from others, "(N+1)/2".
[[nodiscard]] std::int64_t sizeOf(std::string_view name, const AssumedSizes& sizes);

/// The cost of one node by itself.
struct OwnCost {
    double cost = 0.0;
    std::string reason;
    std::vector<CostShare> shares = {};
};

/// Parts of a graph: one per distinct node, at its first path, in pre-order. `total` is the sum of `own` over all nodes that the node
/// depends on, itself included, each once.
[[nodiscard]] std::vector<CostPart> graphParts(const ir::TermBank& bank, ir::TermId root,
                                               absl::FunctionRef<OwnCost(ir::TermId)> own);

}  // namespace mitos::cost
