// SPDX-License-Identifier: GPL-3.0-or-later
// What a program that is a graph consists of, for showing: its nodes with names and shapes, its blocks, and an outline of both.
#pragma once

#include "core/cost/cost_model.h"
#include "views/program/program_text.h"

#include <QString>
#include <cstdint>
#include <vector>

namespace mitos::views {

/// One node as pictures and lists show it.
struct PartNode {
    enum class Kind : std::uint8_t {
        Input,
        Weight,  ///< also a constant
        Operator,
        Outputs,  ///< the tuple of all outputs
        Absent,   ///< an input that is left out: never shown
    };
    Kind kind = Kind::Operator;
    QString title;       ///< the operator
    QString name;        ///< in the listing
    QString shape;       ///< "1x64x56x56 f32"
    QString attributes;  ///< "[strides=[2,2]]", or nothing
    std::uint32_t block = 0xFFFFFFFFU;
};

/// A block of operators (core/tensor/blocks.h).
struct PartBlock {
    QString title;
    std::uint32_t parent = 0xFFFFFFFFU;
    std::vector<NodeIndex> nodes;       ///< directly in it, operands first
    std::vector<std::uint32_t> blocks;  ///< directly in it
    std::size_t operators = 0;
    double cost = 0.0;     ///< of all its operators
    NodeIndex output = 0;  ///< the node that is computed last
    int depth = 0;         ///< blocks within blocks, below it
};

/// A row of the outline: a block (or the inputs, or the weights) or a node.
struct OutlineRow {
    bool isHead = false;
    QString title;       ///< of a head
    NodeIndex node = 0;  ///< of a head: where choosing it leads
    double cost = 0.0;   ///< of a head: of all in it
    std::uint32_t parent = 0xFFFFFFFFU;
    std::uint32_t row = 0;  ///< among its siblings
    std::vector<std::uint32_t> children;
};

struct ProgramParts {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    std::vector<PartNode> nodes;  ///< by node
    std::vector<PartBlock> blocks;
    std::vector<NodeIndex> order;  ///< all nodes, operands first
    std::vector<OutlineRow> outline;
    std::vector<std::uint32_t> top;    ///< rows of the outline that stand in nothing
    std::vector<std::uint32_t> rowOf;  ///< by node; None: not in the outline

    /// Whether a node stands in a block, or in one within it.
    [[nodiscard]] bool isIn(NodeIndex node, std::uint32_t block) const;
};

/// Of a graph whose text is there; costs may be empty. Nodes of the text are terms of the bank.
[[nodiscard]] ProgramParts findParts(const ir::TermBank& bank, const ProgramText& text,
                                     const std::vector<cost::CostPart>& costs);

/// A type as people write shapes: "1x64x56x56 f32"; "2 arrays" of a tuple.
[[nodiscard]] QString shapeText(const ir::TypeTable& types, ir::TypeId type);

}  // namespace mitos::views
