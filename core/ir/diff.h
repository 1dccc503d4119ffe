// SPDX-License-Identifier: GPL-3.0-or-later
// The structural difference of two programs, for previews and side-by-side views.
#pragma once

#include "core/ir/term_bank.h"

#include <cstdint>
#include <vector>

namespace mitos::ir {

enum class DiffMark : std::uint8_t {
    Kept,     ///< equal on both sides, at corresponding places
    Moved,    ///< part of a term that also occurs on the other side, but not at a corresponding place
    Changed,  ///< only on this side
};

/// Marks of every node of the two programs, in pre-order. Trees have a mark for every occurrence, graphs for every distinct node at
/// its first path (shared.h).
///
/// In trees, the kept nodes form a mapping that preserves order and ancestors (Tai, The tree-to-tree correction problem,
/// 1979): the k-th kept node of one side corresponds to the k-th of the other, both have the same operator and payload,
/// and one kept node is below another on one side if and only if it is on the other. A bound variable is kept only
/// if its binder is, or if it reaches outside both terms with the same index.
///
/// In graphs, a node that both graphs contain is kept. A node that depends on a difference is a different node, but it is kept too
/// if it has a counterpart on the other side with the same operator, attributes and type. Counterparts are assigned one to one: as
/// nodes are met from the roots down, then by their names, then by corresponding operands. If all operands of a node are common to
/// both graphs, the difference is in the node itself, and it is marked as changed. No node of a graph is moved, since nodes of a graph
/// have no position.
struct Diff {
    std::vector<DiffMark> before;
    std::vector<DiffMark> after;
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    std::vector<std::uint32_t> partner;  ///< for each node before: its counterpart after if it is kept, else None

    [[nodiscard]] bool isEmpty() const;  ///< whether every node is kept; for trees: whether the terms are equal
};

/// Difference of two terms of one bank in the same context. It is not the smallest possible edit, which would take cubic
/// time: the trees are aligned from the top, and where they differ, the edit (an operator was replaced, removed or added around) that
/// leaves most in common is taken, measured by counts of operators. Time grows with the number of nodes marked.
[[nodiscard]] Diff diff(const TermBank& bank, TermId before, TermId after, Sharing sharing = Sharing::Tree);

}  // namespace mitos::ir
