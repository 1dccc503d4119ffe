// SPDX-License-Identifier: GPL-3.0-or-later
// What a program could save, and in about how many steps.
#pragma once

#include "search/rewriting/program_tree.h"

#include <cstdint>
#include <vector>

namespace mitos::search {

/// Of one change to a program.
struct Estimate {
    double saving = 0.0;
    std::uint32_t steps = 0;
};

/// What common subexpressions would save if each were bound once: for each of them the saving, the let paid, and the steps
/// to bind the occurrences, lift the lets to where they meet and merge them. At most `timeLeft` steps each: where all
/// occurrences take more, those are left out that lie farthest off. `letCost`: of one let, run once.
[[nodiscard]] std::vector<Estimate> sharingEstimates(const ir::TermBank& bank, const std::vector<Occurrence>& tree,
                                                     double letCost, std::uint32_t timeLeft);

/// Which simplifications of sums and products the rules of a search can do.
struct AlgebraRules {
    bool unit = false;           ///< 1 * a = a
    bool divideOut = false;      ///< a / a = 1
    bool subtractOut = false;    ///< a - a = 0
    bool distribute = false;     ///< a * (b + c) = a * b + a * c
    bool factor = false;         ///< a * b + a * c = a * (b + c)
    bool factorDivisor = false;  ///< a / c + b / c = (a + b) / c

    [[nodiscard]] bool any() const { return unit || divideOut || subtractOut || distribute || factor || factorDivisor; }
};

/// What simplifying sums and products would save, with the rules there are: factors and summands may change places and
/// grouping at will; then units and what cancels drop out, common factors come out, and a factor goes over a sum where that
/// pays. The steps are about those it takes, so that each of them brings the estimate nearer.
[[nodiscard]] Estimate algebraEstimate(const ir::TermBank& bank, const std::vector<Occurrence>& tree,
                                       const AlgebraRules& rules);

}  // namespace mitos::search
