// SPDX-License-Identifier: GPL-3.0-or-later
// Searches counterexamples to rewrite rules: random well-typed programs before and after a rewrite are compared by the evaluator.
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
    int samplesPerRule = 1000;  ///< comparisons to reach for each direction; many times as many instances are tried
    std::uint64_t seed = 1;
    double seconds = 0.0;  ///< for all rules together; 0: no limit. Directions not reached are untested
    std::stop_token stop = {};
    /// The largest deviation() that is attributed to rounding, for rules that are not exact; exact rules may not deviate at all.
    double tolerance = 1e-8;
};

/// The worst way in which the sides of a rule were found to differ.
enum class SidesDiffer : std::uint8_t {
    Nowhere,
    ZeroSign,    ///< only because zeros have signs
    NotANumber,  ///< only where something is NaN
    RealOnly,    ///< only because of rounding, overflow or infinities
    Defines,     ///< the right side has a value although the left side fails
    Domain,      ///< the right side has no value although the left side has one
    Different,   ///< the values differ over the reals
};
/// "", "zero-sign", "nan", "real-only", "defines", "domain", "different"
[[nodiscard]] const char* toString(SidesDiffer sides);

/// The smallest program found whose value the rule changes.
struct Counterexample {
    std::string before;  ///< the program, in ks
    std::string after;
    std::string position;     ///< of the subterm that the rule rewrites: "/" is the whole program
    std::string inputs;       ///< "x = 1.0, v = [0.0]"; empty if the programs have none
    std::string beforeValue;  ///< or "failure: …"
    std::string afterValue;

    /// "(sub 1.0 0.0) = 1.0, but (sub 0.0 1.0) = -1.0 where …"
    [[nodiscard]] std::string toString() const;
};

/// Verdict on one direction.
struct RuleVerdict {
    std::string name;  ///< of the direction: "commute_add", "distribute~"
    Verdict verdict = Verdict::Untested;
    std::string tag;  ///< rules::toString(Soundness)
    int samples = 0;  ///< instances whose two sides were compared
    /// Rules over arrays: further comparisons, in which sizes have names (known only when the program runs).
    int namedSamples = 0;
    /// For a rule that passes; at most what its tag allows.
    SidesDiffer difference = SidesDiffer::Nowhere;
    /// Present for a rule that fails.
    std::optional<Counterexample> counterexample;
    std::string note;  ///< why it is untested
    double seconds = 0.0;
};

/// Tests every direction of every rule of the book, in its order; for rules with several roots, the effect on each root. An instance
/// fills the rule's variables with random terms (which mention only the bound variables that they may), puts it below random binders and
/// runs both programs on random inputs. A counterexample is then shrunk, program and inputs. The soundness tag determines what counts as
/// a failure:
///  - exact: both sides must fail, or have the same value, bit for bit but for payloads of NaN; that both fail counts as no sample;
///  - exact but for the sign of zero, or but for NaN: the same, unless the difference vanishes if zeros have no sign, or something is NaN;
///  - real-only, domain: if the left side has a finite value over the reals, the right side must have it too. A difference caused by
///    rounding, overflow, infinities, the sign of zero or NaN alone passes and is reported in `difference` (agreement.h describes the
///    decision). Integers wrap around on both sides alike.
/// Inputs are from every Region in turn, with sizes from 0 on, and with the numbers and sizes that the rule itself states.
[[nodiscard]] std::vector<RuleVerdict> testRules(const rules::RuleBook& book, const RuleTestOptions& options = {});

/// Tests one direction as testRules() does. Returns one verdict; for a rule with several roots, one on the whole or one per root.
[[nodiscard]] std::vector<RuleVerdict> testRule(const rules::DirectedRule& direction,
                                                const std::shared_ptr<const ir::OperatorRegistry>& registry,
                                                const RuleTestOptions& options = {});

}  // namespace mitos::eval
