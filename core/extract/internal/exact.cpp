// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/exact.h"

#include "core/extract/check.h"
#include "core/extract/internal/local_search.h"
#include "core/extract/internal/lower_bounds.h"
#include "core/extract/internal/method.h"
#include "core/extract/internal/program_search.h"
#include "core/extract/internal/reduce.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::extract {

namespace {

constexpr double StartSeconds = 0.5;

double slack(double cost) { return 1e-6 * (1.0 + std::abs(cost)); }

/// Removes nodes that no choice better than the best known one needs, which enables further reductions, and so on.
class Narrowing {
public:
    Narrowing(const Problem& problem, const Choice& best, const Deadline& deadline)
        : m_original(problem),
          m_best(needed(problem, best)),
          m_bestCost(check(problem, m_best).cost),
          m_deadline(deadline),
          m_problem(problem) {}

    Result<ExactAnswer> run(const std::string& solver) {
        while (!m_deadline.isReached() && narrow()) {
        }
        if (m_isEmpty) return ExactAnswer{m_best, m_bestCost, true, "decided by reductions and bounds"};
        const ParentIndex parents(m_problem);
        LocalSearch search(m_problem, parents, greedyChoice(m_problem, parents, m_deadline));
        search.run(Deadline(std::min(StartSeconds, m_deadline.secondsLeft()), m_deadline.stop()));
        Result<ExactAnswer> exact = searchByProgram(m_problem, search.choice(), solver, m_deadline);
        if (!exact) return exact;
        offer(exact->choice);
        // Every choice with a removed node costs at least as much as the best known one.
        if (exact->bound) exact->bound = std::min(*exact->bound + m_paid, m_bestCost);
        exact->proven = exact->bound && *exact->bound >= m_bestCost - slack(m_bestCost);
        exact->choice = std::move(m_best);
        return exact;
    }

private:
    /// Returns false if there is nothing to remove.
    bool narrow() {
        const ParentIndex parents(m_problem);
        const std::vector<double> bounds = lowerBounds(m_problem, parents, m_deadline);
        const double limit = m_bestCost - m_paid - slack(m_bestCost);
        Problem kept;
        kept.classBegin.push_back(0);
        kept.childBegin.push_back(0);
        kept.roots = m_problem.roots;
        for (std::uint32_t eclass = 0; eclass < m_problem.classCount(); ++eclass) {
            for (std::uint32_t n = m_problem.classBegin[eclass]; n < m_problem.classBegin[eclass + 1]; ++n) {
                if (bounds[n] >= limit) continue;
                const auto children = m_problem.childrenOf(n);
                kept.cost.push_back(m_problem.cost[n]);
                kept.origin.push_back(n);
                kept.children.insert(kept.children.end(), children.begin(), children.end());
                kept.childBegin.push_back(static_cast<std::uint32_t>(kept.children.size()));
            }
            kept.classBegin.push_back(kept.nodeCount());
        }
        if (kept.nodeCount() == m_problem.nodeCount()) return false;
        const std::vector<std::uint32_t> infeasible = infeasibleClasses(kept);
        m_isEmpty = std::any_of(kept.roots.begin(), kept.roots.end(), [&](std::uint32_t root) {
            return std::binary_search(infeasible.begin(), infeasible.end(), root);
        });
        if (m_isEmpty) return false;
        Reduction reduction = reduce(kept, m_deadline);
        m_paid += reduction.paid;
        m_problem = reduction.problem;
        m_steps.push_back({std::move(reduction), std::move(kept.origin)});
        if (m_problem.classCount() == 0) {
            offer({});
            m_isEmpty = true;
            return false;
        }
        return true;
    }

    /// Offers a choice of the current problem.
    void offer(Choice choice) {
        for (auto step = m_steps.rbegin(); step != m_steps.rend(); ++step) {
            const Choice expanded = step->reduction.expand(choice);
            choice.assign(expanded.size(), None);
            for (std::size_t i = 0; i < expanded.size(); ++i) {
                if (expanded[i] != None) choice[i] = step->origin[expanded[i]];
            }
        }
        const CheckReport report = check(m_original, choice);
        if (!report.valid || report.cost >= m_bestCost) return;
        m_best = needed(m_original, choice);
        m_bestCost = report.cost;
    }

    struct Step {
        Reduction reduction;
        std::vector<std::uint32_t> origin;  ///< of the kept nodes: their numbers in the problem before
    };

    const Problem& m_original;
    Choice m_best;
    double m_bestCost;
    const Deadline& m_deadline;
    Problem m_problem;
    double m_paid = 0.0;
    std::vector<Step> m_steps;
    bool m_isEmpty = false;
};

}  // namespace

Result<ExactAnswer> solveExactly(const Problem& problem, const Choice& start, const std::string& solver,
                                 const Deadline& deadline) {
    if (problem.classCount() == 0) return ExactAnswer{{}, 0.0, true, "decided by reductions alone"};
    return Narrowing(problem, start, deadline).run(solver);
}

}  // namespace mitos::extract
