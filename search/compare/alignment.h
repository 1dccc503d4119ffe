// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads of one start side by side: which steps both took, and what each rule gained.
#pragma once

#include "core/egraph/report.h"
#include "core/rewrite/step.h"
#include "search/compare/summary.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mitos::search {

/// A step that both threads took, or that only one of them took. Indices into their steps.
struct AlignedStep {
    std::optional<std::size_t> left;
    std::optional<std::size_t> right;

    [[nodiscard]] bool isCommon() const { return left && right; }
    friend bool operator==(const AlignedStep&, const AlignedStep&) = default;
};
/// Aligns the steps of two threads, whose terms are in one bank, so that as many as possible are common (a longest common subsequence).
/// Steps are the same if they apply the same direction of a rule to the same subterm, and it becomes the same. Where threads that differ
/// are long (about a million pairs of steps), only their common beginning and end are found. Time and memory grow with the product of
/// the lengths.
[[nodiscard]] std::vector<AlignedStep> alignedSteps(const ir::TermBank& bank, const rewrite::Thread& left,
                                                    const rewrite::Thread& right);

/// The change in a program's cost by the steps of one rule, in either direction.
struct RuleGain {
    std::string rule;
    std::size_t steps = 0;
    double gain = 0.0;  ///< sum of the costs before, minus those after; negative if the steps made it more expensive
};
/// Rules in the order of their first step. `costs` has one entry per state, the start first.
[[nodiscard]] std::vector<RuleGain> ruleGains(const rewrite::Thread& thread, const std::vector<double>& costs);

/// The gains of one rule in several results, such as those of the seeds of a strategy. A result that does not use it counts as 0.
struct RuleGainSpread {
    std::string rule;
    Spread gain;
    std::size_t results = 0;
    std::size_t uses = 0;   ///< results that use it
    std::size_t steps = 0;  ///< of all results
};
/// Rules in the order of their first use.
[[nodiscard]] std::vector<RuleGainSpread> gainSpreads(const std::vector<std::vector<RuleGain>>& results);

/// How often a run applied each rule: to its e-graph if one grew, to all places together; otherwise as steps of its thread. Rules in the
/// order of their first use, directions by their own names.
struct RuleUse {
    std::string rule;
    double uses = 0.0;
};
[[nodiscard]] std::vector<RuleUse> ruleUses(const egraph::SaturationReport& growth);
[[nodiscard]] std::vector<RuleUse> ruleUses(const rewrite::Thread& thread);

}  // namespace mitos::search
