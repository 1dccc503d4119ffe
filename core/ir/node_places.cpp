// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/node_places.h"

#include <algorithm>

namespace mitos::ir {

void NodePlaces::add(Index parent, std::uint32_t row) {
    std::size_t levels = m_open.size();
    while (levels > 0 && m_open[levels - 1] != parent) --levels;
    close(levels);
    m_open.push_back(static_cast<Index>(m_places.size()));
    m_places.push_back({.parent = parent, .row = row});
}

void NodePlaces::add(const Path& path) {
    if (path.empty()) return add(0, 0);
    add(m_open[path.size() - 1], path.back());
}

/// Leaves `levels` places open: no others get more places below them.
void NodePlaces::close(std::size_t levels) {
    for (std::size_t level = levels; level < m_open.size(); ++level) {
        m_places[m_open[level]].end = static_cast<Index>(m_places.size());
    }
    m_open.resize(levels);
}

NodePlaces::Index NodePlaces::end(Index place) const {
    const Index known = m_places[place].end;
    return known != 0 ? known : static_cast<Index>(m_places.size());
}

Path NodePlaces::path(Index place) const {
    Path path;
    for (; place != 0; place = m_places[place].parent) path.push_back(m_places[place].row);
    std::ranges::reverse(path);
    return path;
}

std::optional<NodePlaces::Index> NodePlaces::find(const Path& path) const {
    if (m_places.empty()) return std::nullopt;
    Index place = 0;
    for (const std::uint32_t row : path) {
        const Index behind = end(place);
        Index child = place + 1;
        while (child < behind && m_places[child].row != row) child = end(child);
        if (child >= behind) return std::nullopt;
        place = child;
    }
    return place;
}

}  // namespace mitos::ir
