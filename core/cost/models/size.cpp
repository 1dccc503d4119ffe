// SPDX-License-Identifier: GPL-3.0-or-later
// The number of nodes, or the sum of costs that the user gives to operators.
#include "core/cost/factory.h"
#include "core/cost/operator_costs.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace mitos::cost::models {

namespace {

class NodeCount final : public NodeCosts {
public:
    explicit NodeCount(OperatorCosts costs) : m_costs(std::move(costs)) {}

    [[nodiscard]] Status costs(std::span<const Node> nodes, std::span<double> costs, const std::stop_token&) override {
        for (std::size_t i = 0; i < nodes.size(); ++i) costs[i] = costOf(nodes[i]).value_or(Usual);
        return Success{};
    }
    [[nodiscard]] Result<NodeCost> explain(const Node& node) override {
        const std::optional<double> own = costOf(node);
        if (!own) return NodeCost{Usual, "1 node"};
        return NodeCost{*own, fmt::format("{} has a cost of its own: {}", node.opName(), *own)};
    }
    [[nodiscard]] std::optional<double> uniformCost() const override {
        return m_costs.empty() ? std::optional(Usual) : std::nullopt;
    }

private:
    static constexpr double Usual = 1.0;

    [[nodiscard]] std::optional<double> costOf(const Node& node) const {
        if (m_costs.empty()) return std::nullopt;
        const auto found = m_costs.find(node.opName());
        return found == m_costs.end() ? std::nullopt : std::optional(found->second);
    }

    OperatorCosts m_costs;
};

}  // namespace

CostModelFactory size() {
    return {.info = {.name = "size",
                     .title = "Term size",
                     .unit = "nodes",
                     .description = "Number of nodes. In ks of the program as a tree: shared subterms count as often "
                                    "as they occur; of a tensor program of its graph, each once. Operators may have "
                                    "costs of their own, `size:f=3,g=0.5`.",
                     .parameters = {operatorsParameter()}},
            .make = [](CostModelInfo info) -> Result<std::shared_ptr<const CostModel>> {
                MITOS_TRY(OperatorCosts costs, parseOperatorCosts(info.name, info.values));
                return modelOfNodes(std::move(info),
                                    [costs = std::move(costs)] { return std::make_unique<NodeCount>(costs); });
            }};
}

}  // namespace mitos::cost::models
