// SPDX-License-Identifier: GPL-3.0-or-later
// Which classes every term of a class contains (dominators on the and-or graph that an e-graph represents), and lower bounds.
#pragma once

#include "core/extract/internal/deadline.h"
#include "core/extract/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::extract {

class Requirements {
public:
    /// Memory grows with the square of the number of classes: 8 MB for the maximum.
    static constexpr std::uint32_t MostClasses = 8'000;

    /// A class without a finite term requires everything. For larger problems, and those that take too long, the answer
    /// is trivial: a class requires only itself.
    Requirements(const Problem& problem, const Deadline& deadline);

    /// Whether each class requires only itself, as far as is known.
    [[nodiscard]] bool isTrivial() const { return m_rows.empty(); }
    [[nodiscard]] bool contains(std::uint32_t eclass, std::uint32_t other) const {
        return m_rows.empty() ? eclass == other : (row(eclass)[other / 64] >> (other % 64) & 1U) != 0;
    }
    /// Adds the classes that `eclass` requires to a bit set.
    void addTo(std::vector<std::uint64_t>& set, std::uint32_t eclass) const;
    /// An empty bit set for addTo.
    [[nodiscard]] std::vector<std::uint64_t> emptySet() const { return std::vector<std::uint64_t>(m_words, 0); }

private:
    [[nodiscard]] std::span<const std::uint64_t> row(std::uint32_t eclass) const {
        return {m_rows.data() + static_cast<std::size_t>(eclass) * m_words, m_words};
    }
    void solve(const Problem& problem, const Deadline& deadline);

    std::size_t m_words;
    std::vector<std::uint64_t> m_rows;
};

[[nodiscard]] inline bool contains(const std::vector<std::uint64_t>& set, std::uint32_t eclass) {
    return (set[eclass / 64] >> (eclass % 64) & 1U) != 0;
}

/// By node: a lower bound on the cost of every choice that needs this node. It adds the cheapest path from a root down to
/// its class and, below it, the larger of two bounds: the sum of the least costs of all classes that every term of it
/// requires, and the bound of its most expensive child. Infinite for nodes that the roots cannot reach. Costs must not be
/// negative.
[[nodiscard]] std::vector<double> lowerBounds(const Problem& problem, const ParentIndex& parents,
                                              const Deadline& deadline);

}  // namespace mitos::extract
