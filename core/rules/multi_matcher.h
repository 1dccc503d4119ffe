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

/// A match of one root of a rule with several.
struct RootMatch {
    PlaceId place;
    Substitution values;
    bool isNew = true;  ///< MultiMatcher::join: a match of the whole has at least one that is
};

/// The roots are matched one by one and joined on the variables they share (a hash join: roots that share a variable are
/// never multiplied out), then come match constraints and the condition of the whole. Every match is an instance at each of
/// its places, as with GraphMatcher. What roots share is compared by the places that the values stand for.
class MultiMatcher {
public:
    using Found = absl::FunctionRef<bool(std::span<const PlaceId> roots, const Substitution& whole)>;
    /// Asked for the places of the first roots, each time one more is taken: whether a match may have them.
    using Admits = absl::FunctionRef<bool(std::span<const PlaceId> roots)>;

    /// The view and the rule must outlive the matcher. The steps are those of each match of a root, and of the join.
    MultiMatcher(const GraphView& view, const MultiRule& rule,
                 std::uint64_t maxSteps = MatcherOver<GraphView>::MaxSteps);

    /// Every match whose root number i is at one of `places[i]`, in the order of the places, the first root's first; ends
    /// early where `found` returns false, or `mayGoOn`, which is asked at every place and every pair that is joined. False if
    /// it did not end by itself. For steps of threads see MultiRule::projections.
    bool run(std::span<const std::vector<PlaceId>> places, Found found, absl::FunctionRef<bool()> mayGoOn);

    // --- the same in two steps, for who keeps the matches of roots while the graph changes ---

    /// Appends the matches of one root at a place. False if the steps did not suffice to look for all.
    bool matchRoot(std::size_t root, PlaceId place, std::vector<RootMatch>& matches);
    /// Joins matches of the roots (`matches[i]`: of root number i; they must still be matches of the graph): every match of the
    /// whole in which at least one of them is new, and that `admits` lets pass. Ends early as `run`.
    bool join(std::span<const std::vector<RootMatch>> matches, Admits admits, Found found,
              absl::FunctionRef<bool()> mayGoOn);

private:
    static constexpr std::uint32_t Unbound = 0xFFFFFFFFU;
    using Key = std::vector<std::uint32_t>;
    struct Join;

    [[nodiscard]] std::uint32_t numberOf(Join& join, VarIndex var, const Binding& value) const;
    [[nodiscard]] bool binds(std::size_t root, VarIndex var, const Binding& value) const;
    void prepare(Join& join) const;
    bool joinFrom(Join& join, std::size_t root);
    bool complete(Join& join);
    [[nodiscard]] bool settle(std::span<const PlaceId> places, Substitution& match) const;

    const GraphView& m_view;
    const MultiRule& m_rule;
    std::uint64_t m_maxSteps;
    bool m_needsSettling = false;
    std::vector<std::vector<bool>> m_occurs;  ///< by root and variable: stands in its pattern
    std::vector<GraphMatcher> m_matchers;
    MatcherOver<GraphView> m_rest;
};

}  // namespace mitos::rules
