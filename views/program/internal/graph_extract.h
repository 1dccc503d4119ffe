// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a program that its graph shows.
#pragma once

#include "views/graph/graph.h"
#include "views/program/program_tree_model.h"

#include <set>
#include <vector>

namespace mitos::views {

/// The part of the program drawn around a node. More boxes at once would be unreadable.
struct GraphExtract {
    static constexpr std::size_t UsualLimit = 250;
    static constexpr std::size_t ExpansionLimit = 60;  ///< most nodes that one click on + adds
    static constexpr std::size_t LargestLimit = 2'000;

    NodeIndex focus = 0;
    std::set<NodeIndex> expanded;   ///< show more below these nodes
    std::set<NodeIndex> collapsed;  ///< show nothing below these nodes, unless it contains the focus
};

/// Shortens the text of a box, because wide boxes make wide graphs.
[[nodiscard]] QString shortened(const QString& text, qsizetype longest);

/// The nodes shown, in pre-order: the path from the root to the focus (the nearer part, up to half of the limit, if it
/// is long), the nodes below the focus, then those beside the path, the nearest first. Connected; at most LargestLimit.
[[nodiscard]] std::vector<NodeIndex> extractNodes(const ProgramText& text, const GraphExtract& extract);

/// The drawing of those nodes: an edge from each node to those of its children that are shown, in order.
[[nodiscard]] GraphDescription describe(const ir::TermBank& bank, const ProgramContent& content,
                                        const std::vector<NodeIndex>& nodes);

/// The binder related to a node (the node itself, or the binder of its variable) with the uses of the variable: pairs
/// of indices into `nodes`. Empty for any other node.
[[nodiscard]] std::vector<GraphEdge> bindingEdges(const ir::TermBank& bank, const ProgramText& text,
                                                  const std::vector<NodeIndex>& nodes, NodeIndex node);

}  // namespace mitos::views
