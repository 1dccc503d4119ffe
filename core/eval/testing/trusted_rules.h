// SPDX-License-Identifier: GPL-3.0-or-later
// Selects the rules that a search may apply: the rules that come with the program were tested before it was shipped; all others are
// tested here first, and those that fail are left out.
#pragma once

#include "core/eval/testing/known_verdicts.h"
#include "core/eval/testing/rule_test.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
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
    std::size_t passed = 0;  ///< directions that do not come with the program and passed their test
    bool insisted = false;

    /// The names of the failed and the untested directions that are not among the above.
    [[nodiscard]] std::vector<std::string> leftOut() const;
    /// Messages for the user, one per line; empty if there is nothing to report.
    [[nodiscard]] std::vector<std::string> messages() const;
};

struct TrustOptions {
    bool insists = false;  ///< rules that fail or are untested are applied anyway
    bool appliesDefinitions =
        false;  ///< untested rules that are definitions are applied: no program gives their operators a value
    std::set<std::string> only = {};  ///< names of the rules to test; the others are left out silently. Empty: all
};

/// Tests each rule once: a verdict holds for all rules of the same content (rules::contentOf) and is kept in a folder for later processes
/// of the same build of the program. Thread-safe; a thread waits while another one tests.
class RuleTrust {
public:
    /// A hundred instances of a direction find every error in TENSAT's published rules; eighty directions take a few seconds.
    static RuleTestOptions quickTest() { return {.samplesPerRule = 100}; }

    /// Without a folder verdicts are only kept in memory. A folder that cannot be written does not matter: the next process tests again.
    explicit RuleTrust(std::filesystem::path folder = {}, RuleTestOptions options = quickTest())
        : m_folder(std::move(folder)),
          m_options(std::move(options)) {}

    /// If `stop` is requested, the remaining rules are untested, and this is not cached.
    [[nodiscard]] TrustedRules of(const rules::RuleBook& book, const TrustOptions& options = {},
                                  const std::stop_token& stop = {});

private:
    /// The known verdict, or that of a test.
    KnownVerdict verdictOn(const rules::DirectedRule& direction,
                           const std::shared_ptr<const ir::OperatorRegistry>& registry, const RuleTestOptions& options);

    std::filesystem::path m_folder;
    RuleTestOptions m_options;
    std::timed_mutex m_mutex;
    std::optional<KnownVerdicts> m_known;  ///< empty until a rule is to be tested
};

}  // namespace mitos::eval
