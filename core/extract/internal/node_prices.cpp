// SPDX-License-Identifier: GPL-3.0-or-later
// See node_prices.h.
#include "core/extract/internal/node_prices.h"

#include "core/cost/node_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::extract {

using egraph::ENodeId;

bool NodePrices::isNodeOffline(ENodeId node) const {
    return cost::isOffline(m_graph->bank(), m_graph->headInfo(node).sample, [&](std::size_t child) {
        return isOffline(m_graph->child(node, static_cast<std::uint32_t>(child)));
    });
}

void NodePrices::update() {
    m_prices.assign(m_graph->idCount(), std::numeric_limits<double>::quiet_NaN());
    m_isOffline.assign(m_graph->idCount(), false);
    std::vector<std::uint32_t> open = m_graph->index().members;
    while (!open.empty()) {
        const ENodeId node(open.back());
        open.pop_back();
        const ENodeId leader = m_graph->find(node);
        if (m_isOffline[leader.value] || m_graph->isFiltered(node) || !isNodeOffline(node)) continue;
        m_isOffline[leader.value] = true;
        m_graph->forEachUse(leader, [&](ENodeId user, std::uint32_t) { open.push_back(user.value); });
    }
}

double NodePrices::operator()(ENodeId node) {
    double& price = m_prices[node.value];
    if (!std::isnan(price)) return price;
    const egraph::Head& head = m_graph->headInfo(node);
    cost::InputTypes inputs;
    for (const std::uint32_t child : m_graph->children(node)) inputs.push_back(m_graph->type(ENodeId(child)));
    const cost::Node alone{m_graph->bank(), head.op, head.payload, inputs, head.type, isNodeOffline(node)};
    cost::NodeCosts* const costs = m_costs->nodes();
    const bool isPriced = costs != nullptr && costs->costs({&alone, 1}, {&price, 1}, {}).ok() && !std::isnan(price);
    price = isPriced ? std::max(0.0, price) : std::numeric_limits<double>::infinity();
    return price;
}

}  // namespace mitos::extract
