// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the values of two programs on one input and decides whether a difference exists over the reals. Private to core/eval.
#pragma once

#include "core/eval/evaluator.h"

#include <cstdint>

namespace mitos::eval {

enum class Agreement : std::uint8_t {
    Same,       ///< within the tolerance
    RealOnly,   ///< differs because of rounding, overflow, underflow, infinities or NaN only
    Domain,     ///< the first has a value and the second has none
    Different,  ///< their values differ over the reals
    Untold,     ///< the second takes too long, or cannot be evaluated
};
[[nodiscard]] const char* toString(Agreement agreement);  ///< "same", "real-only", "domain", "different", "untold"

struct Judged {
    Agreement agreement = Agreement::Untold;
    double deviation = 0.0;  ///< infinity if the second program has no finite value
    /// Some operation of the first program has no real result, although the program has a value.
    bool isUndefined = false;
};

/// Compares `found`, the result of `b` on the inputs, with `expected`, the finite value of `a` there. If they differ by more than the
/// tolerance, both programs are evaluated again with a RealWatch. The result is RealOnly
///  - if an input is not finite, or a result of either program left the range of Floats;
///  - if the deviation, or the difference between having a value and having none, is within a few times the spread of evaluations in
///    which every operation is perturbed by up to 2^-30.
/// Any other difference is a difference over the reals.
[[nodiscard]] Result<Judged> judge(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                   const Inputs& inputs, const Value& expected, const Result<Evaluation>& found,
                                   double tolerance, const Limits& limits);

}  // namespace mitos::eval
