// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a program that is a graph: boxes for operators and collapsed blocks, with values flowing between them.
#pragma once

#include "views/graph/graph.h"
#include "views/program/program_tree_model.h"

#include <optional>
#include <set>
#include <vector>

namespace mitos::views {

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

/// The user's options.
struct PictureChoice {
    std::set<std::uint32_t> expanded;  ///< blocks; each other block is one box
    bool weights = false;
    bool bars = true;  ///< draw costs as bars
    std::vector<RemovedNode> removed = {};
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
    std::vector<std::uint32_t> groupBlocks;  ///< the expanded block of each group of the graph
    std::size_t hiddenWeights = 0;
    std::size_t removed = 0;  ///< number of boxes of removed nodes, which come last

    [[nodiscard]] std::optional<GraphIndex> place(NodeIndex node) const;
};

/// Bars are relative to the most expensive box. Takes time linear in nodes and edges.
[[nodiscard]] GraphPicture drawGraph(const ProgramContent& content, const PictureChoice& choice);

/// The nodes whose operator, name, shape or attributes contain the text, operands first.
[[nodiscard]] std::vector<NodeIndex> findNodes(const ProgramParts& parts, const QString& text);

}  // namespace mitos::views
