// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/experience.h"

#include <algorithm>

namespace mitos::search {

std::vector<double> reductionsWithin(std::span<const double> costs, std::span<const StateEdge> edges,
                                     std::uint32_t times) {
    std::vector<double> rows(costs.size() * times, 0.0);
    std::vector<double> before(costs.size(), 0.0);
    std::vector<double> within(costs.size());
    for (std::uint32_t time = 0; time < times; ++time) {
        within = before;
        for (const StateEdge& edge : edges) {
            double& best = within[edge.from];
            best = std::max(best, costs[edge.from] - costs[edge.to] + before[edge.to]);
        }
        for (std::size_t state = 0; state < costs.size(); ++state) rows[state * times + time] = within[state];
        std::swap(before, within);
    }
    return rows;
}

}  // namespace mitos::search
