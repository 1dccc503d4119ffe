// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/matching/graph_matcher.h"

#include "core/rules/matching/open_variables.h"

#include <algorithm>

namespace mitos::rules {

GraphMatcher::GraphMatcher(const GraphView& view, const CompiledRule& rule, MatchMemo& memo, std::uint64_t maxSteps)
    : m_view(view),
      m_memo(memo),
      m_matcher(view, rule, maxSteps),
      m_isInexact(isInexact(rule)),
      m_seen(rule) {}

bool GraphMatcher::run(PlaceId place, absl::FunctionRef<bool(const Substitution&)> found) {
    m_seen.clear();
    return m_matcher.run(place, [&](const Substitution& match) {
        if (!m_isInexact) return !m_seen.insert(match) || found(match);
        if (m_seen.contains(match)) return true;
        const Substitution* const exact = exactMatch(m_view, {&place, 1}, match, m_memo);
        if (exact == nullptr) return true;
        m_seen.insert(match);
        return found(*exact);
    });
}

const Substitution* exactMatch(const GraphView& view, std::span<const PlaceId> roots, const Substitution& match,
                               MatchMemo& memo) {
    const std::optional<MatchMemo::Exact>& exact = memo.exact(view.bank(), match);
    if (!exact) return nullptr;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const ir::TermId left = roots.size() == 1 ? exact->left : view.bank().child(exact->left, i);
        if (!represents(view, roots[i], left)) return nullptr;
    }
    return &exact->values;
}

}  // namespace mitos::rules
