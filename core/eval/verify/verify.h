// SPDX-License-Identifier: GPL-3.0-or-later
// Checks whether each step of a thread preserves the value of the program: compares values before and after it on random inputs.
// Independent of matching and of rules; rewrite/verify.h passes threads to it.
#pragma once

#include "core/eval/evaluator.h"
#include "core/ir/path.h"
#include "core/rules/rule.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mitos::eval {

/// Deviations, as deviation(), allowed for steps that do not promise the same value.
inline constexpr double ApproximateStep = 0.02;  ///< for rules tagged approximate; the same as in tests of rules
/// For rules whose patterns match numbers up to rounding (~1.41421356 matches the root of 2 as an f32 file stores it).
inline constexpr double RoundedStep = 1e-5;

/// A step to verify.
struct VerifyStep {
    std::string name;                 ///< its name in reports: "merge_convs~"
    std::vector<ir::Path> positions;  ///< of the replaced subterms, in the state before it
    ir::TermId result;                ///< the root after it
    rules::Soundness soundness = rules::Soundness::RealOnly;
    bool isReversed = false;             ///< it applies its rule from right to left
    std::optional<double> allowed = {};  ///< ApproximateStep or RoundedStep, for such rules
    /// The terms bound to the rule's variables. They have random values if a step is checked alone.
    std::vector<ir::TermId> operands = {};
};

struct VerifyOptions {
    int samples = 4;  ///< random inputs; fewer if `flops` do not suffice
    std::uint64_t seed = 1;
    double tolerance = 1e-8;  ///< as EquivalenceOptions::tolerance; steps may have their own
    double flops = 4e10;      ///< tensor programs: the limit on computation in all
    Limits limits = {.steps = 20'000'000};
    std::shared_ptr<const tensor::Weights> weights = {};  ///< as EquivalenceOptions::weights
    std::vector<AssumedSign> assumptions = {};            ///< as EquivalenceOptions::assumptions
};

/// How a step was checked.
enum class StepCheck : std::uint8_t {
    None,   ///< not at all; the note says why
    Whole,  ///< on the values that the step has in the program, for random inputs of the program
    Alone,  ///< on random values of the rule's variables; the rest of the program is not computed
};

struct StepVerdict {
    StepCheck check = StepCheck::None;
    int samples = 0;            ///< inputs on which values were compared
    double maxDeviation = 0.0;  ///< as deviation()
    std::string note;           ///< why it was not checked, or which earlier step does the same
    /// Inputs on which the values differ only because of rounding, the range of Floats, the sign of zero or NaN; not counted in `samples`.
    int realOnly = 0;
};

/// A step that changes a value.
struct StepDifference {
    std::size_t step = 0;  ///< 1-based
    std::string rule;
    std::string position;
    std::string before;       ///< the term at the position before the step
    std::string after;        ///< the term at the position after the step
    std::string place;        ///< most deviating element, "element [0,3] of f32[2,4]"; of ks "the program's value"
    std::string beforeValue;  ///< at `place`
    std::string afterValue;   ///< or "fails: …"
    std::string inputs;
    double deviation = 0.0;
    double tolerance = 0.0;
    StepCheck check = StepCheck::Whole;

    /// A report of a few lines for the user.
    [[nodiscard]] std::string toString() const;
};

struct Verification {
    std::vector<StepVerdict> steps;            ///< one per step; steps after a difference are not checked
    std::optional<StepDifference> difference;  ///< at the first step that has one

    [[nodiscard]] std::size_t count(StepCheck check) const;
    [[nodiscard]] double maxDeviation() const;
    /// No difference, and every step was checked.
    [[nodiscard]] bool holds() const { return !difference && count(StepCheck::None) == 0; }
    /// "5 steps keep the values: 3 within the program, 2 alone on random operands; largest deviation 1e-16".
    [[nodiscard]] std::string summary() const;
};

/// Checks steps in order and ends at the first one that changes a value.
///
/// For a tensor program, the nodes that a step replaces are compared with the nodes that replace them, and only those are computed: the
/// start once for each input, then the new nodes of each step. If they are equal, so are the values of the nodes above them, and these
/// values are passed on. The step is checked alone if the whole program is too expensive, or if a value in it is not finite or above
/// 10,000 (cancellation in sums of such numbers hides differences): the rule's variables then have random arrays as values, and weights
/// and constants keep theirs. That is the stronger check, since a rule holds for all values, as long as the rule does not depend on what
/// a variable's term computes. Elements that are not finite before a step are not compared.
///
/// For a ks program, the values of consecutive states are compared; Alone does not occur.
///
/// Errors: Cancelled; parameters without random inputs.
[[nodiscard]] Result<Verification> verify(const ir::TermBank& bank, const ir::Program& start,
                                          const std::vector<VerifyStep>& steps, const VerifyOptions& options = {});

}  // namespace mitos::eval
