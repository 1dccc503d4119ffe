// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a program that is a graph, for display: its nodes with names and shapes, its blocks, and an outline of both.
#pragma once

#include "core/cost/cost_model.h"
#include "views/program/operator_family.h"
#include "views/program/program_text.h"

#include <QString>
#include <cstdint>
#include <vector>

namespace mitos::views {

/// One node as shown in pictures and lists.
struct PartNode {
    enum class Kind : std::uint8_t {
        Input,
        Weight,  ///< a weight or a constant
        Operator,
        Outputs,  ///< the tuple of all outputs
        Absent,   ///< an omitted input; never shown
    };
    Kind kind = Kind::Operator;
    OperatorFamily family = OperatorFamily::Elementwise;
    QString title;       ///< the operator
    QString name;        ///< in the listing
    QString shape;       ///< "1x64x56x56 f32"
    QString attributes;  ///< "[strides=[2,2]]"; may be empty
    std::uint32_t block = 0xFFFFFFFFU;
};

/// A block of operators (core/tensor/blocks.h).
struct PartBlock {
    QString title;
    std::uint32_t parent = 0xFFFFFFFFU;
    std::vector<NodeIndex> nodes;       ///< direct members, operands first
    std::vector<std::uint32_t> blocks;  ///< direct sub-blocks
    std::size_t operators = 0;
    double cost = 0.0;     ///< of all its operators, nested ones included
    NodeIndex output = 0;  ///< the node that is computed last
    int depth = 0;         ///< levels of blocks nested in it
};

/// A row of the outline: a block (or the inputs, or the weights) or a node.
struct OutlineRow {
    bool isHead = false;
    QString title;       ///< of a head
    NodeIndex node = 0;  ///< of a head: the node that choosing it selects
    double cost = 0.0;   ///< of a head: total cost of its contents
    std::uint32_t parent = 0xFFFFFFFFU;
    std::uint32_t row = 0;  ///< among its siblings
    std::vector<std::uint32_t> children;
};

struct ProgramParts {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    std::vector<PartNode> nodes;  ///< indexed by node
    std::vector<PartBlock> blocks;
    std::vector<NodeIndex> order;  ///< all nodes, operands first
    std::vector<OutlineRow> outline;
    std::vector<std::uint32_t> top;    ///< rows of the outline without a parent
    std::vector<std::uint32_t> rowOf;  ///< by node; None if not in the outline

    /// Whether a node is in a block, directly or in a nested block.
    [[nodiscard]] bool isIn(NodeIndex node, std::uint32_t block) const;
};

/// Finds the parts of a graph whose text has been printed; costs may be empty. The text's nodes must be terms of the bank.
[[nodiscard]] ProgramParts findParts(const ir::TermBank& bank, const ProgramText& text,
                                     const std::vector<cost::CostPart>& costs);

/// The shape of a type: "1x64x56x56 f32"; "2 arrays" for a tuple; empty for an empty one.
[[nodiscard]] QString shapeText(const ir::TypeTable& types, ir::TypeId type);

}  // namespace mitos::views
