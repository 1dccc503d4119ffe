// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the parts of a network in its program; a picture may draw each as one box.
#pragma once

#include "core/ir/term_bank.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mitos::tensor {

/// Some of a program's operators (nodes with operands). A block is convex: no path leads out of it and back into it, so it can
/// be drawn as one box. Each operator is directly in at most one block.
struct Block {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    std::string name;               ///< the scope that names share, "layer1/0"; else its operators, "Conv · Relu"
    std::uint32_t repeat = 0;       ///< its index among equal blocks in a row, from 1; 0 if it is the only one
    std::uint32_t repeats = 0;      ///< the number of equal blocks in that row
    std::uint32_t parent = None;    ///< the enclosing block, which precedes it in the list
    std::vector<ir::TermId> nodes;  ///< nodes directly in it, operands first
    std::size_t operators = 0;      ///< operators in it, including those of nested blocks
};

/// The blocks of a graph; none if it shows no parts. If at least half of the operators have names with scopes ("/layer1/0/conv";
/// an operator without one is placed by its weights' names or else by its operands), blocks are the scopes. Otherwise they are
/// derived from the structure: in an order of evaluation, the program is cut where few values are live (very long-lived ones,
/// such as masks and outputs, do not count), and each of several equal pieces in a row becomes a block; a remaining piece with
/// branches becomes one too. Programs of a dozen operators are not divided this way. Time grows with the nodes and edges.
[[nodiscard]] std::vector<Block> findBlocks(const ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::tensor
