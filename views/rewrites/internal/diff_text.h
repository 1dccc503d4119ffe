// SPDX-License-Identifier: GPL-3.0-or-later
// A rewritten subterm before and after, as text whose parts are marked as kept, moved or changed.
#pragma once

#include "core/ir/diff.h"
#include "core/ir/function.h"
#include "core/rewrite/rewriter.h"

#include <QString>
#include <vector>

namespace mitos::views {

/// A piece of text with one mark.
struct DiffRun {
    QString text;
    ir::DiffMark mark = ir::DiffMark::Kept;
};

struct DiffText {
    std::vector<DiffRun> before;
    std::vector<DiffRun> after;
    bool marked = true;  ///< false if the terms are too large to mark within a frame; then all runs are Kept
};

/// Both sides of a rewrite, printed as in their programs (names of bound variables, line breaks); for a graph, the
/// nodes that only one side has.
[[nodiscard]] DiffText diffText(const ir::TermBank& bank, const ir::Program& program, const rewrite::Rewrite& rewrite);

}  // namespace mitos::views
