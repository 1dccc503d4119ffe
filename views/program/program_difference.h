// SPDX-License-Identifier: GPL-3.0-or-later
// The differences of two programs as marks in their texts.
#pragma once

#include "core/ir/diff.h"
#include "views/program/code_view.h"
#include "views/program/program_text.h"

#include <vector>

namespace mitos::views {

/// The ranges of two texts that differ; `before` is the older one.
struct DifferenceRanges {
    std::vector<TextRange> removed;
    std::vector<TextRange> movedBefore;
    std::vector<TextRange> added;
    std::vector<TextRange> movedAfter;

    DifferenceRanges() = default;
    DifferenceRanges(const ProgramText& before, const ProgramText& after, const ir::Diff& marks,
                     ProgramText::Form form);
    /// Marks them in the views of both texts.
    void show(CodeView& before, CodeView& after) const;
};

/// Scrolls to the first change of the text; a graph lists its nodes in another order than the marks.
void showFirstChange(CodeView& view, const ProgramText& text, ProgramText::Form form,
                     const std::vector<ir::DiffMark>& marks);

}  // namespace mitos::views
