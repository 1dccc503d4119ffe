// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/line_notes.h"

#include <algorithm>
#include <utility>

namespace mitos::views {

std::vector<LineNote> lineNotes(const ProgramContent& content, ProgramText::Form form) {
    if (form != ProgramText::Form::Reading) return {};
    const std::vector<double>& costs = content.lines[static_cast<std::size_t>(form)];
    const double whole = content.costs.empty() ? 0.0 : content.costs[0].total;
    std::vector<LineNote> notes(costs.size());
    for (std::size_t i = 0; i < costs.size(); ++i) {
        notes[i].cost = costs[i];
        notes[i].share = whole > 0.0 ? std::clamp(costs[i] / whole, 0.0, 1.0) : 0.0;
    }
    if (!content.text.isGraph()) return notes;
    const QString& text = content.text.text(form);
    std::vector<std::pair<qsizetype, std::size_t>> begins;
    for (std::size_t i = 0; i < content.parts.nodes.size(); ++i) {
        begins.emplace_back(content.text.range(static_cast<NodeIndex>(i), form).begin, i);
    }
    std::ranges::sort(begins);
    qsizetype at = 0;
    auto next = begins.begin();
    for (LineNote& note : notes) {
        while (next != begins.end() && next->first < at) ++next;
        if (next != begins.end() && next->first == at) note.text = content.parts.nodes[next->second].shape;
        const qsizetype end = text.indexOf(QLatin1Char('\n'), at);
        if (end < 0) break;
        at = end + 1;
    }
    return notes;
}

}  // namespace mitos::views
