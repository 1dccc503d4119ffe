// SPDX-License-Identifier: GPL-3.0-or-later
// A rewritten subterm before and after as text whose parts are marked as kept, moved or changed.
#pragma once

#include "core/ir/diff.h"
#include "core/ks/module.h"
#include "core/rewrite/rewriter.h"

#include <QString>
#include <vector>

namespace mitos::views {

/// A stretch of text with one mark.
struct DiffRun {
    QString text;
    ir::DiffMark mark = ir::DiffMark::Kept;
};

struct DiffText {
    std::vector<DiffRun> before;
    std::vector<DiffRun> after;
    bool marked = true;  ///< false: the terms are too large to mark within a frame; all runs are Kept
};

/// Both sides of a rewrite, printed as they stand in their programs (names of bound variables, line breaks); of a graph the
/// nodes that only one side has.
[[nodiscard]] DiffText diffText(const ir::TermBank& bank, const ir::Program& program, const rewrite::Rewrite& rewrite);

}  // namespace mitos::views
