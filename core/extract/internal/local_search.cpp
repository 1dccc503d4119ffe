// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/local_search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace mitos::extract {

namespace {

/// Terms are found by their price as trees; sharing inside may make one cheaper by up to this factor.
constexpr double SharingSlack = 2.0;
constexpr std::size_t MostClassesAround = 2'000;
constexpr std::size_t NearReach = 200;
constexpr std::size_t Everywhere = std::numeric_limits<std::size_t>::max();

double rounding(double cost) { return 1e-9 * (1.0 + std::abs(cost)); }

class LocalSearch {
public:
    /// The choice must be complete and acyclic. Problem and parents must outlive this object.
    LocalSearch(const Problem& problem, const ParentIndex& parents, Choice choice)
        : m_problem(problem),
          m_parents(parents),
          m_choice(std::move(choice)),
          m_uses(problem.classCount(), 0),
          m_above(problem.classCount(), 0),
          m_seen(problem.classCount(), 0),
          m_settled(problem.classCount(), 0),
          m_inside(problem.nodeCount(), 0),
          m_missing(problem.nodeCount(), 0),
          m_total(problem.nodeCount(), 0.0),
          m_term(problem.classCount(), None) {
        for (const std::uint32_t root : problem.roots) {
            if (m_uses[root]++ == 0) use(m_choice[root]);
        }
    }

    /// First improves single classes until none can be improved; then forces each other node of each class, and keeps
    /// it if the resulting changes around it pay for it. Ends when neither improves the choice, or at the deadline.
    void run(const Deadline& deadline) {
        descend(deadline);
        while (!deadline.isReached() && forceNodes(deadline)) {
        }
    }

    /// Improves single classes until none can be improved.
    void descend(const Deadline& deadline) {
        // Most improvements are local; searching everywhere is slow in large graphs.
        for (const std::size_t reach : {NearReach, Everywhere}) {
            m_reach = reach;
            improve(neededClasses(), deadline);
        }
    }

    [[nodiscard]] Choice& choice() { return m_choice; }

private:
    /// The entries overwritten by a change: each class with its previous node.
    using Trail = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

    [[nodiscard]] bool isNeeded(std::uint32_t eclass) const { return m_uses[eclass] > 0; }
    double weight(std::uint32_t node) const { return std::max(m_problem.cost[node], 0.0); }

    /// Counts the node as that of a needed class.
    void use(std::uint32_t node) { count(node, 1); }

    /// Reverses `use`.
    void release(std::uint32_t node) { count(node, -1); }

    void count(std::uint32_t node, int by) {
        m_stack.assign(1, node);
        while (!m_stack.empty()) {
            const std::uint32_t counted = m_stack.back();
            m_stack.pop_back();
            m_cost += by * m_problem.cost[counted];
            for (const std::uint32_t child : m_problem.childrenOf(counted)) {
                const std::uint32_t before = m_uses[child];
                m_uses[child] += static_cast<std::uint32_t>(by);
                if (before == 0 || m_uses[child] == 0) m_stack.push_back(m_choice[child]);
            }
        }
    }

    std::vector<std::uint32_t> neededClasses() const {
        std::vector<std::uint32_t> classes;
        for (std::uint32_t eclass = 0; eclass < m_problem.classCount(); ++eclass) {
            if (isNeeded(eclass) && m_problem.classBegin[eclass + 1] - m_problem.classBegin[eclass] > 1) {
                classes.push_back(eclass);
            }
        }
        return classes;
    }

    void improve(const std::vector<std::uint32_t>& open, const Deadline& deadline) {
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::uint32_t eclass : open) {
                if (deadline.isReached()) return;
                if (isNeeded(eclass) && eclass != m_locked && improveClass(eclass)) changed = true;
            }
        }
    }

    void markAbove(std::uint32_t eclass) {
        m_above[eclass] = m_search;
        m_stack.assign(1, eclass);
        while (!m_stack.empty()) {
            const std::uint32_t below = m_stack.back();
            m_stack.pop_back();
            for (const std::uint32_t parent : m_parents.parentsOf(below)) {
                const std::uint32_t above = m_parents.classOf(parent);
                if (m_above[above] == m_search || !isNeeded(above) || m_choice[above] != parent) continue;
                m_above[above] = m_search;
                m_stack.push_back(above);
            }
        }
    }

    /// Enters all nodes that a new term could contain, with the number of their children that are neither needed nor found.
    void exploreBelow(std::uint32_t eclass, std::span<const std::uint32_t> nodes) {
        m_leaves.clear();
        m_stack.clear();
        const auto enter = [&](std::uint32_t node) {
            const auto children = m_problem.childrenOf(node);
            const auto isAbove = [&](std::uint32_t child) { return m_above[child] == m_search; };
            if (std::ranges::any_of(children, isAbove)) return;
            m_inside[node] = m_search;
            m_total[node] = weight(node);
            m_missing[node] = 0;
            for (const std::uint32_t child : children) {
                if (isNeeded(child)) continue;
                ++m_missing[node];
                if (m_seen[child] == m_search || m_stack.size() >= m_reach) continue;
                m_seen[child] = m_search;
                m_stack.push_back(child);
            }
            if (m_missing[node] == 0) m_leaves.push_back(node);
        };
        m_seen[eclass] = m_search;
        for (const std::uint32_t node : nodes) enter(node);
        for (std::size_t i = 0; i < m_stack.size(); ++i) {  // nearest first
            const std::uint32_t below = m_stack[i];
            for (std::uint32_t n = m_problem.classBegin[below]; n < m_problem.classBegin[below + 1]; ++n) enter(n);
        }
    }

    /// Finds the cheapest term for `eclass`, by one of its given nodes, over the classes needed anyway; false if it
    /// costs `limit` or more.
    bool findTerm(std::uint32_t eclass, std::span<const std::uint32_t> nodes, double limit) {
        ++m_search;
        markAbove(eclass);
        exploreBelow(eclass, nodes);
        using Ready = std::pair<double, std::uint32_t>;
        std::vector<Ready> leaves;
        for (const std::uint32_t node : m_leaves) leaves.emplace_back(m_total[node], node);
        std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready(std::greater<>(), std::move(leaves));
        while (!ready.empty()) {
            const auto [price, node] = ready.top();
            ready.pop();
            if (price >= limit) return false;
            const std::uint32_t settled = m_parents.classOf(node);
            if (m_settled[settled] == m_search) continue;
            m_settled[settled] = m_search;
            m_term[settled] = node;
            if (settled == eclass) return true;
            for (const std::uint32_t parent : m_parents.parentsOf(settled)) {
                if (m_inside[parent] != m_search) continue;
                m_total[parent] += price;
                if (--m_missing[parent] == 0) ready.emplace(m_total[parent], parent);
            }
        }
        return false;
    }

    void takeFoundTerm(std::uint32_t eclass, Trail& trail) {
        // Classes that are already needed keep their nodes; those that become needed take the found nodes.
        std::vector<std::uint32_t> open{eclass};
        while (!open.empty()) {
            const std::uint32_t taken = open.back();
            open.pop_back();
            trail.emplace_back(taken, m_choice[taken]);
            m_choice[taken] = m_term[taken];
            m_cost += m_problem.cost[m_term[taken]];
            for (const std::uint32_t child : m_problem.childrenOf(m_term[taken])) {
                if (m_uses[child]++ == 0) open.push_back(child);
            }
        }
    }

    bool improveClass(std::uint32_t eclass) {
        const double before = m_cost;
        const std::uint32_t old = m_choice[eclass];
        release(old);
        std::vector<std::uint32_t> nodes(m_problem.classBegin[eclass + 1] - m_problem.classBegin[eclass]);
        std::iota(nodes.begin(), nodes.end(), m_problem.classBegin[eclass]);
        const double saved = before - m_cost;
        if (saved <= rounding(before) || !findTerm(eclass, nodes, saved * SharingSlack)) {
            use(old);
            m_cost = before;
            return false;
        }
        Trail trail;
        takeFoundTerm(eclass, trail);
        if (m_cost < before - rounding(before)) return true;
        release(m_choice[eclass]);
        for (auto change = trail.rbegin(); change != trail.rend(); ++change) m_choice[change->first] = change->second;
        use(old);
        m_cost = before;
        return false;
    }

    bool forceNodes(const Deadline& deadline) {
        bool improved = false;
        for (const std::uint32_t eclass : neededClasses()) {
            for (std::uint32_t n = m_problem.classBegin[eclass]; n < m_problem.classBegin[eclass + 1]; ++n) {
                if (deadline.isReached()) return improved;
                if (!isNeeded(eclass)) break;
                if (n != m_choice[eclass] && tryForcing(eclass, n, deadline)) improved = true;
            }
        }
        return improved;
    }

    bool tryForcing(std::uint32_t eclass, std::uint32_t node, const Deadline& deadline) {
        const double before = m_cost;
        const std::uint32_t old = m_choice[eclass];
        release(old);
        const std::uint32_t only[] = {node};
        if (!findTerm(eclass, only, std::numeric_limits<double>::infinity())) {
            use(old);
            m_cost = before;
            return false;
        }
        use(old);
        m_cost = before;
        Choice choice = m_choice;
        std::vector<std::uint32_t> uses = m_uses;
        release(old);
        Trail trail;
        takeFoundTerm(eclass, trail);
        std::vector<std::uint32_t> changed;
        for (const auto& [taken, was] : trail) changed.push_back(taken);
        m_locked = eclass;
        improve(classesAround(changed), deadline);
        m_locked = None;
        if (m_cost < before - rounding(before)) {
            improve(neededClasses(), deadline);
            return true;
        }
        m_choice = std::move(choice);
        m_uses = std::move(uses);
        m_cost = before;
        return false;
    }

    /// Needed classes that could be built from these in another way, possibly through classes that are not needed now.
    std::vector<std::uint32_t> classesAround(const std::vector<std::uint32_t>& changed) const {
        std::vector<std::uint32_t> open = changed;
        std::vector<std::uint32_t> around;
        std::vector<bool> isSeen(m_problem.classCount(), false);
        for (const std::uint32_t eclass : changed) isSeen[eclass] = true;
        for (std::size_t i = 0; i < open.size() && i < MostClassesAround; ++i) {
            for (const std::uint32_t parent : m_parents.parentsOf(open[i])) {
                const std::uint32_t above = m_parents.classOf(parent);
                if (isSeen[above] || m_choice[above] == parent) continue;
                isSeen[above] = true;
                (isNeeded(above) ? around : open).push_back(above);
            }
        }
        return around;
    }

    const Problem& m_problem;
    const ParentIndex& m_parents;
    Choice m_choice;
    std::vector<std::uint32_t> m_uses;  ///< by class: number of chosen nodes of needed classes, and roots, that need it
    double m_cost = 0.0;
    std::size_t m_reach = 0;        ///< number of classes that the search for a term visits
    std::uint32_t m_locked = None;  ///< a class that keeps its forced node

    // Marks of the search for one term; an entry is set if it holds the number of that search.
    std::uint32_t m_search = 0;
    std::vector<std::uint32_t> m_above;    ///< by class: cannot be used below the searched class
    std::vector<std::uint32_t> m_seen;     ///< by class
    std::vector<std::uint32_t> m_settled;  ///< by class
    std::vector<std::uint32_t> m_inside;   ///< by node
    std::vector<std::uint32_t> m_missing;  ///< by node: number of children that are not settled
    std::vector<double> m_total;           ///< by node
    std::vector<std::uint32_t> m_term;     ///< by class: the node found
    std::vector<std::uint32_t> m_leaves;   ///< nodes that need no further classes
    std::vector<std::uint32_t> m_stack;
};

}  // namespace

Choice searchLocally(const Problem& problem, const ParentIndex& parents, Choice choice, const Deadline& deadline) {
    LocalSearch search(problem, parents, std::move(choice));
    search.run(deadline);
    return std::move(search.choice());
}

Choice descend(const Problem& problem, const ParentIndex& parents, Choice choice, const Deadline& deadline) {
    LocalSearch search(problem, parents, std::move(choice));
    search.descend(deadline);
    return std::move(search.choice());
}

}  // namespace mitos::extract
