// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates of how much the cost of a program can be reduced, and in about how many steps.
#pragma once

#include "search/rewriting/program_tree.h"

#include <cstdint>
#include <vector>

namespace mitos::search {

/// The estimate for one change to a program.
struct Estimate {
    double saving = 0.0;
    std::uint32_t steps = 0;
};

/// The savings from binding each common subexpression once, one estimate per subexpression: the saving minus the cost of the let,
/// and the steps to bind the occurrences, lift the lets to where they meet and merge them. If all occurrences together take more
/// than `timeLeft` steps, the farthest are left out. `letCost` is the cost of one let that runs once.
[[nodiscard]] std::vector<Estimate> sharingEstimates(const ir::TermBank& bank, const std::vector<Occurrence>& tree,
                                                     double letCost, std::uint32_t timeLeft);

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
