// SPDX-License-Identifier: GPL-3.0-or-later
// See changes.h.
#include "core/egraph/internal/changes.h"

#include <algorithm>
#include <utility>

namespace mitos::egraph {

const std::vector<std::uint32_t>& Changes::distances(const EGraph& graph, std::uint32_t since) {
    if (graph.epoch() != m_epoch || graph.idCount() != m_ids) m_known.clear();
    m_epoch = graph.epoch();
    m_ids = graph.idCount();
    const auto known = std::ranges::find(m_known, since, &Known::since);
    if (known != m_known.end()) return known->distances;
    std::vector<std::uint32_t> distances(m_ids, since == 0 ? 0 : Never);
    std::vector<std::uint32_t> level;
    for (std::uint32_t node = 0; since != 0 && node < m_ids; ++node) {
        if (!graph.isLive(ENodeId(node)) || graph.stamp(ENodeId(node)) < since) continue;
        const std::uint32_t eclass = graph.find(ENodeId(node)).value;
        if (distances[eclass] == Never) level.push_back(eclass);
        distances[eclass] = 0;
    }
    for (std::uint32_t distance = 1; !level.empty(); ++distance) {
        std::vector<std::uint32_t> above;
        for (const std::uint32_t eclass : level) {
            graph.forEachUse(ENodeId(eclass), [&](ENodeId user, std::uint32_t) {
                const std::uint32_t its = graph.find(user).value;
                if (distances[its] == Never) above.push_back(its);
                distances[its] = std::min(distances[its], distance);
            });
        }
        level = std::move(above);
    }
    return m_known.emplace_back(Known{since, std::move(distances)}).distances;
}

}  // namespace mitos::egraph
