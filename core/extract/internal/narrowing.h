// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions that also use the cost of a known choice.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/internal/reduce.h"
#include "core/extract/problem.h"

#include <vector>

namespace mitos::extract {

/// Removes nodes that no choice cheaper than a limit needs (lowerBounds), which enables further reductions, and so on. Costs must not be
/// negative, and the roots must have finite terms.
class Narrowing {
public:
    /// `isReduced`: whether the problem is the result of a reduction.
    Narrowing(const Problem& problem, double limit, bool isReduced, const Deadline& deadline);

    /// Whether no choice costs less than the limit.
    [[nodiscard]] bool isEmpty() const { return m_isEmpty; }
    /// The rest of the problem; without classes if everything is decided.
    [[nodiscard]] const Problem& problem() const { return m_problem; }
    /// By node of the rest: a lower bound on the cost of every choice of the rest that needs it.
    [[nodiscard]] const std::vector<double>& bounds() const { return m_bounds; }
    /// Part of the cost of every choice, in addition to its cost in the rest.
    [[nodiscard]] double paid() const { return m_paid; }
    /// The choice of the original problem for a choice of the rest.
    [[nodiscard]] Choice expand(Choice choice) const;

private:
    bool narrow(double limit, bool isReduced, const Deadline& deadline);

    struct Step {
        Reduction reduction;
        std::vector<std::uint32_t> origin;  ///< of the kept nodes: their numbers in the problem before
    };
    Problem m_problem;
    std::vector<double> m_bounds;
    double m_paid = 0.0;
    std::vector<Step> m_steps;
    bool m_isEmpty = false;
};

}  // namespace mitos::extract
