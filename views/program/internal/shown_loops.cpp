// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program/internal/shown_loops.h"

#include "core/base/deep_stack.h"
#include "core/ir/calls.h"
#include "core/loops/lowering.h"
#include "core/loops/text.h"
#include "views/common/format.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace mitos::views {

namespace {

using loops::Line;

/// Whether the line gives a name to a size of a parameter, which comes from the program's head.
bool isSizeOfParameter(const loops::Program& form, const Line& line) {
    const auto* declare = std::get_if<loops::Declare>(&line.statement->what);
    if (declare == nullptr) return false;
    const loops::Function& function = form.functions[line.function.value];
    return std::ranges::any_of(function.sizes, [&](const loops::NamedSize& size) {
        const loops::Expression& value = function.at(size.value);
        return value.kind == loops::ExpressionKind::Name && std::get<loops::SymbolId>(value.payload) == declare->symbol;
    });
}

/// Whether the line declares the variable of this let.
bool declaresVariable(const ir::TermBank& bank, const loops::Program& form, const Line& line, ir::TermId let) {
    const auto* declare = std::get_if<loops::Declare>(&line.statement->what);
    if (declare == nullptr || !bank.is(let, ir::CoreOp::Let) || !bank.hint(let).isValid()) return false;
    return form.functions[line.function.value].at(declare->symbol).hint == bank.text(bank.hint(let));
}

/// The places of the terms that lines come from.
class Places {
public:
    Places(const ir::TermBank& bank, const loops::Program& form, const std::vector<Line>& lines,
           const ProgramText& program)
        : m_bank(bank),
          m_form(form),
          m_program(program) {
        absl::flat_hash_set<ir::TermId> wanted;
        for (const Line& line : lines) {
            if (hasPlaces(line)) wanted.insert(line.statement->term);
        }
        const auto& nodes = program.nodes();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (wanted.contains(nodes[i].term)) m_places[nodes[i].term].push_back(static_cast<NodeIndex>(i));
        }
    }

    [[nodiscard]] std::vector<NodeIndex> of(const Line& line, const std::vector<ShownLoops::Line>& before) const {
        if (line.statement == nullptr && isOwn(line) && !line.text.empty()) return {0};
        if (!hasPlaces(line)) return {};
        const ir::TermId term = line.statement->term;
        const auto known = m_places.find(term);
        if (known == m_places.end()) return {};
        // Equal terms may stand in several places; those inside of what is around the line are meant.
        std::vector<NodeIndex> places;
        if (line.around) {
            for (const NodeIndex outer : before[*line.around].nodes) {
                take(known->second, outer, m_program.places().end(outer), places);
            }
        }
        if (places.empty()) take(known->second, 0, m_program.places().end(0), places);
        if (declaresVariable(m_bank, m_form, line, term)) {
            for (NodeIndex& place : places) place = m_program.child(place, 0);
        }
        return places;
    }

    [[nodiscard]] bool isOwn(const Line& line) const { return line.function.value + 1 == m_form.functions.size(); }

private:
    [[nodiscard]] bool hasPlaces(const Line& line) const {
        return line.statement != nullptr && line.statement->term.isValid() && isOwn(line) &&
               !isSizeOfParameter(m_form, line);
    }

    /// Adds those from begin to end that come after the ones there, as long as there are few.
    static void take(const std::vector<NodeIndex>& from, NodeIndex begin, NodeIndex end, std::vector<NodeIndex>& to) {
        if (!to.empty()) begin = std::max(begin, to.back() + 1);
        for (auto at = std::ranges::lower_bound(from, begin); at != from.end() && *at < end; ++at) {
            if (to.size() == ShownLoops::MostPlaces) return;
            to.push_back(*at);
        }
    }

    const ir::TermBank& m_bank;
    const loops::Program& m_form;
    const ProgramText& m_program;
    absl::flat_hash_map<ir::TermId, std::vector<NodeIndex>> m_places;
};

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

ShownLoops shown(const ir::TermBank& bank, const loops::Program& form, const ProgramText& program) {
    const std::vector<Line> lines = loops::lines(bank, form);
    const Places places(bank, form, lines, program);
    ShownLoops shown;
    for (const Line& line : lines) {
        const QString text = fromUtf8(line.text);
        const auto isSpace = [](QChar c) { return c.isSpace(); };
        const auto indentation = std::ranges::find_if_not(text, isSpace) - text.begin();
        const qsizetype begin = shown.text.size();
        shown.text += text + QLatin1Char('\n');
        shown.lines.push_back({{begin + indentation, begin + text.size()},
                               places.of(line, shown.lines),
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
                              const std::stop_token& stop) {
    const Result<loops::Program> form = loops::lower(bank, program);
    if (!form) return form.error();
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "the loop form was not needed any more"};
    ShownLoops result;
    withDeepStack(ir::nestingWithCalls(bank, program), [&] { result = shown(bank, *form, text); });
    return result;
}

}  // namespace mitos::views
