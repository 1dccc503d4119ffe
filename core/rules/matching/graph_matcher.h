// SPDX-License-Identifier: GPL-3.0-or-later
// Finds matches of rules in a graph whose places represent many equal terms: e-matching with the whole pattern language.
#pragma once

#include "core/rules/matching/distinct_values.h"
#include "core/rules/matching/match_memo.h"
#include "core/rules/matching/matcher.h"

namespace mitos::rules {

/// Finds all matches of a left side at places of a graph. Every match is an instance: the left side under the substitution is a
/// term that the place represents, and the conditions hold for the reported values. A variable is bound to the value of its place; the
/// subject of a match constraint is bound to the term that the constraint's pattern describes. Conditions are evaluated on these values,
/// not on every term that is equal to them. A variable that occurs twice matches if its first value, moved to the second place, is
/// represented there.
/// Reuse a matcher for many runs: it keeps its memory. The graph may change between runs, not during one.
class GraphMatcher {
public:
    /// The view, the rule and its memo must outlive the matcher. `maxSteps` limits the steps of one run.
    GraphMatcher(const GraphView& view, const CompiledRule& rule, MatchMemo& memo,
                 std::uint64_t maxSteps = MatcherOver<GraphView>::MaxSteps);

    /// Reports each match at the place once, in the order of the machine; stops early if `found` returns false. Returns false if the
    /// limit on steps was reached before all matches were found.
    bool run(PlaceId place, absl::FunctionRef<bool(const Substitution&)> found);

private:
    const GraphView& m_view;
    MatchMemo& m_memo;
    MatcherOver<GraphView> m_matcher;
    bool m_isInexact;  ///< isInexact(rule)
    DistinctValues m_seen;
};

/// The instance that a match is at the places of the roots: the values of match constraints become exact. Null if it is none. Valid until
/// the next call with this memo.
[[nodiscard]] const Substitution* exactMatch(const GraphView& view, std::span<const PlaceId> roots,
                                             const Substitution& match, MatchMemo& memo);

}  // namespace mitos::rules
