// SPDX-License-Identifier: GPL-3.0-or-later
// Whether each step of a thread keeps what the program computes: values before and after it, on random inputs. Independent of
// matching and of rules; rewrite/verify.h hands threads to it.
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

/// What steps may change that do not promise the same value, as deviation().
inline constexpr double ApproximateStep = 0.02;  ///< of rules tagged approximate; as tests of rules allow
/// Of rules whose patterns match numbers up to rounding (~1.41421356 matches what a file of f32 has for the root of 2).
inline constexpr double RoundedStep = 1e-5;

/// A step as verification sees it.
struct VerifyStep {
    std::string name;                 ///< as reports call it: "merge_convs~"
    std::vector<ir::Path> positions;  ///< of what it replaces, in the state before it
    ir::TermId result;                ///< the root after it
    rules::Soundness soundness = rules::Soundness::RealOnly;
    bool isReversed = false;             ///< an instance of its rule from right to left
    std::optional<double> allowed = {};  ///< ApproximateStep or RoundedStep, of such rules
    /// What the rule's variables stand for. Where a step is looked at alone these have random values.
    std::vector<ir::TermId> operands = {};
};

struct VerifyOptions {
    int samples = 4;  ///< random inputs; fewer where `flops` do not suffice
    std::uint64_t seed = 1;
    double tolerance = 1e-8;  ///< as EquivalenceOptions::tolerance; steps may have their own
    double flops = 4e10;      ///< tensor programs: what may be computed in all
    Limits limits = {.steps = 20'000'000};
    std::shared_ptr<const tensor::Weights> weights = {};  ///< as EquivalenceOptions::weights
    std::vector<AssumedSign> assumptions = {};            ///< as EquivalenceOptions::assumptions
};

/// How a step was checked.
enum class StepCheck : std::uint8_t {
    None,   ///< not at all; the note says why
    Whole,  ///< on values that it has in the program: inputs of the program are random
    Alone,  ///< what the rule's variables stand for is random, and the rest of the program is not computed
};

struct StepVerdict {
    StepCheck check = StepCheck::None;
    int samples = 0;            ///< inputs on which values were compared
    double maxDeviation = 0.0;  ///< as deviation()
    std::string note;           ///< why it was not checked; or which step before it does the same
    /// Inputs on which the values differ as rounding and the range of Floats make them; not among the samples.
    int realOnly = 0;
};

/// A step that changes a value.
struct StepDifference {
    std::size_t step = 0;  ///< 1-based
    std::string rule;
    std::string position;
    std::string before;       ///< the term at the position before the step
    std::string after;        ///< and after it
    std::string place;        ///< which element differs most, "element [0,3] of f32[2,4]"; of ks "the program's value"
    std::string beforeValue;  ///< there
    std::string afterValue;   ///< or "fails: …"
    std::string inputs;
    double deviation = 0.0;
    double tolerance = 0.0;
    StepCheck check = StepCheck::Whole;

    /// On a few lines, for people.
    [[nodiscard]] std::string toString() const;
};

struct Verification {
    std::vector<StepVerdict> steps;            ///< one a step; after a difference the later ones are not checked
    std::optional<StepDifference> difference;  ///< at the first step that has one

    [[nodiscard]] std::size_t count(StepCheck check) const;
    [[nodiscard]] double maxDeviation() const;
    /// No difference, and every step was checked.
    [[nodiscard]] bool holds() const { return !difference && count(StepCheck::None) == 0; }
    /// "5 steps keep the values: 3 within the program, 2 alone on random operands; largest deviation 1e-16".
    [[nodiscard]] std::string summary() const;
};

/// Checks steps in their order and ends at the first that changes a value.
///
/// Of a tensor program the nodes that a step replaces and those it puts there are compared, and only they are computed: the
/// start once for each input, then of each step what is new. What stands above has the same value if they have, so the
/// values are passed on. Where the whole is too dear, or a value in it is not finite or above 10,000 (sums of such numbers cancel
/// too much to tell anything), the step is checked alone: its rule's variables stand for random arrays, its weights and
/// constants for themselves. That is the stronger check, since a rule holds for all values, as long as the rule does not
/// depend on what a variable's term computes. Elements that are not finite before a step are not compared.
///
/// Of a ks program the values of consecutive states are compared; Alone does not occur.
///
/// Errors: Cancelled; parameters without random inputs.
[[nodiscard]] Result<Verification> verify(const ir::TermBank& bank, const ir::Program& start,
                                          const std::vector<VerifyStep>& steps, const VerifyOptions& options = {});

}  // namespace mitos::eval
