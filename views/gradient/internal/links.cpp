// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/gradient/internal/links.h"

#include <algorithm>

namespace mitos::views {

namespace {

/// The index after the last node of a subterm; nodes are in pre-order.
NodeIndex endOf(const ProgramText& text, NodeIndex node) {
    NodeIndex last = node;
    while (text.childCount(last) > 0) last = text.child(last, text.childCount(last) - 1);
    return last + 1;
}

}  // namespace

Links::Links(const ProgramText& primal, const ProgramText& derivative, const autodiff::Origins& origins) {
    const std::size_t count = derivative.nodes().size();
    m_holders.assign(count, None);
    m_places.resize(count);
    for (NodeIndex node = 0; node < count; ++node) {
        const ProgramText::Node& here = derivative.nodes()[node];
        const auto known = origins.find(here.term);
        if (known == origins.end()) {
            m_holders[node] = node == 0 ? None : m_holders[here.parent];
            continue;
        }
        m_holders[node] = node;
        for (const ir::Path& path : known->second) {
            if (const auto place = primal.find(path)) m_places[node].push_back(*place);
        }
        std::ranges::sort(m_places[node]);
    }
}

Links::Found Links::from(const ProgramText& primal, const ProgramText& derivative, NodeIndex part) const {
    Found found{part, std::vector<ir::DiffMark>(m_holders.size(), ir::DiffMark::Kept), 0};
    for (;;) {
        const NodeIndex end = endOf(primal, found.node);
        for (NodeIndex node = 0; node < m_holders.size(); ++node) {
            if (m_holders[node] == None) continue;
            const std::vector<NodeIndex>& places = m_places[m_holders[node]];
            const auto first = std::ranges::lower_bound(places, found.node);
            if (first == places.end() || *first >= end) continue;
            found.marks[node] = ir::DiffMark::Changed;
            const bool isInside = node != 0 && found.marks[derivative.nodes()[node].parent] == ir::DiffMark::Changed;
            if (!isInside) ++found.parts;
        }
        if (found.parts > 0 || found.node == 0) return found;
        found.node = primal.nodes()[found.node].parent;
    }
}

const std::vector<NodeIndex>& Links::of(NodeIndex derivativePart) const {
    static const std::vector<NodeIndex> none;
    if (derivativePart >= m_holders.size() || m_holders[derivativePart] == None) return none;
    return m_places[m_holders[derivativePart]];
}

std::vector<TextRange> outermost(std::vector<TextRange> ranges) {
    std::ranges::sort(ranges, [](const TextRange& a, const TextRange& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<TextRange> kept;
    for (const TextRange& range : ranges) {
        if (kept.empty() || range.begin >= kept.back().end) kept.push_back(range);
    }
    return kept;
}

}  // namespace mitos::views
