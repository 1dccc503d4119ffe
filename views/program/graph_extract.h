// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a program that its graph shows.
#pragma once

#include "views/graph/graph.h"
#include "views/program/program_tree_model.h"

#include <set>
#include <vector>

namespace mitos::views {

/// What is drawn around a place. More boxes than this at once help nobody.
struct GraphExtract {
    static constexpr std::size_t UsualLimit = 250;
    static constexpr std::size_t ExpansionLimit = 60;  ///< what one click on + adds at most
    static constexpr std::size_t LargestLimit = 2'000;

    NodeIndex focus = 0;
    std::set<NodeIndex> expanded;   ///< more below these
    std::set<NodeIndex> collapsed;  ///< nothing below these, unless the focus is there
};

/// A text of a box: wide boxes make wide graphs.
[[nodiscard]] QString shortened(const QString& text, qsizetype longest);

/// The nodes shown, in pre-order: the way from the root to the focus (the nearer half of the limit, if it is long), what
/// is below the focus, then what stands beside the way, the nearest first. Connected; at most LargestLimit.
[[nodiscard]] std::vector<NodeIndex> extractNodes(const ProgramText& text, const GraphExtract& extract);

/// The drawing of those nodes: an edge from each to its children among them, in order.
[[nodiscard]] GraphDescription describe(const ir::TermBank& bank, const ProgramContent& content,
                                        const std::vector<NodeIndex>& nodes);

/// The binder that belongs to a node (itself, or of the variable it is) with the uses of its variable: pairs of places in
/// `nodes`. Empty for anything else.
[[nodiscard]] std::vector<GraphEdge> bindingEdges(const ir::TermBank& bank, const ProgramText& text,
                                                  const std::vector<NodeIndex>& nodes, NodeIndex node);

}  // namespace mitos::views
