// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two programs agree on one input, and if not, whether they differ over the reals. Private to core/eval.
#pragma once

#include "core/eval/evaluator.h"

#include <cstdint>

namespace mitos::eval {

enum class Agreement : std::uint8_t {
    Same,       ///< within the tolerance
    RealOnly,   ///< they differ as rounding, overflow, underflow, infinities or what is not a number make them differ
    Domain,     ///< the first has a value and the second has none
    Different,  ///< their values differ over the reals
    Untold,     ///< the second takes too long, or cannot be evaluated
};
[[nodiscard]] const char* toString(Agreement agreement);  ///< "same", "real-only", "domain", "different", "untold"

struct Judged {
    Agreement agreement = Agreement::Untold;
    double deviation = 0.0;  ///< infinity where the second has no finite value
    /// Some operation of the first program has no real result, though the program has a value.
    bool isUndefined = false;
};

/// Compares `found`, what `b` gives on the inputs, with `expected`, the finite value of `a` there. Where they differ by more than the
/// tolerance, both are evaluated again, with a RealWatch:
///  - an input that is no real number, or a result of either program that left the range of Floats, decides nothing: RealOnly;
///  - so does a deviation, or a value that is there or not, within a few times the spread of evaluations whose every operation is off by 2^-30.
/// What is left is a difference over the reals.
[[nodiscard]] Result<Judged> judge(const ir::TermBank& bank, const ir::Program& a, const ir::Program& b,
                                   const Inputs& inputs, const Value& expected, const Result<Evaluation>& found,
                                   double tolerance, const Limits& limits);

}  // namespace mitos::eval
