// SPDX-License-Identifier: GPL-3.0-or-later
// Finds matches of rules with several roots in a graph.
#pragma once

#include "core/rules/directed_rule.h"
#include "core/rules/matching/graph_matcher.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::rules {

/// A match of one root of a rule that has several.
struct RootMatch {
    PlaceId place;
    Substitution values;
    bool isNew = true;  ///< MultiMatcher::join reports only matches of the whole with a new root match
};

/// The roots are matched one by one and joined on the variables they share (RootJoin); then the match constraints and the condition of the whole are checked. Every match is an instance at each of
/// its places, as with GraphMatcher. The values of shared variables are compared by the places that represent them.
class MultiMatcher {
public:
    using Found = absl::FunctionRef<bool(std::span<const PlaceId> roots, const Substitution& whole)>;
    /// Called with the places of the first roots each time a root is added; returns whether a match may have these places.
    using Admits = absl::FunctionRef<bool(std::span<const PlaceId> roots)>;

    /// The memos of such a matcher: that of the whole, and those of the roots.
    [[nodiscard]] static std::vector<MatchMemo> memosFor(const DirectedRule& rule, Remember remember = Remember::Last);
    /// The view, the rule and the memos must outlive the matcher. `maxSteps` limits the steps of each root's matching, and those of the
    /// join.
    MultiMatcher(const GraphView& view, const DirectedRule& rule, std::span<MatchMemo> memos,
                 std::uint64_t maxSteps = MatcherOver<GraphView>::MaxSteps);

    /// Appends the matches of one root at a place. Returns false if the limit on steps was reached before all were found.
    bool matchRoot(std::size_t root, PlaceId place, std::vector<RootMatch>& matches);
    /// Joins matches of the roots (`matches[i]` for root number i; they must still be matches of the graph). Reports every match of the
    /// whole that contains at least one new root match and that `admits` accepts, in the order of RootJoin. Stops early if `found`
    /// returns false, or `mayGoOn`, which is called for every pair that is joined. Returns false if it stopped early or reached the
    /// limit on steps. For steps of threads see CompiledDirection::projections.
    bool join(std::span<const std::vector<RootMatch>> matches, Admits admits, Found found,
              absl::FunctionRef<bool()> mayGoOn);

private:
    /// Numbers of values that are not one term.
    using Numbers = absl::flat_hash_map<std::vector<std::uint32_t>, std::uint32_t>;

    [[nodiscard]] std::uint32_t numberOf(Numbers& numbers, VarIndex var, const Binding& value) const;
    [[nodiscard]] bool binds(std::size_t root, VarIndex var, const Binding& value) const;
    bool complete(std::span<const PlaceId> places, const Substitution& match, Found found);

    const GraphView& m_view;
    const CompiledRule& m_whole;
    MatchMemo& m_memo;  ///< of the whole
    std::uint64_t m_maxSteps;
    bool m_isInexact;
    std::vector<std::vector<bool>> m_occurs;  ///< by root and variable: whether it occurs in the pattern
    std::vector<GraphMatcher> m_matchers;
    MatcherOver<GraphView> m_rest;
};

}  // namespace mitos::rules
