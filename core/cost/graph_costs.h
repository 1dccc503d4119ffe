// SPDX-License-Identifier: GPL-3.0-or-later
// What cost models of tensor programs share: what a node does, what is known before the program runs, and explanations of graphs.
#pragma once

#include "core/cost/cost_model.h"
#include "core/cost/sized_model.h"
#include "core/ir/shared.h"
#include "core/tensor/operator.h"

#include <absl/functional/function_ref.h>

#include <optional>
#include <vector>

namespace mitos::cost {

/// What one node does and holds, under assumed sizes.
struct NodeWork {
    tensor::Work work;                 ///< of operators; nothing of leaves
    double bytes = 0.0;                ///< of the node's value; of several outputs together
    bool isKernel = false;             ///< an operator that runs: not a leaf, a tuple or an element of one
    bool isOffline = false;            ///< depends on weights and constants only: computed before the program runs
    ir::Dtype dtype = ir::Dtype::F32;  ///< of its (first) output
};

/// Remembers it for every term of a bank, children before parents.
class NodeWorks {
public:
    NodeWorks(const ir::TermBank& bank, AssumedSizes sizes) : m_bank(bank), m_sizes(std::move(sizes)) {}

    /// The children's must have been asked for.
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

/// The value of a size's name under assumed sizes: names may be computed from others, "(N+1)/2". At least 1.
[[nodiscard]] std::int64_t sizeOf(std::string_view name, const AssumedSizes& sizes);

/// What one node costs by itself.
struct OwnCost {
    double cost = 0.0;
    std::string reason;
    std::vector<CostShare> shares = {};
};

/// Parts of a graph: one for every distinct node, at its first path, in pre-order; total is the sum of own over all that the
/// node needs, itself included, each once.
[[nodiscard]] std::vector<CostPart> graphParts(const ir::TermBank& bank, ir::TermId root,
                                               absl::FunctionRef<OwnCost(ir::TermId)> own);

}  // namespace mitos::cost
