// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about rules that failed their test, and about whether a run's result has the values of its start.
#pragma once

#include "core/rewrite/verdict.h"
#include "core/rules/rule.h"
#include "views/document/document.h"

#include <QString>
#include <vector>

namespace mitos::views {

/// "2 rules failed their test or could not be tested, and were left out"; empty if there are none.
[[nodiscard]] QString failedRulesText(const eval::TrustedRules& trusted);
/// One entry per rule, with its counterexample or the reason why it could not be tested.
[[nodiscard]] QString failedRulesDetails(const std::vector<eval::DoubtfulRule>& failed);
/// The details of both kinds of rules.
[[nodiscard]] QString doubtfulRulesDetails(const eval::TrustedRules& trusted);

/// Explains what allowing assumptions means.
[[nodiscard]] QString assumptionsHelp();

/// "✓ 6 of 6 steps checked; same values on 24 random inputs (…)", with ✗ before results known to be wrong and ⚠ before
/// results not known to be right. One line.
[[nodiscard]] QString verdictText(const rewrite::Verdict& verdict);
/// One part of a verdict in two words: "✓ replayed", "✗ other values".
struct VerdictMark {
    enum class Kind : std::uint8_t { Passed, Doubtful, Wrong };
    Kind kind = Kind::Passed;
    QString text;  ///< with its sign
};
/// The parts of a verdict, that on the thread first.
[[nodiscard]] std::vector<VerdictMark> verdictMarks(const rewrite::Verdict& verdict);
/// "✓ replayed  ✓ same values".
[[nodiscard]] QString marksText(const rewrite::Verdict& verdict);
/// The verdict on the run's result; empty until it is judged.
[[nodiscard]] QString verdictText(const Run& run);
/// "2 failed rules left out"; empty if none failed.
[[nodiscard]] QString leftOutText(const Run& run);

}  // namespace mitos::views
