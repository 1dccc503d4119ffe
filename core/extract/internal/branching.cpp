// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/branching.h"

#include "core/extract/bottom_up.h"
#include "core/extract/check.h"
#include "core/extract/internal/narrowing.h"
#include "core/extract/internal/parts.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::extract {

namespace {

/// Relative to the cost of the start. Costs are sums in different orders, and what is not cheaper by more than this is not looked for.
/// Tolerances of independent parts add up.
constexpr double Tolerance = 1e-10;

class Branching {
public:
    Branching(double tolerance, std::uint64_t work, const Deadline& deadline)
        : m_tolerance(tolerance),
          m_work(work),
          m_deadline(deadline) {}

    struct Found {
        Choice choice;
        double cost = 0.0;
    };
    /// The cheapest choice, if it costs less than the limit and the work suffices.
    std::optional<Found> least(const Problem& problem, double limit, bool isReduced) {
        if (!mayLookAt(problem)) return std::nullopt;
        const Narrowing narrowed(problem, limit - m_tolerance, isReduced, m_deadline);
        if (narrowed.isEmpty()) return std::nullopt;
        const Problem& rest = narrowed.problem();
        const std::vector<Part> parts = independentParts(rest);
        double restLimit = limit - narrowed.paid();
        Choice choice(rest.classCount(), None);
        for (const Part& part : parts) {
            const std::optional<Found> found = parts.size() == 1 ? branch(part.problem, narrowed.bounds(), restLimit)
                                                                 : least(part.problem, restLimit, true);
            if (!found) return std::nullopt;
            insertPart(part, found->choice, choice);
            restLimit -= found->cost;
        }
        Found whole{narrowed.expand(std::move(choice)), 0.0};
        whole.cost = check(problem, whole.choice).cost;
        if (whole.cost >= limit) return std::nullopt;
        return whole;
    }

    [[nodiscard]] bool isExhausted() const { return m_isExhausted; }
    [[nodiscard]] std::uint64_t branches() const { return m_branches; }

private:
    bool mayLookAt(const Problem& problem) {
        m_isExhausted = m_isExhausted || problem.nodeCount() > m_work || m_deadline.isReached();
        if (!m_isExhausted) m_work -= problem.nodeCount();
        return !m_isExhausted;
    }

    /// The same for a problem of one part, by trying each node of a class. The bounds are those of its nodes.
    std::optional<Found> branch(const Problem& problem, const std::vector<double>& bounds, double limit) {
        std::optional<Found> best;
        const auto offer = [&](std::optional<Found> found) {
            if (!found || found->cost >= limit) return;
            limit = found->cost;
            best = std::move(found);
        };
        Choice tree = bottomUp(problem, ParentIndex(problem), problem.cost).choice;
        const double treeCost = check(problem, tree).cost;
        offer(Found{std::move(tree), treeCost});
        const std::uint32_t eclass = decisiveRoot(problem, bounds);
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t n = problem.classBegin[eclass]; n < problem.classBegin[eclass + 1]; ++n) nodes.push_back(n);
        std::ranges::stable_sort(nodes, {}, [&](std::uint32_t node) { return bounds[node]; });
        for (const std::uint32_t node : nodes) {
            if (m_isExhausted || bounds[node] >= limit - m_tolerance) break;
            ++m_branches;
            const auto isInClass = [&](std::uint32_t other) {
                return other >= problem.classBegin[eclass] && other < problem.classBegin[eclass + 1];
            };
            const Problem decided =
                keepNodes(problem, [&](std::uint32_t other) { return other == node || !isInClass(other); });
            const std::vector<std::uint32_t> infeasible = infeasibleClasses(decided);
            if (std::ranges::any_of(decided.roots,
                                    [&](std::uint32_t root) { return std::ranges::binary_search(infeasible, root); }))
                continue;
            std::optional<Found> found = least(decided, limit, false);
            if (!found) continue;
            for (std::uint32_t& chosen : found->choice) {
                if (chosen != None) chosen = decided.origin[chosen];
            }
            offer(std::move(found));
        }
        return best;
    }

    /// The root whose second best node has the highest bound: there, most is cut off.
    static std::uint32_t decisiveRoot(const Problem& problem, const std::vector<double>& bounds) {
        std::uint32_t decisive = problem.roots.front();
        double highest = -1.0;
        for (const std::uint32_t root : problem.roots) {
            std::vector<double> own(bounds.begin() + problem.classBegin[root],
                                    bounds.begin() + problem.classBegin[root + 1]);
            std::ranges::sort(own);
            const double second = own[std::min<std::size_t>(own.size() - 1, 1)];
            if (second <= highest) continue;
            highest = second;
            decisive = root;
        }
        return decisive;
    }

    double m_tolerance;
    std::uint64_t m_work;
    const Deadline& m_deadline;
    std::uint64_t m_branches = 0;
    bool m_isExhausted = false;
};

}  // namespace

BranchingResult branchAndBound(const Problem& problem, const Choice& start, std::uint64_t work,
                               const Deadline& deadline) {
    BranchingResult result{needed(problem, start), 0.0};
    result.cost = check(problem, result.choice).cost;
    Branching branching(Tolerance * result.cost, work, deadline);
    if (auto found = branching.least(problem, result.cost, true)) {
        result.choice = needed(problem, found->choice);
        result.cost = found->cost;
    }
    result.isProven = !branching.isExhausted();
    result.branches = branching.branches();
    return result;
}

}  // namespace mitos::extract
