// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/exact.h"

#include "core/extract/bottom_up.h"
#include "core/extract/check.h"
#include "core/extract/internal/branching.h"
#include "core/extract/internal/components.h"
#include "core/extract/internal/local_search.h"
#include "core/extract/internal/method.h"
#include "core/extract/internal/narrowing.h"
#include "core/extract/internal/parts.h"
#include "core/extract/internal/requirements.h"
#include "core/extract/internal/shared_bottom_up.h"
#include "core/extract/internal/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace mitos::extract {

namespace {

constexpr double StartSeconds = 0.5;
/// A component that produced cycles in this many rounds gets order variables.
constexpr int MostRoundsWithoutOrder = 6;
constexpr double RepairSeconds = 0.5;
constexpr double ChosenDiscount = 1e-3;
/// Classes for which constraints are made between looks at the clock.
constexpr std::uint32_t BetweenLooks = 256;
/// Larger parts go to the solver at once.
constexpr std::uint32_t MostNodesOfBranching = 2'000;

double slack(double cost) { return 1e-6 * (1.0 + std::abs(cost)); }

class ProgramSearch {
public:
    ProgramSearch(const Problem& problem, const Choice& start, const std::string& solver, const Deadline& deadline)
        : m_problem(problem),
          m_parents(problem),
          m_solver(solver),
          m_deadline(deadline),
          m_best(needed(problem, start)),
          m_bestCost(check(problem, m_best).cost),
          m_components(componentsOfClasses(problem)),
          m_inSet(problem.classCount(), 0),
          m_strikes(problem.classCount(), 0) {
        boundByRoots();
    }

    Result<Extraction> run() {
        if (!makeModel()) return answer();
        for (m_rounds = 1; !m_deadline.isReached(); ++m_rounds) {
            const Result<SolverOutcome> outcome = solve(m_model, ones(m_best), m_solver, m_deadline);
            if (!outcome) return outcome.error();
            // The best known choice is a solution of the model, so no bound can exceed its cost.
            if (outcome->bound && *outcome->bound > m_bestCost + slack(m_bestCost)) {
                return wrongAnswer(m_solver, fmt::format("no choice would cost less than {}, and one costs {}",
                                                         *outcome->bound, m_bestCost));
            }
            if (outcome->bound) m_bound = std::max(m_bound.value_or(*outcome->bound), *outcome->bound);
            if (isProven() || outcome->ones.empty()) break;
            if (!learnFrom(outcome->ones)) break;
            if (isProven() || !outcome->isOptimal) break;
        }
        return answer();
    }

private:
    /// A weak bound in case the solver finds none.
    void boundByRoots() {
        const std::vector<double> bounds = lowerBounds(m_problem, m_parents, m_deadline);
        m_bound = 0.0;
        for (const std::uint32_t root : m_problem.roots) {
            const auto begin = bounds.begin() + m_problem.classBegin[root];
            const auto end = bounds.begin() + m_problem.classBegin[root + 1];
            m_bound = std::max(*m_bound, *std::min_element(begin, end));
        }
    }
    [[nodiscard]] bool isProven() const { return m_bound && *m_bound >= m_bestCost - slack(m_bestCost); }

    Extraction answer() {
        Extraction result;
        result.proven = isProven();
        result.bound = result.proven ? m_bestCost : m_bound;
        result.choice = std::move(m_best);
        result.note = fmt::format("{} rounds of the solver, {} constraints against cycles", m_rounds, m_cuts);
        if (m_deadline.isReached() && !result.proven) result.note += "; the time limit was reached";
        return result;
    }

    std::vector<std::uint32_t> ones(const Choice& choice) const {
        std::vector<std::uint32_t> nodes;
        for (const std::uint32_t node : choice) {
            if (node != None) nodes.push_back(node);
        }
        return nodes;
    }

    /// The child classes of the nodes of a class, each with the nodes that require it.
    [[nodiscard]] std::map<std::uint32_t, std::vector<std::uint32_t>> usersOfChildren(std::uint32_t eclass) const {
        std::map<std::uint32_t, std::vector<std::uint32_t>> users;
        for (std::uint32_t node = m_problem.classBegin[eclass]; node < m_problem.classBegin[eclass + 1]; ++node) {
            for (const std::uint32_t child : m_problem.childrenOf(node)) {
                std::vector<std::uint32_t>& nodes = users[child];
                if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
            }
        }
        return users;
    }

    /// Returns false if the time is up.
    [[nodiscard]] bool makeModel() {
        m_model.cost = m_problem.cost;
        const Requirements requirements(m_problem, m_deadline);
        std::vector<bool> isRoot(m_problem.classCount(), false);
        for (const std::uint32_t root : m_problem.roots) isRoot[root] = true;
        for (std::uint32_t eclass = 0; eclass < m_problem.classCount(); ++eclass) {
            if (eclass % BetweenLooks == 0 && m_deadline.isReached()) return false;
            IntegerProgram::Constraint one;
            for (std::uint32_t node = m_problem.classBegin[eclass]; node < m_problem.classBegin[eclass + 1]; ++node) {
                one.terms.emplace_back(node, 1.0);
            }
            one.relation = isRoot[eclass] ? IntegerProgram::Relation::Equal : IntegerProgram::Relation::AtMost;
            one.bound = 1.0;
            if (one.terms.empty()) continue;  // a needed class always has nodes, and the solver fails on empty rows
            m_model.constraints.push_back(std::move(one));
            for (const auto& [child, users] : usersOfChildren(eclass)) {
                IntegerProgram::Constraint implies;
                for (const std::uint32_t node : users) implies.terms.emplace_back(node, 1.0);
                for (std::uint32_t n = m_problem.classBegin[child]; n < m_problem.classBegin[child + 1]; ++n) {
                    const auto children = m_problem.childrenOf(n);
                    const bool needsBack = std::ranges::any_of(
                        children, [&](std::uint32_t below) { return requirements.contains(below, eclass); });
                    if (!needsBack) implies.terms.emplace_back(n, -1.0);
                }
                m_model.constraints.push_back(std::move(implies));
            }
        }
        return true;
    }

    /// Keeps the improvement of a solution and forbids its cycles; returns false if it is a valid choice.
    bool learnFrom(const std::vector<std::uint32_t>& solution) {
        Choice choice(m_problem.classCount(), None);
        for (const std::uint32_t node : solution) choice[m_parents.classOf(node)] = node;
        const CheckReport report = check(m_problem, choice);
        if (report.valid) {
            offer(choice, report.cost);
            return false;
        }
        repair(choice);
        return cutCycles(choice);
    }

    void offer(const Choice& choice, double cost) {
        if (cost >= m_bestCost) return;
        m_best = needed(m_problem, choice);
        m_bestCost = cost;
    }

    /// Builds an acyclic choice close to a cyclic one.
    void repair(const Choice& cyclic) {
        std::vector<double> weight = m_problem.cost;
        for (const std::uint32_t node : cyclic) {
            if (node != None) weight[node] *= ChosenDiscount;
        }
        const Deadline soon(std::min(RepairSeconds, m_deadline.secondsLeft()), m_deadline.stop());
        for (const bool isShared : {false, true}) {
            Choice choice = isShared ? sharedBottomUp(m_problem, m_parents, weight, soon)
                                     : bottomUp(m_problem, m_parents, weight).choice;
            choice = searchLocally(m_problem, m_parents, std::move(choice), soon);
            const CheckReport report = check(m_problem, choice);
            if (report.valid) offer(choice, report.cost);
        }
    }

    /// Finds and cuts the sets of classes that only need each other; returns false if there are none.
    bool cutCycles(const Choice& choice) {
        Edges edges{{0}, {}};
        for (const std::uint32_t node : choice) {
            if (node != None) {
                for (const std::uint32_t child : m_problem.childrenOf(node)) edges.targets.push_back(child);
            }
            edges.begin.push_back(static_cast<std::uint32_t>(edges.targets.size()));
        }
        const Components components = stronglyConnected(edges);
        std::vector<std::vector<std::uint32_t>> sets(components.count);
        for (std::uint32_t i = 0; i < choice.size(); ++i) sets[components.of[i]].push_back(i);
        const std::size_t before = m_cuts;
        for (const std::vector<std::uint32_t>& set : sets) {
            if (set.size() < 2) continue;
            const std::uint32_t component = m_components.of[set.front()];
            if (++m_strikes[component] == MostRoundsWithoutOrder) orderComponent(component);
            cut(set);
            const std::vector<std::uint32_t> cycle = shortestCycle(edges, set, components);
            if (cycle.size() < set.size()) cut(cycle);
        }
        return m_cuts > before;
    }

    std::vector<std::uint32_t> shortestCycle(const Edges& edges, const std::vector<std::uint32_t>& set,
                                             const Components& components) {
        constexpr std::size_t MostStarts = 64;
        std::vector<std::uint32_t> shortest = set;
        std::vector<std::uint32_t> from(m_problem.classCount(), None);
        for (std::size_t s = 0; s < set.size() && s < MostStarts; ++s) {
            const std::uint32_t start = set[s];
            std::vector<std::uint32_t> open{start};
            bool isClosed = false;
            for (std::size_t i = 0; i < open.size() && !isClosed; ++i) {
                for (const std::uint32_t target : edges.from(open[i])) {
                    if (target == start) {
                        std::vector<std::uint32_t> cycle;
                        for (std::uint32_t at = open[i]; at != start; at = from[at]) cycle.push_back(at);
                        cycle.push_back(start);
                        if (cycle.size() < shortest.size()) shortest = std::move(cycle);
                        isClosed = true;
                        break;
                    }
                    if (components.of[target] != components.of[start] || from[target] != None) continue;
                    from[target] = open[i];
                    open.push_back(target);
                }
            }
            for (const std::uint32_t seen : open) from[seen] = None;
        }
        return shortest;
    }

    /// A needed class of the set requires a node of the set that has no child in it.
    void cut(const std::vector<std::uint32_t>& set) {
        ++m_setNumber;
        for (const std::uint32_t eclass : set) m_inSet[eclass] = m_setNumber;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> outside;  // class, node
        std::vector<std::pair<std::uint32_t, std::uint32_t>> inside;
        for (const std::uint32_t eclass : set) {
            for (std::uint32_t node = m_problem.classBegin[eclass]; node < m_problem.classBegin[eclass + 1]; ++node) {
                const auto children = m_problem.childrenOf(node);
                const bool isInside =
                    std::ranges::any_of(children, [&](std::uint32_t child) { return m_inSet[child] == m_setNumber; });
                (isInside ? inside : outside).emplace_back(eclass, node);
            }
        }
        for (const std::uint32_t eclass : set) {
            IntegerProgram::Constraint support;
            for (const auto& [owner, node] : inside) {
                if (owner == eclass) support.terms.emplace_back(node, 1.0);
            }
            for (const auto& [owner, node] : outside) {
                if (owner != eclass) support.terms.emplace_back(node, -1.0);
            }
            m_model.constraints.push_back(std::move(support));
            ++m_cuts;
        }
    }

    /// order(c) > order(d) for the chosen nodes of c over d, which excludes cycles within the component.
    void orderComponent(std::uint32_t component) {
        std::vector<std::uint32_t> members;
        for (std::uint32_t i = 0; i < m_problem.classCount(); ++i) {
            if (m_components.of[i] == component) members.push_back(i);
        }
        const auto size = static_cast<double>(members.size());
        std::vector<std::uint32_t> variable(m_problem.classCount(), None);
        for (const std::uint32_t member : members) {
            variable[member] = static_cast<std::uint32_t>(m_model.cost.size() + m_model.orders.size());
            m_model.orders.push_back(size - 1.0);
        }
        for (const std::uint32_t member : members) {
            for (const auto& [child, users] : usersOfChildren(member)) {
                if (variable[child] == None) continue;
                IntegerProgram::Constraint above;
                above.terms = {{variable[member], 1.0}, {variable[child], -1.0}};
                for (const std::uint32_t node : users) above.terms.emplace_back(node, -size);
                above.relation = IntegerProgram::Relation::AtLeast;
                above.bound = 1.0 - size;
                m_model.constraints.push_back(std::move(above));
                ++m_cuts;
            }
        }
    }

    const Problem& m_problem;
    const ParentIndex m_parents;
    const std::string& m_solver;
    const Deadline& m_deadline;
    Choice m_best;
    double m_bestCost;
    std::optional<double> m_bound;
    IntegerProgram m_model;
    Components m_components;  ///< components of all classes, over all nodes
    int m_rounds = 0;
    std::size_t m_cuts = 0;
    std::uint32_t m_setNumber = 0;
    std::vector<std::uint32_t> m_inSet;  ///< by class: number of the last set that contains it
    std::vector<int> m_strikes;          ///< by component: rounds in which it produced cycles
};

Extraction decided(Choice choice, double cost, std::string note) {
    Extraction result;
    result.choice = std::move(choice);
    result.bound = cost;
    result.proven = true;
    result.note = std::move(note);
    return result;
}

/// Solves what is left of a problem part by part, each by branch and bound, or by the solver where that does not end.
class Parts {
public:
    Parts(const std::string& solver, std::uint64_t work, const Deadline& deadline)
        : m_solver(solver),
          m_work(work),
          m_deadline(deadline) {}

    /// `start` is a complete choice.
    Result<Extraction> solve(const Problem& problem, const Choice& start) {
        Extraction whole;
        whole.choice.assign(problem.classCount(), None);
        whole.bound = 0.0;
        for (const Part& part : independentParts(problem)) {
            MITOS_TRY(const Extraction found, solvePart(part.problem, restrictTo(part, problem, start)));
            insertPart(part, found.choice, whole.choice);
            whole.bound = found.bound && whole.bound ? std::optional(*found.bound + *whole.bound) : std::nullopt;
        }
        whole.note = fmt::format("branch and bound tried {} nodes", m_branches);
        if (!m_solverNote.empty()) whole.note += "; " + m_solverNote;
        return whole;
    }

private:
    Result<Extraction> solvePart(const Problem& part, Choice start) {
        if (part.nodeCount() <= MostNodesOfBranching && m_work > 0) {
            BranchingResult found = branchAndBound(part, start, m_work, m_deadline);
            m_branches += found.branches;
            if (found.isProven) return decided(std::move(found.choice), found.cost, {});
            start = std::move(found.choice);
        }
        const ParentIndex parents(part);
        const Deadline soon(std::min(StartSeconds, m_deadline.secondsLeft()), m_deadline.stop());
        const Choice improved = searchLocally(part, parents, std::move(start), soon);
        MITOS_TRY(Extraction exact, ProgramSearch(part, improved, m_solver, m_deadline).run());
        if (!m_solverNote.empty()) m_solverNote += ", ";
        m_solverNote += exact.note;
        return exact;
    }

    const std::string& m_solver;
    std::uint64_t m_work;
    const Deadline& m_deadline;
    std::uint64_t m_branches = 0;
    std::string m_solverNote;
};

}  // namespace

Result<Extraction> searchByProgram(const Problem& problem, const Choice& start, const std::string& solver,
                                   const Deadline& deadline) {
    return ProgramSearch(problem, start, solver, deadline).run();
}

Result<Extraction> solveExactly(const Problem& problem, const Choice& start, const Options& options,
                                const Deadline& deadline) {
    if (problem.classCount() == 0) return decided({}, 0.0, "decided by reductions alone");
    if (deadline.isReached()) {
        Extraction cut;
        cut.choice = needed(problem, start);
        cut.note = "the time limit was reached before exact search began";
        return cut;
    }
    Choice best = needed(problem, start);
    double bestCost = check(problem, best).cost;
    const Narrowing narrowed(problem, bestCost - slack(bestCost), true, deadline);
    if (narrowed.isEmpty()) return decided(std::move(best), bestCost, "decided by reductions and bounds");
    const Problem& rest = narrowed.problem();
    Extraction exact = decided({}, 0.0, "decided by reductions and bounds");
    if (rest.classCount() > 0) {
        const Choice greedy = greedyChoice(rest, ParentIndex(rest), deadline);
        MITOS_TRY(exact, Parts(options.solver, options.branchWork, deadline).solve(rest, greedy));
    }
    Choice found = narrowed.expand(std::move(exact.choice));
    const CheckReport report = check(problem, found);
    if (report.valid && report.cost < bestCost) {
        best = needed(problem, found);
        bestCost = report.cost;
    }
    // Every choice with a removed node costs at least as much as the best known one.
    if (exact.bound) exact.bound = std::min(*exact.bound + narrowed.paid(), bestCost);
    exact.proven = exact.bound && *exact.bound >= bestCost - slack(bestCost);
    if (exact.proven) exact.bound = bestCost;
    exact.choice = std::move(best);
    return exact;
}

}  // namespace mitos::extract
