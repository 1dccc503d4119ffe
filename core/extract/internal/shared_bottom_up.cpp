// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/shared_bottom_up.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <queue>
#include <tuple>

namespace mitos::extract {

namespace {

/// Many large sets of small numbers that share most of their members. Sets are rows of blocks of 256 numbers; equal blocks of a set and of the sets it was built from are shared. Adding
/// one number to a copy of a set costs a row of references (a byte for 64 numbers), and a union only reads blocks that
/// differ.
class ClassSets {
public:
    using Set = std::vector<std::uint32_t>;  ///< block numbers; 0: empty

    ClassSets() : m_blocks(1) {}

    void insert(Set& set, std::uint32_t number) {
        const std::uint32_t place = number / (64 * Words);
        if (set.size() <= place) set.resize(place + 1, 0);
        Block block = m_blocks[set[place]];
        block[number / 64 % Words] |= std::uint64_t{1} << (number % 64);
        set[place] = static_cast<std::uint32_t>(m_blocks.size());
        m_blocks.push_back(block);
    }
    /// into ∪= from; returns the sum of weight[number] over the numbers that are new in `into`.
    double unite(Set& into, const Set& from, std::span<const double> weight) {
        double added = 0.0;
        if (into.size() < from.size()) into.resize(from.size(), 0);
        for (std::uint32_t place = 0; place < from.size(); ++place) {
            if (from[place] == into[place] || from[place] == 0) continue;
            const Block mine = m_blocks[into[place]];
            const Block other = m_blocks[from[place]];
            Block both = mine;
            bool isSubset = true;    // other ⊆ mine
            bool isSuperset = true;  // mine ⊆ other
            for (std::uint32_t word = 0; word < Words; ++word) {
                std::uint64_t fresh = other[word] & ~mine[word];
                isSubset = isSubset && fresh == 0;
                isSuperset = isSuperset && (mine[word] & ~other[word]) == 0;
                both[word] |= fresh;
                for (; fresh != 0; fresh &= fresh - 1) {
                    added += weight[(place * Words + word) * 64 + static_cast<std::uint32_t>(std::countr_zero(fresh))];
                }
            }
            if (isSubset) continue;
            if (isSuperset) {
                into[place] = from[place];
                continue;
            }
            into[place] = static_cast<std::uint32_t>(m_blocks.size());
            m_blocks.push_back(both);
        }
        return added;
    }

    /// Sets made after a mark can be released.
    [[nodiscard]] std::size_t mark() const { return m_blocks.size(); }
    void release(std::size_t mark) { m_blocks.resize(mark); }

private:
    static constexpr std::uint32_t Words = 4;
    using Block = std::array<std::uint64_t, Words>;
    std::vector<Block> m_blocks;
};

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
        const std::uint32_t first = mostExpensiveOf(children);
        ClassSets::Set set = m_termOf[m_rank[first]];
        double price = m_weight[node] + m_price[m_rank[first]];
        for (const std::uint32_t child : children) {
            if (child != first) price += m_sets.unite(set, m_termOf[m_rank[child]], m_weightOfRank);
        }
        return {std::move(set), price};
    }
    [[nodiscard]] double lowerBound(std::uint32_t node) const {
        const auto children = m_problem.childrenOf(node);
        return m_weight[node] + (children.empty() ? 0.0 : m_price[m_rank[mostExpensiveOf(children)]]);
    }
    [[nodiscard]] bool hasOneChild(std::uint32_t node) const {
        const auto children = m_problem.childrenOf(node);
        return std::ranges::all_of(children, [&](std::uint32_t child) { return child == children[0]; });
    }
    [[nodiscard]] std::uint32_t mostExpensiveOf(std::span<const std::uint32_t> children) const {
        return *std::ranges::max_element(
            children, [&](std::uint32_t a, std::uint32_t b) { return m_price[m_rank[a]] < m_price[m_rank[b]]; });
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
