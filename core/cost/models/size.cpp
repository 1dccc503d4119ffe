// SPDX-License-Identifier: GPL-3.0-or-later
// The number of nodes.
#include "core/cost/factory.h"

#include <algorithm>

namespace mitos::cost::models {

namespace {

class NodeCount final : public NodeCosts {
public:
    [[nodiscard]] Status costs(std::span<const Node>, std::span<double> costs, const std::stop_token&) override {
        std::ranges::fill(costs, 1.0);
        return Success{};
    }
    [[nodiscard]] Result<NodeCost> explain(const Node&) override { return NodeCost{1.0, "1 node"}; }
    [[nodiscard]] std::optional<double> uniformCost() const override { return 1.0; }
};

}  // namespace

CostModelFactory size() {
    return {.info = {.name = "size",
                     .title = "Term size",
                     .unit = "nodes",
                     .description = "Number of nodes. In ks of the program as a tree: shared subterms count as often "
                                    "as they occur; of a tensor program of its graph, each once.",
                     .ofTrees = true,
                     .ofGraphs = true},
            .make = [](CostModelInfo info) -> Result<std::shared_ptr<const CostModel>> {
                return modelOfNodes(std::move(info), [] { return std::make_unique<NodeCount>(); });
            }};
}

}  // namespace mitos::cost::models
