// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about rules that failed their test, and about whether a run's result has the values of its start.
#pragma once

#include "core/eval/trusted_rules.h"
#include "core/rules/rule.h"
#include "views/document/document.h"

#include <QString>
#include <vector>

namespace mitos::views {

/// Null: nothing is known against it. Of a rule with several roots, what is known of any of them counts.
[[nodiscard]] const eval::DoubtfulRule* doubtOf(const std::vector<eval::DoubtfulRule>& failed,
                                                const rules::DirectedRule& rule);

/// "2 rules failed their test and were left out"; of at least one.
[[nodiscard]] QString failedRulesText(const eval::TrustedRules& trusted);
/// A rule each, with its counterexample.
[[nodiscard]] QString failedRulesDetails(const std::vector<eval::DoubtfulRule>& failed);

/// "same values on 24 random inputs"; empty while a run's result is not compared. In one line.
[[nodiscard]] QString verdictText(const Run& run);
/// "2 failed rules left out"; empty if all were good.
[[nodiscard]] QString leftOutText(const Run& run);

}  // namespace mitos::views
