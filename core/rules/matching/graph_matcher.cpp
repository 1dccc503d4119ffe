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
      m_isInexact(isInexact(rule)),
      m_seen(rule) {}

bool GraphMatcher::run(PlaceId place, absl::FunctionRef<bool(const Substitution&)> found) {
    m_seen.clear();
    return m_matcher.run(place, [&](const Substitution& match) {
        if (!m_isInexact) return !m_seen.insert(match) || found(match);
        if (m_seen.contains(match)) return true;
        m_exact = match;
        if (!makeExact(m_view, m_rule, {&place, 1}, m_exact)) return true;
        m_seen.insert(match);
        return found(m_exact);
    });
}

bool isInexact(const CompiledRule& rule) {
    const auto isUnfold = [](const Node& node) { return node.kind == NodeKind::Unfold; };
    return !rule.constraints.empty() || std::ranges::any_of(rule.table.nodes, isUnfold);
}

bool makeExact(const GraphView& view, const CompiledRule& rule, std::span<const PlaceId> roots, Substitution& match) {
    const Result<ir::TermId> left = exactLeft(view.bank(), rule, match);
    if (!left) return false;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        if (!represents(view, roots[i], roots.size() == 1 ? *left : view.bank().child(*left, i))) return false;
    }
    return holds({view.bank(), rule, match.values, rule.table}, rule.guard);
}

}  // namespace mitos::rules
