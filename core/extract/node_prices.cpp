// SPDX-License-Identifier: GPL-3.0-or-later
// See node_prices.h.
#include "core/extract/node_prices.h"

#include "core/cost/offline.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::extract {

using egraph::ENodeId;
using ir::TermId;

bool NodePrices::isNodeOffline(ENodeId node) const {
    return cost::isOffline(m_graph->bank(), m_graph->headInfo(node).sample, [&](std::size_t child) {
        return isOffline(m_graph->child(node, static_cast<std::uint32_t>(child)));
    });
}

void NodePrices::update() {
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

double NodePrices::costOf(TermId term) {
    const auto [known, isNew] = m_prices.try_emplace(term, 0.0);
    if (isNew) {
        const double cost = m_costs->cost(term);
        known->second = std::isnan(cost) ? std::numeric_limits<double>::infinity() : cost;
    }
    return known->second;
}

double NodePrices::operator()(ENodeId node) {
    ir::TermBank& bank = m_graph->bank();
    absl::InlinedVector<TermId, 8> children;
    double ofChildren = 0.0;
    for (const std::uint32_t child : m_graph->children(node)) {
        const ENodeId eclass(child);
        children.push_back(cost::leaf(bank, m_graph->type(eclass), isOffline(eclass), children.size()));
        ofChildren += costOf(children.back());
    }
    const TermId term = m_graph->heads().term(bank, m_graph->headOf(node), children, m_graph->hint(node));
    return std::max(0.0, costOf(term) - ofChildren);
}

}  // namespace mitos::extract
