// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/shared_bottom_up.h"

#include "core/extract/internal/class_sets.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace mitos::extract {

namespace {

class SharedBottomUp {
public:
    SharedBottomUp(const Problem& problem, const ParentIndex& parents, std::span<const double> weight)
        : m_problem(problem),
          m_parents(parents),
          m_weight(weight),
          m_choice(problem.classCount(), None),
          m_rank(problem.classCount(), None) {}

    Choice run(const Deadline& deadline) {
        std::vector<std::uint32_t> missing(m_problem.nodeCount());
        for (std::uint32_t node = 0; node < m_problem.nodeCount(); ++node) {
            missing[node] = static_cast<std::uint32_t>(m_problem.childrenOf(node).size());
            if (missing[node] == 0) m_ready.emplace(m_weight[node], node, true);
        }
        bool isLate = false;
        for (std::size_t looked = 0; !m_ready.empty(); ++looked) {
            const auto [price, node, isExact] = m_ready.top();
            m_ready.pop();
            const std::uint32_t eclass = m_parents.classOf(node);
            if (m_choice[eclass] != None) continue;
            if (looked % 64 == 0) isLate = isLate || deadline.isReached();
            if (!isExact && !isLate) {
                const std::size_t before = m_sets.mark();
                m_ready.emplace(termOf(node).second, node, true);
                m_sets.release(before);
                continue;
            }
            settle(eclass, node, isLate);
            for (const std::uint32_t parent : m_parents.parentsOf(eclass)) {
                if (--missing[parent] == 0) m_ready.emplace(lowerBound(parent), parent, hasOneChild(parent));
            }
        }
        return std::move(m_choice);
    }

private:
    void settle(std::uint32_t eclass, std::uint32_t node, bool isLate) {
        m_choice[eclass] = node;
        m_rank[eclass] = static_cast<std::uint32_t>(m_price.size());
        m_weightOfRank.push_back(m_weight[node]);
        if (isLate) {
            m_price.push_back(lowerBound(node));
            m_termOf.emplace_back();
            return;
        }
        auto [set, price] = termOf(node);
        m_sets.insert(set, m_rank[eclass]);
        m_price.push_back(price);
        m_termOf.push_back(std::move(set));
    }

    /// The set of classes of the term of a node whose children are settled, and its price.
    std::pair<ClassSets::Set, double> termOf(std::uint32_t node) {
        const auto children = m_problem.childrenOf(node);
        if (children.empty()) return {{}, m_weight[node]};
        const std::uint32_t first = mostExpensive(children);
        ClassSets::Set set = m_termOf[m_rank[first]];
        double price = m_weight[node] + m_price[m_rank[first]];
        for (const std::uint32_t child : children) {
            if (child != first) price += m_sets.unite(set, m_termOf[m_rank[child]], m_weightOfRank);
        }
        return {std::move(set), price};
    }
    [[nodiscard]] double lowerBound(std::uint32_t node) const {
        const auto children = m_problem.childrenOf(node);
        return m_weight[node] + (children.empty() ? 0.0 : m_price[m_rank[mostExpensive(children)]]);
    }
    [[nodiscard]] bool hasOneChild(std::uint32_t node) const {
        const auto children = m_problem.childrenOf(node);
        return std::all_of(children.begin(), children.end(), [&](std::uint32_t child) { return child == children[0]; });
    }
    [[nodiscard]] std::uint32_t mostExpensive(std::span<const std::uint32_t> children) const {
        return *std::max_element(children.begin(), children.end(), [&](std::uint32_t a, std::uint32_t b) {
            return m_price[m_rank[a]] < m_price[m_rank[b]];
        });
    }

    const Problem& m_problem;
    const ParentIndex& m_parents;
    std::span<const double> m_weight;
    Choice m_choice;
    /// Price, node, and whether the price is exact rather than a lower bound.
    using Ready = std::tuple<double, std::uint32_t, bool>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> m_ready;
    std::vector<std::uint32_t> m_rank;  ///< by class: its place in the order of settling; sets contain ranks
    std::vector<double> m_price;        ///< by rank
    std::vector<double> m_weightOfRank;
    std::vector<ClassSets::Set> m_termOf;
    ClassSets m_sets;
};

}  // namespace

Choice sharedBottomUp(const Problem& problem, const ParentIndex& parents, std::span<const double> weight,
                      const Deadline& deadline) {
    return SharedBottomUp(problem, parents, weight).run(deadline);
}

}  // namespace mitos::extract
