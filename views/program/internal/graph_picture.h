// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn of a program: of a tree, the surroundings of a node; of a graph, boxes for operators and collapsed blocks,
// with values flowing between them.
#pragma once

#include "views/graph/graph.h"
#include "views/program/program_tree_model.h"

#include <optional>
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

/// The nodes shown, in pre-order: the path from the root to the focus (the nearer part, up to half of the limit, if it
/// is long), the nodes below the focus, then those beside the path, the nearest first. Connected; at most LargestLimit.
[[nodiscard]] std::vector<NodeIndex> extractNodes(const ProgramText& text, const GraphExtract& extract);

/// A node of the compared program that the shown program no longer has.
struct RemovedNode {
    QString title;  ///< the operator
    QString name;   ///< in that program's listing
    QString shape;
    bool isWeight = false;
    std::vector<NodeIndex> operands;  ///< nodes still present that it used
    std::vector<NodeIndex> users;     ///< nodes still present that used it
    std::vector<std::size_t> removedOperands;
};

/// The removed nodes of a difference, where `after` is the program shown; empty for trees. The bank holds both programs.
[[nodiscard]] std::vector<RemovedNode> removedNodes(const ir::TermBank& bank, const ProgramText& before,
                                                    const ir::Diff& difference);

/// A region to be framed.
struct PictureRegion {
    QString title;
    std::vector<NodeIndex> nodes;
};

/// The user's options.
struct PictureChoice {
    std::set<std::uint32_t> expanded;  ///< blocks; each other block is one box
    bool weights = false;
    bool bars = true;  ///< draw costs as bars
    std::vector<RemovedNode> removed = {};
    std::vector<PictureRegion> regions = {};
};

/// A box: a node, or a collapsed block (then `node` is the one whose value leaves the block).
struct PictureBox {
    NodeIndex node = 0;
    std::uint32_t block = ProgramParts::None;  ///< the collapsed block; None if the box is a node
};

struct GraphPicture {
    GraphDescription graph;
    std::vector<PictureBox> boxes;           ///< by the graph's index
    std::vector<std::uint32_t> boxOf;        ///< by node; ProgramParts::None if hidden
    std::vector<std::uint32_t> groupBlocks;  ///< the expanded block of each group of the graph; then regions follow
    std::vector<std::size_t>
        groupRegions;  ///< the region, by its index, of each of these; those in collapsed blocks have none
    std::size_t hiddenWeights = 0;
    std::size_t removed = 0;  ///< number of boxes of removed nodes, which come last

    [[nodiscard]] std::optional<GraphIndex> place(NodeIndex node) const;
    /// The group of a region.
    [[nodiscard]] std::optional<std::size_t> groupOf(std::size_t region) const;
    /// Whether the box is drawn for this node alone, not for the variable that it is a use of, or for a block.
    [[nodiscard]] bool isOwnBox(NodeIndex node) const;
};

/// The drawing of those nodes of a tree: an edge from each node to those of its children that are shown, in order. A parameter or the
/// variable of a function is one box, the node of its first use; edges to it come from all uses. A variable of a `let` has no box: an edge
/// with its name leads from each use to its value, whose box stands for it, and none from the `let`.
[[nodiscard]] GraphPicture drawTree(const ir::TermBank& bank, const ProgramContent& content,
                                    const std::vector<NodeIndex>& nodes);

/// Joins the binder related to a node (the node itself, or the binder of its variable) with the box that stands for its variable. Empty for
/// any other node.
[[nodiscard]] std::vector<GraphEdge> bindingEdges(const ir::TermBank& bank, const ProgramText& text,
                                                  const GraphPicture& picture, NodeIndex node);

/// Bars are relative to the most expensive box. Takes time linear in nodes and edges.
[[nodiscard]] GraphPicture drawGraph(const ProgramContent& content, const PictureChoice& choice);

/// The nodes whose operator, name, shape or attributes contain the text, operands first.
[[nodiscard]] std::vector<NodeIndex> findNodes(const ProgramParts& parts, const QString& text);

}  // namespace mitos::views
