// SPDX-License-Identifier: GPL-3.0-or-later
// The structural difference of two programs, for previews and side-by-side views.
#pragma once

#include "core/ir/path.h"
#include "core/ir/term_bank.h"

#include <vector>

namespace mitos::ir {

enum class DiffMark : std::uint8_t {
    Kept,     ///< the same on both sides, at corresponding places
    Moved,    ///< inside a changed place, but a term that stands on the other side's changed places too
    Changed,  ///< only on this side
};

/// A pair of corresponding places whose terms differ in operator, payload or number of children; outermost ones only.
struct DiffPlace {
    Path before;
    Path after;
};

struct Diff {
    std::vector<DiffPlace> places;  ///< in pre-order; empty if the terms are equal
    /// Marks of every node of the tree, in pre-order.
    std::vector<DiffMark> before;
    std::vector<DiffMark> after;
};

/// Difference of two terms of one bank; linear in the sizes of the two trees.
[[nodiscard]] Diff diff(const TermBank& bank, TermId before, TermId after);

}  // namespace mitos::ir
