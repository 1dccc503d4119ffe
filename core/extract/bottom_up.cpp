// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/extract/bottom_up.h"

#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace mitos::extract {

BottomUp bottomUp(const Problem& problem, const ParentIndex& parents, std::span<const double> weight) {
    BottomUp result{Choice(problem.classCount(), None),
                    std::vector<double>(problem.classCount(), std::numeric_limits<double>::infinity())};
    std::vector<std::uint32_t> missing(problem.nodeCount());
    std::vector<double> total(weight.begin(), weight.end());
    using Ready = std::pair<double, std::uint32_t>;
    std::vector<Ready> leaves;
    for (std::uint32_t node = 0; node < problem.nodeCount(); ++node) {
        missing[node] = static_cast<std::uint32_t>(problem.childrenOf(node).size());
        if (missing[node] == 0) leaves.emplace_back(total[node], node);
    }
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready(std::greater<>(), std::move(leaves));
    while (!ready.empty()) {
        const auto [cost, node] = ready.top();
        ready.pop();
        const std::uint32_t eclass = parents.classOf(node);
        if (result.choice[eclass] != None) continue;
        result.choice[eclass] = node;
        result.cost[eclass] = cost;
        for (const std::uint32_t parent : parents.parentsOf(eclass)) {
            total[parent] += cost;
            if (--missing[parent] == 0) ready.emplace(total[parent], parent);
        }
    }
    return result;
}

}  // namespace mitos::extract
