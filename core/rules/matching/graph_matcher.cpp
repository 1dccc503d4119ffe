// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/matching/graph_matcher.h"

#include "core/rules/matching/conditions.h"
#include "core/rules/matching/internal/instantiate.h"

#include <algorithm>

namespace mitos::rules {

GraphMatcher::GraphMatcher(const GraphView& view, const CompiledRule& rule, std::uint64_t maxSteps)
    : m_view(view),
      m_rule(rule),
      m_matcher(view, rule, maxSteps),
      m_seen(rule) {
    const auto& nodes = rule.table.nodes;
    m_needsSettling = !rule.constraints.empty() || std::any_of(nodes.begin(), nodes.end(), [](const Node& node) {
        return node.kind == NodeKind::Unfold;
    });
}

bool GraphMatcher::run(PlaceId place, absl::FunctionRef<bool(const Substitution&)> found) {
    m_seen.clear();
    return m_matcher.run(place, [&](const Substitution& match) {
        if (!m_needsSettling) return !m_seen.insert(match) || found(match);
        if (m_seen.contains(match)) return true;
        m_settled = match;
        if (!settle(place)) return true;
        m_seen.insert(match);
        return found(m_settled);
    });
}

/// Makes the values of match constraints exact; returns whether the match is then an instance.
bool GraphMatcher::settle(PlaceId place) {
    const Result<ir::TermId> left = settledLeft(m_view.bank(), m_rule, m_settled);
    return left && represents(m_view, place, *left) &&
           holds({m_view.bank(), m_rule, m_settled.values, m_rule.table}, m_rule.guard);
}

}  // namespace mitos::rules
