// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates how much the evaluation of a tensor program computes. Private to core/eval.
#pragma once

#include "core/ir/term_bank.h"

namespace mitos::eval {

/// Operations of nodes, counted as cost models do; sizes that are names count as 1.
struct Effort {
    double flops = 0.0;
    double longestReduction = 1.0;  ///< multiplications and additions per element of a result

    Effort& operator+=(const Effort& other);
};

[[nodiscard]] Effort nodeEffort(const ir::TermBank& bank, ir::TermId node);
/// The effort of all nodes of a graph.
[[nodiscard]] Effort effortOf(const ir::TermBank& bank, ir::TermId root);

/// The tolerance for results of sums with `longestReduction` operations: `plain` up to 1000, and proportionally more beyond.
[[nodiscard]] double toleranceFor(double plain, double longestReduction);

/// Elements below this bound cannot be distinguished from the rounding of the sums they come from: sums of `longestReduction` operations
/// on numbers up to `operands`.
[[nodiscard]] double leastMagnitudeFor(double longestReduction, double operands);

}  // namespace mitos::eval
