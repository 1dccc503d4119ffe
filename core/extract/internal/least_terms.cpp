// SPDX-License-Identifier: GPL-3.0-or-later
// See least_terms.h.
#include "core/extract/internal/least_terms.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mitos::extract {

using egraph::ENodeId;
using ir::TermId;

namespace {

constexpr std::uint32_t MaxDepth = 10'000;  // maximum depth of programs
constexpr double RelativeTolerance = 1e-12;

/// Sums of large programs differ in their last bits; smaller differences count as equal, and the smaller term is
/// better.
bool isBetter(const LeastTerms::Least& a, const LeastTerms::Least& b) {
    if (!b.term.isValid()) return true;
    const double tolerance = RelativeTolerance * std::abs(b.cost);
    if (a.cost < b.cost - tolerance) return true;
    return a.cost <= b.cost + tolerance && a.size < b.size;
}

}  // namespace

bool LeastTerms::isInScope(TermId term, ENodeId eclass) {
    const ir::TermBank& bank = m_graph->bank();
    const std::uint32_t loose = bank.looseBound(term);
    if (loose == 0) return true;
    const TermId representative = m_graph->term(m_graph->best(eclass));
    for (std::uint32_t index = 0; index < loose; ++index) {
        if (bank.mayMention(term, index, 1) && !bank.mayMention(representative, index, 1)) return false;
    }
    return true;
}

TermId LeastTerms::candidate(ENodeId node) {
    absl::InlinedVector<TermId, 8> children;
    for (const std::uint32_t child : m_graph->children(node)) {
        const Least& least = m_least[m_place[child]];
        if (!least.term.isValid() || m_graph->bank().depth(least.term) >= MaxDepth) return {};
        children.push_back(least.term);
    }
    const TermId term = m_graph->heads().term(m_graph->bank(), m_graph->headOf(node), children, m_graph->hint(node));
    return isInScope(term, node) ? term : TermId();
}

bool LeastTerms::mayBeBetter(ENodeId node) const {
    const Least& known = of(node);
    // A function value costs what its body does.
    if (!m_uniformCost || !known.term.isValid() || m_graph->headInfo(node).op == ir::opId(ir::CoreOp::Lam)) return true;
    Least bound{known.term, *m_uniformCost, 1};
    for (const std::uint32_t child : m_graph->children(node)) {
        const Least& least = m_least[m_place[child]];
        bound.cost += least.cost;
        bound.size += least.size;
    }
    return isBetter(bound, known);
}

bool LeastTerms::price(TermId term, absl::FunctionRef<bool()> mayValue, double& result) {
    // A function value itself costs nothing, so functions are compared by their bodies.
    while (m_graph->bank().is(term, ir::CoreOp::Lam)) term = m_graph->bank().child(term, 0);
    if (term.value >= m_prices.size()) {
        m_prices.resize(m_graph->bank().size(), std::numeric_limits<double>::quiet_NaN());
    }
    double& known = m_prices[term.value];
    if (std::isnan(known)) {
        if (!mayValue()) {
            m_isRefused = true;
            return false;
        }
        known = m_uniformCost ? *m_uniformCost * static_cast<double>(m_graph->bank().treeSize(term))
                              : m_costs->costOrInfinity(term);
    }
    result = known;
    return std::isfinite(known);
}

void LeastTerms::carryOver() {
    const std::size_t before = m_place.size();
    m_place.resize(m_graph->idCount());
    m_isQueued.resize(m_graph->idCount());
    for (std::uint32_t id = 0; id < before; ++id) {
        if (m_place[id] == 0) continue;
        const Least old = m_least[m_place[id]];
        const ENodeId leader = m_graph->find(ENodeId(id));
        const bool fits = isInScope(old.term, leader);
        if (leader.value != id || !fits) m_place[id] = 0;
        if (leader.value == id || !fits) continue;
        if (isBetter(old, of(leader))) set(leader, old);
    }
}

void LeastTerms::set(ENodeId leader, const Least& least) {
    std::uint32_t& place = m_place[leader.value];
    if (place == 0) {
        place = static_cast<std::uint32_t>(m_least.size());
        m_least.push_back(least);
    } else {
        m_least[place] = least;
    }
}

bool LeastTerms::update(absl::FunctionRef<bool()> mayValue) {
    carryOver();
    m_isRefused = false;
    std::vector<ENodeId> queue;
    queue.reserve(m_graph->nodeCount());
    const auto put = [&](ENodeId node) {
        if (m_isQueued[node.value]) return;
        m_isQueued[node.value] = true;
        queue.push_back(node);
    };
    for (std::uint32_t id = 0; id < m_graph->idCount(); ++id) {
        if (m_graph->isLive(ENodeId(id))) put(ENodeId(id));
    }
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const ENodeId node = queue[next];
        m_isQueued[node.value] = false;
        if (m_isRefused || !mayBeBetter(node)) continue;
        const TermId term = candidate(node);
        Least found{term, 0.0, 0};
        if (!term.isValid() || !price(term, mayValue, found.cost)) continue;
        found.size = m_graph->bank().treeSize(term);
        const ENodeId leader = m_graph->find(node);
        if (!isBetter(found, of(leader))) continue;
        set(leader, found);
        m_graph->forEachUse(leader, [&](ENodeId user, std::uint32_t) { put(user); });
    }
    return !m_isRefused;
}

double LeastTerms::addedCost(ENodeId node) {
    const TermId term = candidate(node);
    double cost = std::numeric_limits<double>::infinity();
    if (!term.isValid() || !price(
                               term, [] { return true; }, cost))
        return std::numeric_limits<double>::infinity();
    for (const std::uint32_t child : m_graph->children(node)) cost -= m_least[m_place[child]].cost;
    return std::max(0.0, cost);
}

}  // namespace mitos::extract
