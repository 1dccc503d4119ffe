// SPDX-License-Identifier: GPL-3.0-or-later
// Matches of rules in a graph whose places stand for many equal terms: e-matching with the whole pattern language.
#pragma once

#include "core/rules/distinct_values.h"
#include "core/rules/matcher.h"

namespace mitos::rules {

/// All matches of a left side at places of a graph. Every match is an instance: the left side under the substitution is a
/// term that the place represents, and the conditions hold for the very values that are reported. Variables stand for the
/// values of their places; what a match constraint speaks of stands for the term that the constraint's pattern describes.
/// Conditions are asked about these values, not about every term that is equal to them. A variable that stands twice
/// matches where its first value, moved to the second place, is represented there.
/// Use it many times: it keeps its memory. The graph may change between runs, not during one.
class GraphMatcher {
public:
    /// The view and the rule must outlive the matcher. The steps are those of one run.
    GraphMatcher(const GraphView& view, const CompiledRule& rule,
                 std::uint64_t maxSteps = MatcherOver<GraphView>::MaxSteps);

    /// Each match at the place once, in the order of the machine; ends early where `found` returns false. False if the steps
    /// did not suffice to look for all.
    bool run(PlaceId place, absl::FunctionRef<bool(const Substitution&)> found);

private:
    [[nodiscard]] bool settle(PlaceId place);

    const GraphView& m_view;
    const CompiledRule& m_rule;
    MatcherOver<GraphView> m_matcher;
    bool m_needsSettling = false;  ///< there are match constraints or named patterns
    DistinctValues m_seen;
    Substitution m_settled;
};

}  // namespace mitos::rules
