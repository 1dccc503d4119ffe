// SPDX-License-Identifier: GPL-3.0-or-later
// What is said about rules that failed their test, and about whether a run's result has the values of its start.
#pragma once

#include "core/rewrite/verdict.h"
#include "core/rules/rule.h"
#include "views/document/document.h"

#include <QString>
#include <vector>

namespace mitos::views {

/// "2 rules failed their test or could not be tested, and were left out"; empty where there is none.
[[nodiscard]] QString failedRulesText(const eval::TrustedRules& trusted);
/// A rule each, with its counterexample, or why it could not be tested.
[[nodiscard]] QString failedRulesDetails(const std::vector<eval::DoubtfulRule>& failed);
/// Of both kinds.
[[nodiscard]] QString doubtfulRulesDetails(const eval::TrustedRules& trusted);

/// What it means to allow assumptions.
[[nodiscard]] QString assumptionsHelp();

/// "✓ 6 of 6 steps checked; same values on 24 random inputs (…)", with ✗ before what is known to be wrong and ⚠ before what is not
/// known to be right. In one line.
[[nodiscard]] QString verdictText(const rewrite::Verdict& verdict);
/// Of the run's result; empty while it is not judged.
[[nodiscard]] QString verdictText(const Run& run);
/// "2 failed rules left out"; empty if all were good.
[[nodiscard]] QString leftOutText(const Run& run);

}  // namespace mitos::views
