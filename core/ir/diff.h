// SPDX-License-Identifier: GPL-3.0-or-later
// The structural difference of two programs, for previews and side-by-side views.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>
#include <vector>

namespace mitos::ir {

enum class DiffMark : std::uint8_t {
    Kept,     ///< the same on both sides, at corresponding places
    Moved,    ///< part of a term that stands on the other side too, but not at a corresponding place
    Changed,  ///< only on this side
};

/// Marks of every node of the two programs, in pre-order: of trees every occurrence, of graphs every distinct node at its first
/// path (shared.h).
///
/// Of trees, kept nodes are a mapping between them that keeps order and ancestors (Tai, The tree-to-tree correction problem,
/// 1979): the k-th kept node of one side corresponds to the k-th of the other, both have the same operator and payload,
/// and one kept node stands below another on one side if and only if it does on the other. A bound variable is kept only
/// if its binder is, or if it reaches outside both terms with the same index.
///
/// Of graphs, a node that both have is kept. What depends on something that differs is another node, but kept too if the same
/// operator, with the same attributes and type, takes its part on the other side: one to one; as they are met from
/// the roots down, then by their names, then as their operands correspond. If all its operands are among
/// the common nodes, what differs is the node itself, and it is changed. Nothing is moved in a graph, as
/// its nodes stand nowhere in particular.
struct Diff {
    std::vector<DiffMark> before;
    std::vector<DiffMark> after;
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    std::vector<std::uint32_t> partner;  ///< of each node before: its counterpart after if it is kept, else None

    [[nodiscard]] bool isEmpty() const;  ///< every node is kept; of trees: the terms are equal
};

/// Difference of two terms of one bank that stand in the same surroundings. Not the smallest possible edit, which would
/// take cubic time: the trees are aligned from the top, and where they disagree, what leaves most in common is taken (an
/// operator was replaced, removed or put around), judged by counts of operators. Time grows with the numbers of nodes marked.
[[nodiscard]] Diff diff(const TermBank& bank, TermId before, TermId after, Sharing sharing = Sharing::Tree);

}  // namespace mitos::ir
