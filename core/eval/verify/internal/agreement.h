// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the values of two programs on one input and decides whether a difference exists over the reals. Private to core/eval.
#pragma once

#include "core/eval/evaluator.h"

#include <cstdint>

namespace mitos::eval {

enum class Agreement : std::uint8_t {
    Same,        ///< within the tolerance
    ZeroSign,    ///< differs, but not if zeros have no sign
    NotANumber,  ///< differs, and an input is NaN
    RealOnly,    ///< differs because of rounding, overflow, underflow or infinities only
    Domain,      ///< the first has a value and the second has none
    Different,   ///< their values differ over the reals
    Undecided,   ///< the second takes too long, or cannot be evaluated
};

struct Judged {
    Agreement agreement = Agreement::Undecided;
    double deviation = 0.0;  ///< infinity if the second program has no finite value
    /// Some operation of the first program has no real result, although the program has a value.
    bool isUndefined = false;
};

/// The results of two programs on one input.
struct OneInput {
    const Inputs& inputs;
    const Value& expected;            ///< the finite value of the first program
    const Result<Evaluation>& found;  ///< the result of the second one
};

/// Compares the result of `b` on one input with the value of `a`. If they differ by more than the
/// tolerance, both programs are evaluated again with a RealWatch. The result is NotANumber if an input is NaN. Otherwise it is RealOnly
///  - if an input is not finite, or a result of either program left the range of Floats;
///  - if the deviation, or the difference between having a value and having none, is within a few times the spread of evaluations in
///    which every operation is perturbed by up to 2^-30. Integers are not perturbed: wrapping around is not rounding.
/// Otherwise it is ZeroSign if the programs agree as soon as every -0, of inputs and of operations, is 0. Any other difference is a
/// difference over the reals.
[[nodiscard]] Result<Judged> judge(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                   const OneInput& on, double tolerance, const Limits& limits);

/// Whether both programs fail, or have the same value within the tolerance, if every -0 of the inputs and of operations is 0.
[[nodiscard]] bool agreeWithoutZeroSigns(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                         const Inputs& inputs, double tolerance, const Limits& limits);
/// Whether an input, or the result of an operation of the program, is NaN.
[[nodiscard]] bool meetsNaN(const ir::TermBank& bank, const ir::Program& program, const Inputs& inputs,
                            const Limits& limits);

}  // namespace mitos::eval
