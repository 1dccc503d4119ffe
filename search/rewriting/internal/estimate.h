// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates of how much the cost of a program can be reduced, and in about how many steps.
#pragma once

#include "search/rewriting/internal/program_tree.h"

#include <cstdint>
#include <vector>

namespace mitos::search {

/// The estimate for one change to a program.
struct Estimate {
    double saving = 0.0;
    std::uint32_t steps = 0;
};

/// For each common subexpression the estimates of binding its occurrences once: first all of them, then each with one
/// more of the farthest left out.
using SharingEstimates = std::vector<std::vector<Estimate>>;

/// The savings from binding each common subexpression once: the saving minus the cost of the let, and the steps to bind the
/// occurrences, lift the lets to where they meet and merge them. Occurrences are left out until the rest takes at most `leastTime`
/// steps. `letCost` is the cost of one let that runs once.
[[nodiscard]] SharingEstimates sharingEstimates(const ir::TermBank& bank, const std::vector<Occurrence>& tree,
                                                double letCost, std::uint32_t leastTime);
/// For each common subexpression the estimate with the most occurrences that takes at most `timeLeft` steps, which is not less than
/// `leastTime`.
[[nodiscard]] std::vector<Estimate> within(const SharingEstimates& estimates, std::uint32_t timeLeft);

/// The simplifications of sums and products that the rules of a search can perform.
struct AlgebraRules {
    bool unit = false;           ///< 1 * a = a
    bool divideOut = false;      ///< a / a = 1
    bool subtractOut = false;    ///< a - a = 0
    bool distribute = false;     ///< a * (b + c) = a * b + a * c
    bool factor = false;         ///< a * b + a * c = a * (b + c)
    bool factorDivisor = false;  ///< a / c + b / c = (a + b) / c

    [[nodiscard]] bool any() const { return unit || divideOut || subtractOut || distribute || factor || factorDivisor; }
};

/// The saving from simplifying sums and products with the given rules. Factors and summands may be reordered and regrouped freely;
/// then units and cancelling terms are removed, common factors are factored out, and a factor is distributed over a sum where that
/// reduces the cost. The number of steps approximates the steps needed, so that each of them brings the saving nearer.
[[nodiscard]] Estimate algebraEstimate(const ir::TermBank& bank, const std::vector<Occurrence>& tree,
                                       const AlgebraRules& rules);

}  // namespace mitos::search
