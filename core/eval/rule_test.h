// SPDX-License-Identifier: GPL-3.0-or-later
// Hunts counterexamples to rewrite rules: random well-typed programs before and after a rewrite, judged by the evaluator.
#pragma once

#include "core/rules/rule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::eval {

enum class Verdict : std::uint8_t {
    Pass,
    Fail,
    Untested,  ///< no instance could be compared, or one root of several does not determine its rewrite
};
[[nodiscard]] const char* toString(Verdict verdict);  ///< "pass", "fail", "untested"

struct RuleTestOptions {
    int samplesPerRule = 1000;  ///< comparisons wanted for each direction; many times as many instances are tried
    std::uint64_t seed = 1;
    double seconds = 0.0;  ///< for all rules together; 0: no limit. Directions not reached are untested
    std::stop_token stop = {};
    /// Largest deviation() that is taken for rounding, for rules that are not exact; exact rules may not deviate at all.
    double tolerance = 1e-8;
};

/// In which way the sides of a rule differ, the worst that was found.
enum class SidesDiffer : std::uint8_t {
    Nowhere,
    RealOnly,   ///< rounding, overflow, infinities and what is not a number alone make them differ
    Defines,    ///< the right side has a value where the left side fails
    Domain,     ///< the right side has no value where the left side has one
    Different,  ///< other values over the reals
};
[[nodiscard]] const char* toString(SidesDiffer sides);  ///< "", "real-only", "defines", "domain", "different"

/// A program that the rule changes the value of: the smallest one that was found.
struct Counterexample {
    std::string before;  ///< the program, in ks
    std::string after;
    std::string position;     ///< of what the rule rewrites: "/" is the whole program
    std::string inputs;       ///< "x = 1.0, v = [0.0]"; empty: the programs have none
    std::string beforeValue;  ///< or "failure: …"
    std::string afterValue;

    /// "(sub 1.0 0.0) = 1.0, but (sub 0.0 1.0) = -1.0 where …"
    [[nodiscard]] std::string toString() const;
};

/// Verdict on one direction.
struct RuleVerdict {
    std::string name;  ///< of the direction: "commute_add", "distribute~"
    Verdict verdict = Verdict::Untested;
    std::string tag;  ///< "exact", "real-only", "domain"
    int samples = 0;  ///< instances whose two sides were compared
    /// Rules over arrays: further ones, in which sizes have names (known only when the program runs).
    int namedSamples = 0;
    /// Of a rule that passes: at most what its tag allows.
    SidesDiffer difference = SidesDiffer::Nowhere;
    /// Of a rule that fails.
    std::optional<Counterexample> counterexample;
    std::string note;  ///< why it is untested
    double seconds = 0.0;
};

/// Tests every direction of every rule of the book, in its order; of rules with several roots what they do to each root. An instance fills the rule's variables with random terms
/// (respecting which bound variables they may mention), puts it below random binders and runs both programs on random
/// inputs. A counterexample is then made smaller, program and inputs. What counts as a failure follows the soundness tag:
///  - exact: both fail, or both have the same value, bit for bit;
///  - real-only, domain: where the left side has a finite value over the reals, the right side has it too. What only rounding, overflow,
///    infinities and what is not a number make different passes, and `difference` says so (agreement.h tells how that is decided).
/// Inputs are of every Region in turn, with sizes from 0 on.
[[nodiscard]] std::vector<RuleVerdict> testRules(const rules::RuleBook& book, const RuleTestOptions& options = {});

/// One direction of a rule with one root, tested as testRules() does.
[[nodiscard]] RuleVerdict testRule(const rules::DirectedRule& direction,
                                   const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                   const RuleTestOptions& options = {});
/// One direction of a rule with several roots: a verdict on the whole, or one a root.
[[nodiscard]] std::vector<RuleVerdict> testRule(const rules::MultiRule& multi,
                                                const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                                const RuleTestOptions& options = {});

}  // namespace mitos::eval
