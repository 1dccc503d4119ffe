// SPDX-License-Identifier: GPL-3.0-or-later
// Hunts counterexamples to rewrite rules: random well-typed programs before and after a rewrite, judged by the evaluator.
#pragma once

#include "core/rules/rule.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace mitos::eval {

enum class Verdict : std::uint8_t {
    Pass,
    Fail,
    Untested,  ///< no instance could be compared, or the rule cannot be executed
};
[[nodiscard]] const char* toString(Verdict verdict);  ///< "pass", "fail", "untested"

struct RuleTestOptions {
    int samplesPerRule = 100;  ///< comparisons wanted for each direction; several times as many instances are tried
    std::uint64_t seed = 1;
    double seconds = 0.0;  ///< for all rules together; 0: no limit. Directions not reached are untested
    std::stop_token stop = {};
    /// Largest deviation() that is taken for rounding, for rules that are not exact; exact rules may not deviate at all.
    double tolerance = 1e-8;
};

/// Verdict on one direction.
struct RuleVerdict {
    std::string name;  ///< of the direction: "commute_add", "distribute~"
    Verdict verdict = Verdict::Untested;
    std::string tag;  ///< "exact", "real-only", "domain"
    int samples = 0;  ///< instances whose two sides were compared
    std::string
        counterexample;  ///< the smallest one found: both terms, the inputs and both values; or why it is untested
    double seconds = 0.0;
};

/// Tests every direction of every rule of the book, in its order. An instance fills the rule's variables with random terms
/// (respecting which bound variables they may mention), puts it below random binders and runs both programs on random
/// inputs. What counts as a failure follows the soundness tag:
///  - exact: both fail, or both have the same value;
///  - real-only, domain: where the left side has a finite value (for numbers of moderate size), the right side has it too.
/// Rules with the tag `positive` are compared only where all Floats that their variables stand for are positive.
[[nodiscard]] std::vector<RuleVerdict> testRules(const rules::RuleBook& book, const RuleTestOptions& options = {});

}  // namespace mitos::eval
