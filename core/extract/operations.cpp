// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/operations.h"

#include "core/cost/node_cost.h"
#include "core/extract/pricing.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace mitos::extract {

namespace {

/// Notes what it is asked about instead of pricing it.
class NotedOperations final : public cost::NodeCosts {
public:
    explicit NotedOperations(cost::AssumedSizes sizes) : m_sizes(std::move(sizes)) {}

    Status costs(std::span<const cost::Node> nodes, std::span<double> costs, const std::stop_token&) override {
        std::ranges::fill(costs, 0.0);
        for (const cost::Node& node : nodes) {
            if (node.isOffline) continue;
            std::optional<cost::Operation> operation = cost::operationOf(node, m_sizes);
            if (operation && m_seen.insert(*operation).second) m_operations.push_back(*std::move(operation));
        }
        return Success{};
    }
    Result<cost::NodeCost> explain(const cost::Node&) override { return cost::NodeCost(); }

    std::vector<cost::Operation> take() { return std::move(m_operations); }

private:
    cost::AssumedSizes m_sizes;
    std::set<cost::Operation> m_seen;
    std::vector<cost::Operation> m_operations;
};

}  // namespace

std::vector<cost::Operation> operationsOf(egraph::EGraph& graph, const cost::AssumedSizes& sizes) {
    auto noting = std::make_unique<NotedOperations>(sizes);
    NotedOperations& noted = *noting;
    const std::unique_ptr<cost::CostEvaluator> evaluator =
        cost::sumOfNodes(graph.bank(), ir::Sharing::Graph, std::move(noting));
    const std::unique_ptr<Pricing> pricing = makePricing(graph, *evaluator, ir::Sharing::Graph);
    pricing->update([] { return true; });
    for (std::uint32_t node = 0; node < graph.idCount(); ++node) {
        if (graph.isLive(egraph::ENodeId(node))) static_cast<void>(pricing->price(egraph::ENodeId(node)));
    }
    return noted.take();
}

}  // namespace mitos::extract
