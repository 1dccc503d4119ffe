// SPDX-License-Identifier: GPL-3.0-or-later
// What the e-nodes of graphs cost, each by itself.
#pragma once

#include "core/cost/cost_model.h"
#include "core/egraph/egraph.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

namespace mitos::extract {

/// Prices of e-nodes under a cost model for graphs, in which what is computed once is paid once: then the costs of the chosen
/// nodes add up. A node is priced over leaves of its children's types. What can be computed from weights alone costs nothing:
/// a child counts as a weight if some term of its class is one, which an extraction finds, as that term is free.
///
/// Where a model does not add up (peak-memory), the prices are a guide, and the model itself has the last word on a program.
class NodePrices {
public:
    /// Both must outlive this; the evaluator is for terms of the graph's bank.
    NodePrices(egraph::EGraph& graph, cost::CostEvaluator& costs) : m_graph(&graph), m_costs(&costs) {}

    /// Looks at the graph, which must be clean, as it is now.
    void update();
    /// As of the last update; at least 0. Infinite where the model has no finite cost.
    [[nodiscard]] double operator()(egraph::ENodeId node);
    /// Whether some term of the class is computed before the program runs.
    [[nodiscard]] bool isOffline(egraph::ENodeId member) const { return m_isOffline[m_graph->find(member).value]; }
    [[nodiscard]] std::size_t bytes() const {
        return m_isOffline.capacity() / 8 + m_prices.size() * (sizeof(ir::TermId) + sizeof(double));
    }

private:
    [[nodiscard]] bool isNodeOffline(egraph::ENodeId node) const;
    [[nodiscard]] double costOf(ir::TermId term);

    egraph::EGraph* m_graph;
    cost::CostEvaluator* m_costs;
    std::vector<bool> m_isOffline;  // by the leader of a class
    absl::flat_hash_map<ir::TermId, double> m_prices;
};

}  // namespace mitos::extract
