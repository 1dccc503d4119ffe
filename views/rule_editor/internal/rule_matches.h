// SPDX-License-Identifier: GPL-3.0-or-later
// The places of a program where a rule matches, and what it would make of them. Computed in a job.
#pragma once

#include "views/document/document.h"

#include <QString>
#include <memory>
#include <stop_token>
#include <vector>

namespace mitos::views {

/// A place where a rule matches.
struct RuleMatch {
    std::string direction;  ///< the name of the directed rule
    std::vector<ir::Path> positions;
    int number = 0;     ///< among the matches of the direction at these positions
    QString place;      ///< in the reading form
    QString becomes;    ///< empty if there are too many places
    double cost = 0.0;  ///< of the program after the step
};

struct RuleMatches {
    std::vector<RuleMatch> rows;
    int total = 0;
    double costBefore = 0.0;
    QString refusal;  ///< why the rule is not for this program; then there are no rows
};

constexpr int MostMatches = 1'000;  ///< that are listed

/// All matches in a program, cheapest results first.
[[nodiscard]] RuleMatches matchesOf(const rules::Rule& rule, const Snapshot& snapshot, const cost::CostModel& model,
                                    const std::stop_token& stop);

/// The step of a match under the rule in force of that name; fails if that rule does not match there any more.
[[nodiscard]] Result<rewrite::Step> stepOf(ir::TermBank& bank, const ir::Program& program,
                                           const std::shared_ptr<const rules::DirectedRule>& rule,
                                           const RuleMatch& match);

}  // namespace mitos::views
