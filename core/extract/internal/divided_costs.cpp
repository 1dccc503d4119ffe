// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/divided_costs.h"

#include "core/extract/internal/components.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <utility>

namespace mitos::extract {

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
/// How often costs are passed up along cycles; each pass gives a valid bound.
constexpr int Passes = 2;

class DividedCosts {
public:
    DividedCosts(const Problem& problem, const ParentIndex& parents)
        : m_problem(problem),
          m_parents(parents),
          m_isRoot(problem.classCount(), false),
          m_cost(problem.classCount(), 0.0),
          m_nodeCost(problem.nodeCount(), 0.0),
          m_order(problem.classCount()) {
        for (const std::uint32_t root : problem.roots) m_isRoot[root] = true;
        const Components components = componentsOfClasses(problem);
        std::iota(m_order.begin(), m_order.end(), 0U);
        std::ranges::stable_sort(m_order, {}, [&](std::uint32_t eclass) { return components.of[eclass]; });
        makeLinks();
    }

    std::vector<double> run(std::uint32_t rounds, const Deadline& deadline) {
        price();
        double best = total();
        std::vector<double> shares = currentShares();
        for (std::uint32_t round = 0; round < rounds && !deadline.isReached() && move(); ++round) {
            price();
            if (total() <= best) continue;
            best = total();
            shares = currentShares();
        }
        for (std::size_t i = 0; i < m_links.size(); ++i) m_links[i].share = shares[i];
        price();
        return bounds();
    }

private:
    /// A class with nodes over another class, the child.
    struct Link {
        std::uint32_t child = 0;
        double share = 0.0;
    };

    void makeLinks() {
        std::vector<std::uint32_t> userCount(m_problem.classCount(), 0);
        std::vector<std::uint32_t> linkTo(m_problem.classCount(), None);  // of the current class
        std::vector<std::uint32_t> lastNode(m_problem.classCount(), None);
        m_linkBegin.push_back(0);
        for (std::uint32_t eclass = 0; eclass < m_problem.classCount(); ++eclass) {
            const std::size_t before = m_links.size();
            for (std::uint32_t n = m_problem.classBegin[eclass]; n < m_problem.classBegin[eclass + 1]; ++n) {
                for (const std::uint32_t child : m_problem.childrenOf(n)) {
                    if (std::exchange(lastNode[child], n) == n) continue;
                    if (linkTo[child] == None) {
                        linkTo[child] = static_cast<std::uint32_t>(m_links.size());
                        m_links.push_back({child, 0.0});
                        ++userCount[child];
                    }
                    m_linkOf.push_back(linkTo[child]);
                }
                m_linkBegin.push_back(static_cast<std::uint32_t>(m_linkOf.size()));
            }
            for (std::size_t i = before; i < m_links.size(); ++i) linkTo[m_links[i].child] = None;
        }
        for (Link& link : m_links) link.share = m_isRoot[link.child] ? 0.0 : 1.0 / userCount[link.child];
        m_byChild.resize(m_links.size());
        std::iota(m_byChild.begin(), m_byChild.end(), 0U);
        std::ranges::stable_sort(m_byChild, {}, [&](std::uint32_t link) { return m_links[link].child; });
    }

    void price() {
        std::ranges::fill(m_cost, 0.0);
        for (int pass = 0; pass < Passes; ++pass) {
            for (const std::uint32_t eclass : m_order) {
                double least = Infinity;
                for (std::uint32_t n = m_problem.classBegin[eclass]; n < m_problem.classBegin[eclass + 1]; ++n)
                    least = std::min(least, priceOf(n));
                m_cost[eclass] = least;
            }
        }
        for (std::uint32_t node = 0; node < m_problem.nodeCount(); ++node) m_nodeCost[node] = priceOf(node);
    }
    [[nodiscard]] std::span<const std::uint32_t> linksOf(std::uint32_t node) const {
        return {m_linkOf.data() + m_linkBegin[node], m_linkBegin[node + 1] - m_linkBegin[node]};
    }
    [[nodiscard]] double priceOf(std::uint32_t node) const {
        double cost = m_problem.cost[node];
        for (const std::uint32_t number : linksOf(node)) {
            const Link& link = m_links[number];
            if (link.share > 0.0) cost += link.share * m_cost[link.child];
        }
        return cost;
    }
    [[nodiscard]] double surplus(std::uint32_t node) const {
        return std::max(0.0, m_nodeCost[node] - m_cost[m_parents.classOf(node)]);
    }
    [[nodiscard]] double total() const {
        double sum = 0.0;
        for (std::uint32_t eclass = 0; eclass < m_problem.classCount(); ++eclass) {
            if (m_isRoot[eclass]) sum += m_cost[eclass];
        }
        return sum;
    }
    [[nodiscard]] std::vector<double> currentShares() const {
        std::vector<double> shares;
        shares.reserve(m_links.size());
        for (const Link& link : m_links) shares.push_back(link.share);
        return shares;
    }

    /// Moves shares to the classes whose cheapest nodes all have the shared child. Returns false if nothing is to be moved.
    bool move() {
        // By link: what the nodes over the child cost more than the cheapest node, divided by their links, which may all become cheaper.
        std::vector<double> with(m_links.size(), Infinity);
        for (std::uint32_t node = 0; node < m_problem.nodeCount(); ++node) {
            const std::span<const std::uint32_t> links = linksOf(node);
            for (const std::uint32_t link : links)
                with[link] = std::min(with[link], surplus(node) / static_cast<double>(links.size()));
        }
        bool isMoved = false;
        for (std::size_t begin = 0; begin < m_byChild.size();) {
            const std::uint32_t child = m_links[m_byChild[begin]].child;
            std::size_t end = begin;
            std::size_t users = 0;
            while (end < m_byChild.size() && m_links[m_byChild[end]].child == child) {
                if (with[m_byChild[end]] <= 0.0) ++users;
                ++end;
            }
            if (users > 0 && users < end - begin && !m_isRoot[child] && m_cost[child] > 0.0) {
                double moved = 0.0;
                for (std::size_t i = begin; i < end; ++i) {
                    double& share = m_links[m_byChild[i]].share;
                    const double part = std::min(share, with[m_byChild[i]] / m_cost[child]);
                    if (with[m_byChild[i]] <= 0.0) continue;
                    share -= part;
                    moved += part;
                }
                for (std::size_t i = begin; i < end; ++i) {
                    if (with[m_byChild[i]] <= 0.0) m_links[m_byChild[i]].share += moved / static_cast<double>(users);
                }
                isMoved = isMoved || moved > 0.0;
            }
            begin = end;
        }
        return isMoved;
    }

    /// The total, the cheapest surpluses on a path from a root to the node, and its own.
    [[nodiscard]] std::vector<double> bounds() const {
        using Entry = std::pair<double, std::uint32_t>;
        std::vector<double> above(m_problem.classCount(), Infinity);
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
        const auto reach = [&](std::uint32_t eclass, double cost) {
            if (cost >= above[eclass]) return;
            above[eclass] = cost;
            open.emplace(cost, eclass);
        };
        for (const std::uint32_t root : m_problem.roots) reach(root, total());
        while (!open.empty()) {
            const auto [cost, eclass] = open.top();
            open.pop();
            if (cost > above[eclass]) continue;
            for (std::uint32_t n = m_problem.classBegin[eclass]; n < m_problem.classBegin[eclass + 1]; ++n) {
                for (const std::uint32_t child : m_problem.childrenOf(n)) reach(child, cost + surplus(n));
            }
        }
        std::vector<double> result(m_problem.nodeCount());
        for (std::uint32_t node = 0; node < m_problem.nodeCount(); ++node)
            result[node] = above[m_parents.classOf(node)] + surplus(node);
        return result;
    }

    const Problem& m_problem;
    const ParentIndex& m_parents;
    std::vector<bool> m_isRoot;
    std::vector<Link> m_links;
    std::vector<std::uint32_t>
        m_linkBegin;  ///< links of node n: m_linkOf[m_linkBegin[n]] … m_linkOf[m_linkBegin[n + 1] - 1]
    std::vector<std::uint32_t> m_linkOf;
    std::vector<std::uint32_t> m_byChild;  ///< links in the order of their children
    std::vector<double> m_cost;            ///< by class
    std::vector<double> m_nodeCost;
    std::vector<std::uint32_t> m_order;  ///< classes, children first as far as there are no cycles
};

}  // namespace

std::vector<double> dividedBounds(const Problem& problem, const ParentIndex& parents, std::uint32_t rounds,
                                  const Deadline& deadline) {
    return DividedCosts(problem, parents).run(rounds, deadline);
}

}  // namespace mitos::extract
