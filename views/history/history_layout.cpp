// SPDX-License-Identifier: GPL-3.0-or-later
// Lays the tree of states out as rows.
#include "views/history/history_layout.h"

namespace mitos::views {

using rewrite::StateId;

LayoutNode HistoryLayout::runOf(StateId state) const {
    const LayoutNode parent = m_nodes[nodeOf(state)].parent;
    return parent != NoLayoutNode && m_nodes[parent].isRun ? parent : NoLayoutNode;
}

HistoryLayout::Placement HistoryLayout::nextPlacement(const rewrite::History& history) const {
    const StateId next(static_cast<std::uint32_t>(m_byState.size()));
    const rewrite::HistoryState& state = history.state(next);
    Placement placement;
    if (!state.parent.isValid()) return placement;  // the start

    const rewrite::HistoryState& parent = history.state(state.parent);
    const bool continues = parent.children.front() == next;
    const LayoutNode run = runOf(state.parent);
    if (!state.origin.empty() && continues && run != NoLayoutNode && parent.origin == state.origin) {
        placement.parent = m_nodes[run].parent;
        placement.run = run;
        return placement;
    }
    placement.opensRun = !state.origin.empty();
    placement.isBranch = !continues;
    const LayoutNode before = continues && run != NoLayoutNode ? run : nodeOf(state.parent);
    placement.parent = continues ? m_nodes[before].parent : before;
    return placement;
}

LayoutNode HistoryLayout::addRun(const Placement& placement, StateId state) {
    Node node;
    node.state = state;
    node.isRun = true;
    node.isBranch = placement.isBranch;
    node.parent = placement.parent;
    return add(std::move(node));
}

LayoutNode HistoryLayout::addState(LayoutNode parent, StateId state, bool isBranch) {
    Node node;
    node.state = state;
    node.isBranch = isBranch;
    node.parent = parent;
    const LayoutNode id = add(std::move(node));
    m_byState.push_back(id);
    if (parent != NoLayoutNode && m_nodes[parent].isRun) m_nodes[parent].state = state;
    return id;
}

LayoutNode HistoryLayout::add(Node node) {
    const LayoutNode id = m_nodes.size();
    std::vector<LayoutNode>& siblings = node.parent == NoLayoutNode ? m_roots : m_nodes[node.parent].children;
    node.row = siblings.size();
    siblings.push_back(id);
    m_nodes.push_back(std::move(node));
    return id;
}

}  // namespace mitos::views
