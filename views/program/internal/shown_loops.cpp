// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/internal/shown_loops.h"

#include "core/loops/lowering.h"
#include "core/loops/static_vectors.h"
#include "core/loops/text.h"
#include "views/common/format.h"
#include "views/program/internal/loop_places.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <utility>

namespace mitos::views {

namespace {

using loops::Line;

LineNote noteOf(const loops::Work& work) {
    QStringList amounts;
    for (const std::string& amount : loops::amountTexts(work)) amounts << fromUtf8(amount);
    LineNote note;
    note.text = fromUtf8(loops::growthText(work));
    note.toolTip =
        amounts.isEmpty()
            ? QCoreApplication::translate("mitos::views::loops", "This nest of loops computes Integers only.")
            : QCoreApplication::translate("mitos::views::loops", "This nest of loops, at most:") + QLatin1Char('\n') +
                  amounts.join(QLatin1Char('\n'));
    return note;
}

ShownLoops shown(const std::vector<Line>& lines, const LoopPlaces& places) {
    ShownLoops shown;
    for (const Line& line : lines) {
        const QString text = fromUtf8(line.text);
        const auto isSpace = [](QChar c) { return c.isSpace(); };
        const auto indentation = std::ranges::find_if_not(text, isSpace) - text.begin();
        const qsizetype begin = shown.text.size();
        shown.text += text + QLatin1Char('\n');
        const std::vector<NodeIndex> around = line.around ? shown.lines[*line.around].nodes : std::vector<NodeIndex>();
        shown.lines.push_back({{begin + indentation, begin + text.size()},
                               places.of(line, around, ShownLoops::MostPlaces),
                               !places.isOwn(line),
                               line.work ? fromUtf8(loops::text(*line.work)) : QString()});
        shown.notes.push_back(line.work ? noteOf(*line.work) : LineNote{});
        const std::vector<NodeIndex>& nodes = shown.lines.back().nodes;
        shown.linked.insert(shown.linked.end(), nodes.begin(), nodes.end());
    }
    std::ranges::sort(shown.linked);
    return shown;
}

}  // namespace

const ShownLoops::Line& ShownLoops::at(qsizetype position) const {
    const auto after = std::ranges::upper_bound(lines, position, {}, [](const Line& line) { return line.range.begin; });
    return after == lines.begin() ? lines.front() : *std::prev(after);
}

LinesOfNode ShownLoops::linesOf(const ProgramText& program, NodeIndex node) const {
    const auto rangesIf = [&](auto isMeant) {
        std::vector<TextRange> ranges;
        bool goesOn = false;
        for (const Line& line : lines) {
            const bool isHit = std::ranges::any_of(line.nodes, isMeant);
            if (isHit && goesOn) ranges.back().end = line.range.end;
            if (isHit && !goesOn) ranges.push_back(line.range);
            goesOn = isHit;
        }
        return ranges;
    };
    const ir::NodePlaces& places = program.places();
    const auto hasLines = [&](NodeIndex begin, NodeIndex end) {
        const auto first = std::ranges::lower_bound(linked, begin);
        return first != linked.end() && *first < end;
    };
    if (hasLines(node, places.end(node))) {
        return {rangesIf([&](NodeIndex place) { return places.isWithin(place, node); })};
    }
    NodeIndex around = node;
    while (around != 0 && !hasLines(around, around + 1)) around = places.parent(around);
    return {rangesIf([around](NodeIndex place) { return place == around; }), true};
}

QString ShownLoops::textWithWork() const {
    QString all;
    qsizetype begin = 0;
    for (const Line& line : lines) {
        all += QStringView(text).mid(begin, line.range.end - begin);
        if (!line.work.isEmpty()) all += QStringLiteral("  # ") + line.work;
        begin = line.range.end;
    }
    return all += QStringView(text).mid(begin);
}

Result<ShownLoops> shownLoops(const ir::TermBank& bank, const ir::Program& program, const ProgramText& text,
                              LoopForm which, const std::stop_token& stop) {
    const Error stopped{ErrorCode::Cancelled, "the loop form was not needed any more"};
    loops::OwnProgram own;
    const bool isExported = which == LoopForm::Exported;
    ir::TermOrigins origins;
    if (isExported) own = loops::withStaticVectors(bank, program, &origins);
    const ir::TermBank& loopBank = isExported ? *own.bank : bank;
    if (stop.stop_requested()) return stopped;
    const Result<loops::Program> form = loops::lower(loopBank, isExported ? own.program : program);
    if (!form) return form.error();
    if (stop.stop_requested()) return stopped;
    const std::vector<Line> lines = loops::lines(loopBank, *form);
    if (stop.stop_requested()) return stopped;
    if (isExported) return shown(lines, LoopPlaces(loopBank, text, *form, origins));
    return shown(lines, LoopPlaces(bank, text, *form));
}

}  // namespace mitos::views
