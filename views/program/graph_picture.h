// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn of a program that is a graph: boxes of operators and of collapsed blocks, values flowing from one to the next.
#pragma once

#include "views/graph/graph.h"
#include "views/program/program_tree_model.h"

#include <optional>
#include <set>
#include <vector>

namespace mitos::views {

/// A node that the program compared with has, and this one has not any more.
struct RemovedNode {
    QString title;  ///< the operator
    QString name;   ///< in the listing of that program
    QString shape;
    bool isWeight = false;
    std::vector<NodeIndex> operands;  ///< kept nodes that it used
    std::vector<NodeIndex> users;     ///< kept nodes that used it
    std::vector<std::size_t> removedOperands;
};

/// The removed nodes of a difference, `after` being the program that is shown; empty of trees. The bank holds both.
[[nodiscard]] std::vector<RemovedNode> removedNodes(const ir::TermBank& bank, const ProgramText& before,
                                                    const ir::Diff& difference);

/// What its user wants to see.
struct PictureChoice {
    std::set<std::uint32_t> expanded;  ///< blocks; all others are one box
    bool weights = false;
    bool bars = true;  ///< of costs
    std::vector<RemovedNode> removed = {};
};

/// A box: a node, or a collapsed block (node: the one whose value leaves it).
struct PictureBox {
    NodeIndex node = 0;
    std::uint32_t block = ProgramParts::None;  ///< the collapsed block; None: the box is the node
};

struct GraphPicture {
    GraphDescription graph;
    std::vector<PictureBox> boxes;           ///< by the graph's index
    std::vector<std::uint32_t> boxOf;        ///< by node; ProgramParts::None: hidden
    std::vector<std::uint32_t> groupBlocks;  ///< of the graph's groups: the expanded blocks
    std::size_t hiddenWeights = 0;
    std::size_t removed = 0;  ///< boxes behind the others that stand for removed nodes

    [[nodiscard]] std::optional<GraphIndex> place(NodeIndex node) const;
};

/// Bars are measured against the dearest box. Takes time linear in nodes and edges.
[[nodiscard]] GraphPicture drawGraph(const ProgramContent& content, const PictureChoice& choice);

/// The nodes whose operator, name, shape or attributes hold the text, operands first.
[[nodiscard]] std::vector<NodeIndex> findNodes(const ProgramParts& parts, const QString& text);

}  // namespace mitos::views
