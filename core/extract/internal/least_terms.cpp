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

}  // namespace

/// Sums of large programs differ in their last bits; smaller differences count as equal, and the smaller term is
/// better.
bool LeastTerms::isBetter(const Entry& a, const Entry& b) {
    if (!b.node.isValid()) return true;
    const double tolerance = RelativeTolerance * std::abs(b.cost);
    if (a.cost < b.cost - tolerance) return true;
    return a.cost <= b.cost + tolerance && a.size < b.size;
}

LeastTerms::Least LeastTerms::of(ENodeId member) {
    build(member);
    const Entry& entry = entryOf(member);
    return {entry.term, entry.cost, entry.size};
}

std::optional<LeastTerms::Entry> LeastTerms::withoutTerm(ENodeId node) const {
    const ir::OpId op = m_graph->headInfo(node).op;
    if (!m_uniformCost || op == ir::opId(ir::CoreOp::Lam) || op == ir::opId(ir::CoreOp::Bound)) return std::nullopt;
    Entry entry{.node = node, .term = {}, .size = 1, .depth = 1, .isClosed = true};
    for (const std::uint32_t child : m_graph->children(node)) {
        const Entry& below = m_least[m_place[child]];
        if (!below.isClosed || below.depth >= MaxDepth) return std::nullopt;
        entry.size += below.size;
        entry.depth = std::max(entry.depth, below.depth + 1);
    }
    entry.cost = *m_uniformCost * static_cast<double>(entry.size);
    return entry;
}

void LeastTerms::build(ENodeId member) {
    std::vector<ENodeId> open{m_graph->find(member)};
    while (!open.empty()) {
        const Entry& entry = entryOf(open.back());
        const std::size_t waiting = open.size();
        if (entry.node.isValid() && !entry.term.isValid()) {
            for (const std::uint32_t child : m_graph->children(entry.node)) {
                if (!entryOf(ENodeId(child)).term.isValid()) open.push_back(m_graph->find(ENodeId(child)));
            }
            if (open.size() > waiting) continue;
            m_least[m_place[open.back().value]].term = termOver(entry.node);
        }
        open.pop_back();
    }
}

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

TermId LeastTerms::termOver(ENodeId node) {
    absl::InlinedVector<TermId, 8> children;
    for (const std::uint32_t child : m_graph->children(node)) children.push_back(entryOf(ENodeId(child)).term);
    return m_graph->heads().term(m_graph->bank(), m_graph->headOf(node), children, m_graph->hint(node));
}

TermId LeastTerms::candidate(ENodeId node) {
    for (const std::uint32_t child : m_graph->children(node)) {
        const Entry& below = entryOf(ENodeId(child));
        if (!below.node.isValid() || below.depth >= MaxDepth) return {};
        build(ENodeId(child));
    }
    const TermId term = termOver(node);
    return isInScope(term, node) ? term : TermId();
}

bool LeastTerms::mayBeBetter(ENodeId node) const {
    const Entry& known = entryOf(node);
    // A function value costs what its body does.
    if (!m_uniformCost || !known.node.isValid() || m_graph->headInfo(node).op == ir::opId(ir::CoreOp::Lam)) return true;
    Entry bound{.node = node, .term = {}, .cost = *m_uniformCost, .size = 1};
    for (const std::uint32_t child : m_graph->children(node)) {
        bound.cost += m_least[m_place[child]].cost;
        bound.size += m_least[m_place[child]].size;
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
        const Entry old = m_least[m_place[id]];
        const ENodeId leader = m_graph->find(ENodeId(id));
        const bool fits = old.isClosed || isInScope(old.term, leader);
        if (leader.value != id || !fits) m_place[id] = 0;
        if (leader.value == id || !fits) continue;
        if (isBetter(old, entryOf(leader))) set(leader, old);
    }
}

void LeastTerms::set(ENodeId leader, const Entry& entry) {
    std::uint32_t& place = m_place[leader.value];
    if (place == 0) {
        place = static_cast<std::uint32_t>(m_least.size());
        m_least.push_back(entry);
    } else {
        m_least[place] = entry;
    }
}

std::optional<LeastTerms::Entry> LeastTerms::priced(ENodeId node, absl::FunctionRef<bool()> mayValue) {
    const TermId term = candidate(node);
    Entry found{.node = node, .term = term};
    if (!term.isValid() || !price(term, mayValue, found.cost)) return std::nullopt;
    const ir::TermBank& bank = m_graph->bank();
    found.size = bank.treeSize(term);
    found.depth = bank.depth(term);
    found.isClosed = bank.looseBound(term) == 0;
    return found;
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
        if (m_isRefused || m_excluded.contains(node) || !mayBeBetter(node)) continue;
        std::optional<Entry> found = withoutTerm(node);
        if (found && !mayValue()) {
            m_isRefused = true;
            continue;
        }
        if (!found) found = priced(node, mayValue);
        const ENodeId leader = m_graph->find(node);
        if (!found || !isBetter(*found, entryOf(leader))) continue;
        set(leader, *found);
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
