// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/narrowing.h"

#include "core/extract/internal/divided_costs.h"
#include "core/extract/internal/parts.h"
#include "core/extract/internal/requirements.h"

#include <algorithm>
#include <utility>

namespace mitos::extract {

namespace {

constexpr std::uint32_t RoundsOfDivision = 10;

}  // namespace

Narrowing::Narrowing(const Problem& problem, double limit, bool isReduced, const Deadline& deadline)
    : m_problem(problem) {
    while (narrow(limit, isReduced, deadline)) isReduced = true;
}

/// Returns false if there is nothing more to remove.
bool Narrowing::narrow(double limit, bool isReduced, const Deadline& deadline) {
    const ParentIndex parents(m_problem);
    m_bounds = lowerBounds(m_problem, parents, deadline);
    const std::vector<double> divided = dividedBounds(m_problem, parents, RoundsOfDivision, deadline);
    for (std::size_t i = 0; i < m_bounds.size(); ++i) m_bounds[i] = std::max(m_bounds[i], divided[i]);
    Problem kept = keepNodes(m_problem, [&](std::uint32_t node) { return m_bounds[node] < limit - m_paid; });
    if (isReduced && (kept.nodeCount() == m_problem.nodeCount() || deadline.isReached())) return false;
    const std::vector<std::uint32_t> infeasible = infeasibleClasses(kept);
    m_isEmpty = std::ranges::any_of(kept.roots,
                                    [&](std::uint32_t root) { return std::ranges::binary_search(infeasible, root); });
    if (m_isEmpty) return false;
    Reduction reduction = reduce(kept, deadline);
    m_paid += reduction.paid;
    m_problem = reduction.problem;
    m_steps.push_back({std::move(reduction), std::move(kept.origin)});
    m_isEmpty = m_paid >= limit;
    return !m_isEmpty && m_problem.classCount() > 0;
}

Choice Narrowing::expand(Choice choice) const {
    for (auto step = m_steps.rbegin(); step != m_steps.rend(); ++step) {
        const Choice expanded = step->reduction.expand(choice);
        choice.assign(expanded.size(), None);
        for (std::size_t i = 0; i < expanded.size(); ++i) {
            if (expanded[i] != None) choice[i] = step->origin[expanded[i]];
        }
    }
    return choice;
}

}  // namespace mitos::extract
