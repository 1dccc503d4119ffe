// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/program_difference.h"

#include <optional>

namespace mitos::views {

DifferenceRanges::DifferenceRanges(const ProgramText& before, const ProgramText& after, const ir::Diff& marks,
                                   ProgramText::Form form)
    : removed(markedRanges(before, marks.before, ir::DiffMark::Changed, form)),
      movedBefore(markedRanges(before, marks.before, ir::DiffMark::Moved, form)),
      added(markedRanges(after, marks.after, ir::DiffMark::Changed, form)),
      movedAfter(markedRanges(after, marks.after, ir::DiffMark::Moved, form)) {}

void DifferenceRanges::show(CodeView& before, CodeView& after) const {
    before.setMarks(CodeView::Mark::Removed, removed);
    before.setMarks(CodeView::Mark::Moved, movedBefore);
    after.setMarks(CodeView::Mark::Added, added);
    after.setMarks(CodeView::Mark::Moved, movedAfter);
}

void showFirstChange(CodeView& view, const ProgramText& text, ProgramText::Form form,
                     const std::vector<ir::DiffMark>& marks) {
    std::optional<TextRange> first;
    for (std::size_t node = 0; node < marks.size(); ++node) {
        if (marks[node] == ir::DiffMark::Kept) continue;
        const TextRange range = text.range(static_cast<NodeIndex>(node), form);
        if (!first || range.begin < first->begin) first = range;
    }
    if (first) view.ensureVisible(*first);
}

}  // namespace mitos::views
