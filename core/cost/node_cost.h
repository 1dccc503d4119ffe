// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of one node, the primitive of cost models, and the evaluator that sums and explains such costs.
#pragma once

#include "core/cost/cost_model.h"

#include <absl/container/inlined_vector.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mitos::cost {

/// A node by itself: what it computes from values of which types, without the terms that compute them. Refers to its inputs.
struct Node {
    const ir::TermBank& bank;  ///< has the names and types of the ids below
    ir::OpId op;
    const ir::Payload& payload;  ///< the attributes
    std::span<const ir::TypeId> inputs;
    ir::TypeId output;  ///< a tuple if there are several outputs
    /// Depends on weights and constants only, so that it is computed before the program runs.
    bool isOffline = false;
    /// The inputs that do so: bit i is input i. Inputs from 64 on are not told apart, and count as computed when the program runs.
    std::uint64_t offlineInputs = 0;

    [[nodiscard]] std::string_view opName() const { return bank.registry().info(op).name; }
    [[nodiscard]] bool is(ir::CoreOp core) const { return op == ir::opId(core); }
};

/// The cost of one node with its explanation.
struct NodeCost {
    double cost = 0.0;
    std::string reason;                  ///< as in CostPart
    std::vector<CostShare> shares = {};  ///< as in CostPart
    double spread = 0.0;                 ///< as in CostPart
};

/// The costs of single nodes under a model. Belongs to one evaluator, and may cache.
class NodeCosts {
public:
    virtual ~NodeCosts() = default;
    /// Stores the costs of the nodes in `costs`, which is as long. Takes a batch, so that a model that measures can measure all of them
    /// at once. Fails as CostEvaluator::cost does.
    [[nodiscard]] virtual Status costs(std::span<const Node> nodes, std::span<double> costs,
                                       const std::stop_token& stop) = 0;
    /// The same for one node, with reasons.
    [[nodiscard]] virtual Result<NodeCost> explain(const Node& node) = 0;
    /// As CostEvaluator::uniformCost().
    [[nodiscard]] virtual std::optional<double> uniformCost() const { return std::nullopt; }
    /// In programs that are trees: how often the cost of an input counts (a loop counts its body several times).
    [[nodiscard]] virtual double times(const Node& node, std::size_t input) const {
        static_cast<void>(node), static_cast<void>(input);
        return 1.0;
    }
};

/// The node of a term; the result refers to `inputs`.
using InputTypes = absl::InlinedVector<ir::TypeId, 8>;
[[nodiscard]] Node nodeOf(const ir::TermBank& bank, ir::TermId term, bool isOffline, InputTypes& inputs,
                          std::uint64_t offlineInputs = 0);
/// Whether a node depends on weights and constants only; `isOffline` reports this for its children.
[[nodiscard]] bool isOffline(const ir::TermBank& bank, ir::TermId node,
                             absl::FunctionRef<bool(std::size_t child)> isOffline);

/// Node::offlineInputs for that many children, of which `isOffline` reports whether they are computed before the program runs.
[[nodiscard]] std::uint64_t offlineInputs(std::size_t children, absl::FunctionRef<bool(std::size_t child)> isOffline);

/// Sums costs of nodes: in a tree over all occurrences, in a graph over all distinct nodes. The bank must outlive the result.
[[nodiscard]] std::unique_ptr<CostEvaluator> sumOfNodes(const ir::TermBank& bank, ir::Sharing sharing,
                                                        std::unique_ptr<NodeCosts> nodes);

/// Explains a graph by the costs of its nodes, in the order of ir::SharedNodes: one part per distinct node, at its first path, in
/// pre-order. `total` is the sum of `own` over all nodes that the node depends on, itself included, each once.
[[nodiscard]] std::vector<CostPart> graphParts(const ir::TermBank& bank, ir::TermId root, std::vector<NodeCost> costs);

}  // namespace mitos::cost
