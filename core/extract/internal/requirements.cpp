// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/requirements.h"

#include "core/extract/bottom_up.h"

#include <algorithm>
#include <numeric>

namespace mitos::extract {

Requirements::Requirements(const Problem& problem, const Deadline& deadline)
    : m_words((problem.classCount() + 63) / 64) {
    if (problem.classCount() <= MostClasses) solve(problem, deadline);
}

/// The greatest sets with R(c) = {c} ∪ ⋂ ⋃ R(child), where ⋂ ranges over the nodes of c and ⋃ over their children. Each
/// finite term contains them, by induction on its height. The iteration starts with "everything", and sets only shrink.
void Requirements::solve(const Problem& problem, const Deadline& deadline) {
    const std::uint32_t count = problem.classCount();
    std::vector<std::uint64_t> everything(m_words, ~std::uint64_t{0});
    if (count % 64 != 0) everything.back() >>= 64 - count % 64;
    for (std::uint32_t eclass = 0; eclass < count; ++eclass) {
        m_rows.insert(m_rows.end(), everything.begin(), everything.end());
    }
    // Processing children before parents, as far as cycles allow, takes few sweeps.
    const ParentIndex parents(problem);
    const BottomUp heights = bottomUp(problem, parents, std::vector<double>(problem.nodeCount(), 1.0));
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return heights.cost[a] < heights.cost[b]; });
    std::vector<std::uint64_t> all(m_words);
    std::vector<std::uint64_t> one(m_words);
    std::vector<bool> isPending(count, true);
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::uint32_t eclass : order) {
            if (!isPending[eclass]) continue;
            isPending[eclass] = false;
            if (deadline.isReached()) {
                m_rows.clear();
                return;
            }
            all = everything;
            for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
                std::fill(one.begin(), one.end(), 0);
                for (const std::uint32_t child : problem.childrenOf(node)) addTo(one, child);
                for (std::size_t i = 0; i < m_words; ++i) all[i] &= one[i];
            }
            all[eclass / 64] |= std::uint64_t{1} << (eclass % 64);
            const auto old = m_rows.begin() + static_cast<std::ptrdiff_t>(eclass * m_words);
            if (std::equal(all.begin(), all.end(), old)) continue;
            std::copy(all.begin(), all.end(), old);
            changed = true;
            for (const std::uint32_t parent : parents.parentsOf(eclass)) isPending[parents.classOf(parent)] = true;
        }
    }
}

void Requirements::addTo(std::vector<std::uint64_t>& set, std::uint32_t eclass) const {
    if (m_rows.empty()) {
        set[eclass / 64] |= std::uint64_t{1} << (eclass % 64);
        return;
    }
    const auto bits = row(eclass);
    for (std::size_t i = 0; i < m_words; ++i) set[i] |= bits[i];
}

}  // namespace mitos::extract
