// SPDX-License-Identifier: GPL-3.0-or-later
// Prices of single e-nodes of programs that are graphs.
#pragma once

#include "core/cost/cost_model.h"
#include "core/egraph/egraph.h"

#include <cstdint>
#include <vector>

namespace mitos::extract {

/// Prices of e-nodes under a cost model for graphs, in which a shared computation is paid once: then the costs of the
/// chosen nodes add up (cost::NodeCosts). Computations on weights alone cost nothing: a child counts as a weight if some
/// term of its class is one; an extraction finds that term, since it is free.
///
/// If a model is not additive (peak-memory), the prices are estimates, and the model itself prices the final program.
class NodePrices {
public:
    /// Both must outlive this object; the evaluator is for terms of the graph's bank.
    NodePrices(egraph::EGraph& graph, cost::CostEvaluator& costs) : m_graph(&graph), m_costs(&costs) {}

    /// Updates the prices for the current graph, which must be clean.
    void update();
    /// The price as of the last update; at least 0. Infinite if the model has no price for the node.
    [[nodiscard]] double operator()(egraph::ENodeId node);
    /// Whether some term of the class is computed before the program runs.
    [[nodiscard]] bool isOffline(egraph::ENodeId member) const { return m_isOffline[m_graph->find(member).value]; }
    [[nodiscard]] std::size_t bytes() const {
        return m_isOffline.capacity() / 8 + m_prices.capacity() * sizeof(double);
    }

private:
    [[nodiscard]] bool isNodeOffline(egraph::ENodeId node) const;

    egraph::EGraph* m_graph;
    cost::CostEvaluator* m_costs;
    std::vector<bool> m_isOffline;  // by class leader
    std::vector<double> m_prices;   // by e-node; NaN: not priced since the last update
};

}  // namespace mitos::extract
