// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the matching machine on one subterm, off the GUI thread.
#pragma once

#include "core/rules/matching/explanation.h"
#include "views/document/document.h"

#include <QString>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::views {

using DirectedRules = std::vector<std::shared_ptr<const rules::DirectedRule>>;

/// How far a rule's left side matches at a subterm.
struct RuleVerdict {
    std::shared_ptr<const rules::DirectedRule> rule;
    bool matches = false;
    std::uint32_t progress = 0;  ///< transitions that matched something before the furthest failure
    QString reason;              ///< of the furthest failure; empty if it matches
};

struct MatchRanking {
    /// The printed subterm: places and offsets are relative to it. Spans of parts that are not shown are empty.
    ir::PrintedText subject;
    std::vector<RuleVerdict> verdicts;  ///< matching rules first, then in descending order of progress
};

/// Tries every rule at the subterm; the closest to matching come first.
[[nodiscard]] MatchRanking rankRules(const Snapshot& snapshot, const ir::Path& position, const DirectedRules& rules,
                                     const std::stop_token& stop);
/// Finds all matches of one rule at the subterm, or why there is none.
[[nodiscard]] rules::ExplainedMatch explainRule(const Snapshot& snapshot, const ir::Path& position,
                                                const rules::DirectedRule& rule);

}  // namespace mitos::views
