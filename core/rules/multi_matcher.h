// SPDX-License-Identifier: GPL-3.0-or-later
// Matches of rules with several roots in a graph.
#pragma once

#include "core/rules/graph_matcher.h"
#include "core/rules/multi_rule.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::rules {

/// The roots are matched one by one and joined on the variables they share (a hash join: roots that share a variable are
/// never multiplied out), then come match constraints and the condition of the whole. Every match is an instance at each of
/// its places, as with GraphMatcher. What roots share is compared by the places that the values stand for.
class MultiMatcher {
public:
    using Found = absl::FunctionRef<bool(std::span<const PlaceId> roots, const Substitution& whole)>;

    /// The view and the rule must outlive the matcher. The steps are those of each match of a root, and of the join.
    MultiMatcher(const GraphView& view, const MultiRule& rule,
                 std::uint64_t maxSteps = MatcherOver<GraphView>::MaxSteps);

    /// Every match whose root number i is at one of `places[i]`, in the order of the places, the first root's first; ends
    /// early where `found` returns false, or `mayGoOn`, which is asked at every place and every pair that is joined. False if
    /// it did not end by itself. For steps of threads see MultiRule::projections.
    bool run(std::span<const std::vector<PlaceId>> places, Found found, absl::FunctionRef<bool()> mayGoOn);

private:
    /// A match of one root.
    struct Partial {
        PlaceId place;
        Substitution values;
    };
    using Key = std::vector<std::uint32_t>;

    [[nodiscard]] Key keyOf(const Substitution& values, std::span<const VarIndex> variables) const;
    void addTo(Key& key, VarIndex var, const Binding& value) const;
    [[nodiscard]] bool binds(std::size_t root, VarIndex var, const Binding& value) const;
    [[nodiscard]] std::vector<VarIndex> sharedBefore(std::size_t root) const;
    bool join(std::size_t root, Found found, absl::FunctionRef<bool()> mayGoOn);
    bool complete(Found found);
    [[nodiscard]] bool settle(Substitution& match) const;

    const GraphView& m_view;
    const MultiRule& m_rule;
    std::uint64_t m_maxSteps;
    bool m_needsSettling = false;
    std::vector<std::vector<bool>> m_occurs;  ///< by root and variable: stands in its pattern
    std::vector<GraphMatcher> m_matchers;
    MatcherOver<GraphView> m_rest;
    std::vector<std::vector<Partial>> m_partials;  ///< by root
    std::vector<std::vector<VarIndex>> m_keys;     ///< by root: what it shares with those before it
    std::vector<absl::flat_hash_map<Key, std::vector<std::uint32_t>>> m_index;  ///< by root: partials by their key
    std::vector<PlaceId> m_places;                                              ///< of the match at hand
    Substitution m_match;
    std::vector<bool> m_bound;  ///< by variable
    std::uint64_t m_steps = 0;
};

}  // namespace mitos::rules
