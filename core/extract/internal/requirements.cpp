// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/internal/requirements.h"

#include "core/extract/bottom_up.h"
#include "core/extract/internal/components.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace mitos::extract {

Requirements::Requirements(const Problem& problem, const Deadline& deadline)
    : m_words((problem.classCount() + 63) / 64) {
    if (problem.classCount() <= MostClasses) solve(problem, deadline);
}

namespace {

/// The classes, children before parents as far as cycles allow.
std::vector<std::uint32_t> fromBelow(const Problem& problem, const ParentIndex& parents) {
    std::vector<std::uint32_t> order(problem.classCount());
    const Components components = componentsOfClasses(problem);
    if (components.count == order.size()) {
        for (std::uint32_t eclass = 0; eclass < order.size(); ++eclass) order[components.of[eclass]] = eclass;
        return order;
    }
    const BottomUp heights = bottomUp(problem, parents, std::vector<double>(problem.nodeCount(), 1.0));
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t eclass) { return heights.cost[eclass]; });
    return order;
}

}  // namespace

/// The greatest sets with R(c) = {c} ∪ ⋂ ⋃ R(child), where ⋂ ranges over the nodes of c and ⋃ over their children. Each
/// finite term contains them, by induction on its height. The iteration starts with "everything", and sets only shrink.
void Requirements::solve(const Problem& problem, const Deadline& deadline) {
    const std::uint32_t count = problem.classCount();
    std::vector<std::uint64_t> everything(m_words, ~std::uint64_t{0});
    if (count % 64 != 0) everything.back() >>= 64 - count % 64;
    for (std::uint32_t eclass = 0; eclass < count; ++eclass) {
        m_rows.insert(m_rows.end(), everything.begin(), everything.end());
    }
    const ParentIndex parents(problem);
    const std::vector<std::uint32_t> order = fromBelow(problem, parents);
    std::vector<std::uint64_t> all(m_words);
    std::vector<std::uint64_t> one(m_words);
    std::vector<bool> isPending(count, true);
    constexpr std::size_t Patience = 64;
    std::size_t looked = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::uint32_t eclass : order) {
            if (!isPending[eclass]) continue;
            isPending[eclass] = false;
            if (looked++ % Patience == 0 && deadline.isReached()) {
                m_rows.clear();
                return;
            }
            all = everything;
            for (std::uint32_t node = problem.classBegin[eclass]; node < problem.classBegin[eclass + 1]; ++node) {
                std::ranges::fill(one, 0);
                for (const std::uint32_t child : problem.childrenOf(node)) addTo(one, child);
                for (std::size_t i = 0; i < m_words; ++i) all[i] &= one[i];
            }
            all[eclass / 64] |= std::uint64_t{1} << (eclass % 64);
            const auto old = m_rows.begin() + static_cast<std::ptrdiff_t>(eclass * m_words);
            if (std::equal(all.begin(), all.end(), old)) continue;
            std::ranges::copy(all, old);
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

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
using Entry = std::pair<double, std::uint32_t>;
using Queue = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

/// By node: its cost plus the least costs of all classes that its children require.
std::vector<double> requiredCosts(const Problem& problem, const Requirements& requirements) {
    std::vector<double> least(problem.classCount(), Infinity);
    for (std::uint32_t eclass = 0; eclass < problem.classCount(); ++eclass) {
        for (std::uint32_t n = problem.classBegin[eclass]; n < problem.classBegin[eclass + 1]; ++n) {
            least[eclass] = std::min(least[eclass], problem.cost[n]);
        }
    }
    std::vector<double> costs = problem.cost;
    if (requirements.isTrivial()) {
        std::vector<std::uint32_t> lastUser(problem.classCount(), None);
        for (std::uint32_t node = 0; node < problem.nodeCount(); ++node) {
            for (const std::uint32_t child : problem.childrenOf(node)) {
                if (std::exchange(lastUser[child], node) != node) costs[node] += least[child];
            }
        }
        return costs;
    }
    for (std::uint32_t node = 0; node < problem.nodeCount(); ++node) {
        std::vector<std::uint64_t> required = requirements.emptySet();
        for (const std::uint32_t child : problem.childrenOf(node)) requirements.addTo(required, child);
        for (std::size_t word = 0; word < required.size(); ++word) {
            for (std::uint64_t bits = required[word]; bits != 0; bits &= bits - 1) {
                costs[node] += least[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
            }
        }
    }
    return costs;
}

}  // namespace

std::vector<double> lowerBounds(const Problem& problem, const ParentIndex& parents, const Deadline& deadline) {
    // Below: from the leaves up, a node is ready when its children are settled, the most expensive one last.
    std::vector<double> bound = requiredCosts(problem, Requirements(problem, deadline));
    std::vector<std::size_t> missing(problem.nodeCount());
    std::vector<bool> isSettled(problem.classCount(), false);
    Queue ready;
    for (std::uint32_t node = 0; node < problem.nodeCount(); ++node) {
        missing[node] = problem.childrenOf(node).size();
        if (missing[node] == 0) ready.emplace(bound[node], node);
    }
    while (!ready.empty()) {
        const auto [cost, node] = ready.top();
        ready.pop();
        const std::uint32_t eclass = parents.classOf(node);
        if (isSettled[eclass]) continue;
        isSettled[eclass] = true;
        for (const std::uint32_t parent : parents.parentsOf(eclass)) {
            bound[parent] = std::max(bound[parent], problem.cost[parent] + cost);
            if (--missing[parent] == 0) ready.emplace(bound[parent], parent);
        }
    }
    // Above: from the roots down.
    std::vector<double> above(problem.classCount(), Infinity);
    Queue open;
    const auto reach = [&](std::uint32_t eclass, double cost) {
        if (cost >= above[eclass]) return;
        above[eclass] = cost;
        open.emplace(cost, eclass);
    };
    for (const std::uint32_t root : problem.roots) reach(root, 0.0);
    while (!open.empty()) {
        const auto [cost, eclass] = open.top();
        open.pop();
        if (cost > above[eclass]) continue;
        for (std::uint32_t n = problem.classBegin[eclass]; n < problem.classBegin[eclass + 1]; ++n) {
            for (const std::uint32_t child : problem.childrenOf(n)) reach(child, cost + problem.cost[n]);
        }
    }
    for (std::uint32_t node = 0; node < problem.nodeCount(); ++node) {
        bound[node] = missing[node] > 0 ? Infinity : bound[node] + above[parents.classOf(node)];
    }
    return bound;
}

}  // namespace mitos::extract
