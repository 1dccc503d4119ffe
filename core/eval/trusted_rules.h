// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules a search may apply: those that come with the program were tested before it was shipped, all others are tested here
// first, and what fails is left out.
#pragma once

#include "core/eval/rule_test.h"

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

/// A rule direction that was not found good.
struct DoubtfulRule {
    std::string name;  ///< of the direction
    std::string set;   ///< where it is written
    /// The counterexample, or why it could not be tested.
    std::string reason;
    /// All its operators are declared in rule files: they mean what their rules say, so there is nothing to test.
    /// Set only where such rules are applied all the same.
    bool isDefinition = false;
};

/// Null: nothing is known against it. Of a rule with several roots, what is known of any of them counts.
[[nodiscard]] const DoubtfulRule* doubtOf(const std::vector<DoubtfulRule>& rules, const rules::DirectedRule& rule);

/// What of a rule book a search gets.
struct TrustedRules {
    std::vector<std::shared_ptr<const rules::DirectedRule>> directions;
    std::vector<std::shared_ptr<const rules::MultiRule>> multis;
    std::vector<DoubtfulRule> failed;  ///< not among the above, unless the user insisted
    /// Not among the above either, unless the user insisted or definitions are applied: nothing is known against these, and nothing
    /// for them.
    std::vector<DoubtfulRule> untested;
    std::size_t passed = 0;  ///< directions that were tested here and passed
    bool insisted = false;

    /// For people, a line each; empty where there is nothing to say.
    [[nodiscard]] std::vector<std::string> messages() const;
};

struct TrustOptions {
    bool insists = false;  ///< rules that fail or are untested are applied all the same
    bool appliesDefinitions =
        false;  ///< untested rules that are definitions are applied: no program gives their operators a value
    std::set<std::string> only = {};  ///< names of the rules to test; the others are left out silently. Empty: all
};

/// Tests rules, each once: what was found is remembered for as long as the files it is written in do not change. Usable from
/// several threads; one waits while another tests.
class RuleTrust {
public:
    /// A hundred instances of a direction find all that is wrong in TENSAT's published rules; eighty directions take a
    /// few seconds.
    static RuleTestOptions quickTest() { return {.samplesPerRule = 100}; }

    explicit RuleTrust(RuleTestOptions options = quickTest()) : m_options(std::move(options)) {}

    /// Where `stop` is requested the rest is untested, and not remembered as such.
    [[nodiscard]] TrustedRules of(const rules::RuleBook& book, const TrustOptions& options = {},
                                  const std::stop_token& stop = {});

private:
    RuleTestOptions m_options;
    std::timed_mutex m_mutex;
    absl::flat_hash_map<std::string, std::vector<RuleVerdict>> m_known;
};

}  // namespace mitos::eval
