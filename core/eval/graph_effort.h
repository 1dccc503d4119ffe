// SPDX-License-Identifier: GPL-3.0-or-later
// How much evaluating a tensor program computes. Private to core/eval.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::eval {

/// What nodes compute, counted as cost models do; sizes that are names count as 1.
struct Effort {
    double flops = 0.0;
    double longestReduction = 1.0;  ///< multiplications and additions that one element of a result takes

    Effort& operator+=(const Effort& other);
};

[[nodiscard]] Effort nodeEffort(const ir::TermBank& bank, ir::TermId node);
/// Of all nodes of a graph.
[[nodiscard]] Effort effortOf(const ir::TermBank& bank, ir::TermId root);

/// The tolerance for results that take so many operations: the plain one up to 1000, and so many times more beyond.
[[nodiscard]] double toleranceFor(double plain, double longestReduction);

/// Elements below this are not told from the rounding of what they are sums of: so many operations on numbers up to `operands`.
[[nodiscard]] double leastMagnitudeFor(double longestReduction, double operands);

}  // namespace mitos::eval
