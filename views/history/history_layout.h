// SPDX-License-Identifier: GPL-3.0-or-later
// Lays the tree of states out as rows: a line of steps stays on one level, branches and runs open a new level.
#pragma once

#include "core/rewrite/history.h"

#include <cstddef>
#include <limits>
#include <vector>

namespace mitos::views {

/// Number of a row in the layout, in order of creation. Rows never move; the layout only grows.
using LayoutNode = std::size_t;
inline constexpr LayoutNode NoLayoutNode = std::numeric_limits<LayoutNode>::max();

/// The first child of a state continues on its level; every further child opens a branch below it. The states that one
/// run added are below one row for the run, which can be folded.
class HistoryLayout {
public:
    struct Node {
        rewrite::StateId state;  ///< a run's row: the last state of the run so far
        bool isRun = false;
        bool isBranch = false;  ///< leaves a state that already has another continuation
        LayoutNode parent = NoLayoutNode;
        std::size_t row = 0;  ///< among the parent's children
        std::vector<LayoutNode> children;
    };

    /// Where a new state will be placed: the rows to create for it, outermost first.
    struct Placement {
        LayoutNode parent = NoLayoutNode;  ///< parent of the row of the state, or of its run
        LayoutNode run = NoLayoutNode;     ///< row of the run it joins, if it exists
        bool opensRun = false;
        bool isBranch = false;
    };

    /// Number of states laid out; they are laid out in order of id.
    [[nodiscard]] std::size_t stateCount() const { return m_byState.size(); }
    [[nodiscard]] std::size_t nodeCount() const { return m_nodes.size(); }
    [[nodiscard]] const Node& node(LayoutNode id) const { return m_nodes[id]; }
    [[nodiscard]] const std::vector<LayoutNode>& roots() const { return m_roots; }
    [[nodiscard]] const std::vector<LayoutNode>& childrenOf(LayoutNode parent) const {
        return parent == NoLayoutNode ? m_roots : m_nodes[parent].children;
    }
    [[nodiscard]] LayoutNode nodeOf(rewrite::StateId state) const { return m_byState[state.value]; }
    /// The row of the run that contains a state, or nothing.
    [[nodiscard]] LayoutNode runOf(rewrite::StateId state) const;

    /// Placement of the next state, whose id is stateCount().
    [[nodiscard]] Placement nextPlacement(const rewrite::History& history) const;
    LayoutNode addRun(const Placement& placement, rewrite::StateId state);
    LayoutNode addState(LayoutNode parent, rewrite::StateId state, bool isBranch);

private:
    LayoutNode add(Node node);

    std::vector<Node> m_nodes;
    std::vector<LayoutNode> m_roots;
    std::vector<LayoutNode> m_byState;
};

}  // namespace mitos::views
