// SPDX-License-Identifier: GPL-3.0-or-later
// A ranking of rules as e-graphs use it: the order in which rules are applied, and the prior of their choice.
#pragma once

#include "core/egraph/runner.h"
#include "search/rule_ranking.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mitos::search {

/// The value of a parameter `ranking` that names no file.
inline constexpr const char* NoRanking = "none";

/// How promising the rules of a run are.
struct RankedRules {
    /// By number: the probability that a rule is chosen; none is 0. Empty: there is no ranking.
    std::vector<double> probabilities = {};
    /// How many of the ranked rules the run does not have, and how many of its rules are not ranked; empty if it has all that are ranked.
    std::string note = {};
};

/// Reads the ranking from a file. Three quarters of the probability are in proportion to RuleRanking::weight(), and a quarter (as much as AlphaZero
/// adds as noise) is the same for all rules, so that none is left out. Each root of a rule with several stands for the rule. Fails
/// as loadRanking() does.
[[nodiscard]] Result<RankedRules> rankRules(const std::string& file,
                                            const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules);

/// Sorts rules by probability, the highest first; equal ones keep their order.
void sortByRank(std::vector<std::uint32_t>& rules, const std::vector<double>& probabilities);

/// Makes schedulers of that name (egraph::makeScheduler()) whose batches are sorted so. Where a limit of e-nodes ends an iteration, the rules that
/// gain most were applied. Fails if there is none of that name.
[[nodiscard]] Result<egraph::SchedulerFactory> inRankedOrder(const std::string& scheduler,
                                                             std::vector<double> probabilities);

}  // namespace mitos::search
