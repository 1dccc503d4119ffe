// SPDX-License-Identifier: GPL-3.0-or-later
// Selects the rules that a search may apply: the rules that come with the program were tested before it was shipped; all others are
// tested here first, and those that fail are left out.
#pragma once

#include "core/eval/testing/rule_test.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace mitos::eval {

/// A rule direction that failed its test or could not be tested.
struct DoubtfulRule {
    std::string name;  ///< of the direction
    std::string set;   ///< the rule set that contains it
    /// The counterexample, or the reason why the rule could not be tested.
    std::string reason;
    /// All its operators are declared in rule files: their rules define them, so there is nothing to test. Set only if such rules are
    /// applied all the same.
    bool isDefinition = false;
};

/// Null if the rule has no entry. For a rule with several roots, an entry for any of the roots counts.
[[nodiscard]] const DoubtfulRule* doubtOf(const std::vector<DoubtfulRule>& rules, const rules::DirectedRule& rule);

/// The part of a rule book that a search uses.
struct TrustedRules {
    std::vector<std::shared_ptr<const rules::DirectedRule>> directions;
    std::vector<DoubtfulRule> failed;  ///< not among the above, unless the user insisted
    /// Not among the above either, unless the user insisted or definitions are applied: they were neither confirmed nor refuted.
    std::vector<DoubtfulRule> untested;
    std::size_t passed = 0;  ///< directions that were tested here and passed
    bool insisted = false;

    /// Messages for the user, one per line; empty if there is nothing to report.
    [[nodiscard]] std::vector<std::string> messages() const;
};

struct TrustOptions {
    bool insists = false;  ///< rules that fail or are untested are applied anyway
    bool appliesDefinitions =
        false;  ///< untested rules that are definitions are applied: no program gives their operators a value
    std::set<std::string> only = {};  ///< names of the rules to test; the others are left out silently. Empty: all
};

/// Tests each rule once: verdicts are cached until the files of the rules change. Thread-safe; a thread waits while another one tests.
class RuleTrust {
public:
    /// A hundred instances of a direction find every error in TENSAT's published rules; eighty directions take a few seconds.
    static RuleTestOptions quickTest() { return {.samplesPerRule = 100}; }

    explicit RuleTrust(RuleTestOptions options = quickTest()) : m_options(std::move(options)) {}

    /// If `stop` is requested, the remaining rules are untested, and this is not cached.
    [[nodiscard]] TrustedRules of(const rules::RuleBook& book, const TrustOptions& options = {},
                                  const std::stop_token& stop = {});

private:
    RuleTestOptions m_options;
    std::timed_mutex m_mutex;
    absl::flat_hash_map<std::string, std::vector<RuleVerdict>> m_known;
};

}  // namespace mitos::eval
