// SPDX-License-Identifier: GPL-3.0-or-later
// The parts a network is made of, found in its program: what a picture may draw as one box.
#pragma once

#include "core/ir/term_bank.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mitos::tensor {

/// Some of a program's operators (nodes with operands). Convex: no way leads out of a block and back into it, so that it can
/// be drawn as one box. Each operator stands directly in one block at most.
struct Block {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    std::string name;               ///< the scope that names share, "layer1/0"; else its operators, "Conv · Relu"
    std::uint32_t repeat = 0;       ///< which of several equal ones in a row, from 1; 0: the only one
    std::uint32_t repeats = 0;      ///< how many of them
    std::uint32_t parent = None;    ///< the block around it; stands before it in the list
    std::vector<ir::TermId> nodes;  ///< directly in it, operands first
    std::size_t operators = 0;      ///< in it, blocks in it included
};

/// Blocks of a graph; none if it shows no parts. If at least half of the operators have names with scopes ("/layer1/0/conv"; an
/// operator without one is where its weights' names or else its operands say), blocks are the scopes. Otherwise they are
/// read from the structure: in an order of evaluation, the program is cut where few values are held (those that are held
/// very long, masks and outputs, do not count), and equal pieces in a row become a block each; what is left over and
/// has branches becomes one too. Programs of a dozen operators are not divided so. Time grows with the nodes and edges.
[[nodiscard]] std::vector<Block> findBlocks(const ir::TermBank& bank, ir::TermId root);

}  // namespace mitos::tensor
