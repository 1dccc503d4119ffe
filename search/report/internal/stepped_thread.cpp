// SPDX-License-Identifier: GPL-3.0-or-later
// See stepped_thread.h.
#include "search/report/internal/stepped_thread.h"

#include "core/dialects/dialects.h"
#include "core/ir/diff.h"
#include "core/rewrite/stated_thread.h"
#include "search/report/html.h"

#include <fmt/format.h>

#include <algorithm>

namespace mitos::search::report {

namespace {

constexpr std::size_t LongestTerm = 90;
constexpr std::size_t LongestWholeText = 60;  // lines; longer programs are shown near the changes
constexpr std::size_t LinesAround = 2;

/// The program as people read it, with the place of every node.
ir::PrintedText readingForm(const ir::TermBank& bank, const ir::Program& program) {
    return bank.dialect(program.function).printMath != nullptr ? dialects::printMath(bank, program, ir::MathForm::Text)
                                                               : dialects::printWithSpans(bank, program);
}

std::string_view textAt(const ir::PrintedText& text, const ir::Path& place) {
    const ir::PrintedSpan* span = text.find(place);
    if (span == nullptr) return {};
    return std::string_view(text.text).substr(span->begin, span->end - span->begin);
}

/// The name that a definition begins with: "X" of "X[i<n] = …"; empty if the text is none.
std::string_view definedName(std::string_view text) {
    const std::size_t equals = std::min(text.find(" = "), text.find(" =\n"));
    if (equals == std::string_view::npos) return {};
    const std::string_view left = text.substr(0, equals);
    const std::string_view name = left.substr(0, left.find('['));
    const bool isName = !name.empty() && name.find_first_of(" \n()") == std::string_view::npos;
    return isName ? name : std::string_view();
}

/// The subterm as one short line; empty if it is longer.
std::string shortTerm(const ir::PrintedText& text, const ir::Path& place) {
    const std::string line = shortened(textAt(text, place), LongestTerm);
    return line.ends_with("…") || textAt(text, place).find('\n') != std::string_view::npos ? std::string() : line;
}

/// In a graph the name of the node. In a tree the name that the let there defines, or "in X" for a place in the value of the innermost
/// let, which gives it to X.
std::string placeText(const ir::TermBank& bank, const ir::Program& program, const ir::PrintedText& text,
                      const ir::Path& place) {
    if (bank.dialect(program.function).sharesNodes()) return shortened(definedName(textAt(text, place)), LongestTerm);
    const std::optional<ir::TermId> target = ir::subterm(bank, program.root, place);
    if (target && bank.is(*target, ir::CoreOp::Let)) {
        const std::string_view own = definedName(textAt(text, place));
        if (!own.empty()) return shortened(own, LongestTerm);
    }
    std::optional<std::size_t> levels;  // of the innermost let
    ir::TermId term = program.root;
    for (std::size_t level = 0; level < place.size() && place[level] < bank.childCount(term); ++level) {
        if (bank.is(term, ir::CoreOp::Let) && place[level] == 0) levels = level;
        term = bank.child(term, place[level]);
    }
    if (!levels) return {};
    const ir::Path let(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(*levels));
    const std::string_view name = definedName(textAt(text, let));
    return name.empty() ? std::string() : "in " + shortened(name, LongestTerm);
}

/// How each byte of a program is shown.
struct Marks {
    enum Kind : std::uint8_t { Plain = 0, Changed = 1, Moved = 2, Next = 4 };
    std::string kinds;

    explicit Marks(const ir::PrintedText& text) : kinds(text.text.size(), char{Plain}) {}

    /// Marks what differs from the state before. Text belongs to the innermost node; spans are in pre-order, so later ones are
    /// further in.
    void setChanges(const ir::PrintedText& text, const std::vector<ir::DiffMark>& marks) {
        fill(text, marks, static_cast<char>(~(Changed | Moved)), Changed, Moved);
    }
    /// Marks what the next state lacks.
    void setNext(const ir::PrintedText& text, const std::vector<ir::DiffMark>& marks) {
        fill(text, marks, static_cast<char>(~Next), Next, Plain);
    }

private:
    void fill(const ir::PrintedText& text, const std::vector<ir::DiffMark>& marks, char kept, Kind changed,
              Kind moved) {
        for (std::size_t i = 0; i < std::min(text.spans.size(), marks.size()); ++i) {
            const Kind kind = marks[i] == ir::DiffMark::Changed ? changed
                              : marks[i] == ir::DiffMark::Moved ? moved
                                                                : Plain;
            for (std::size_t at = text.spans[i].begin; at < text.spans[i].end; ++at) {
                kinds[at] = static_cast<char>((kinds[at] & kept) | kind);
            }
        }
    }
};

/// A line as HTML. Blanks at its beginning are not marked.
std::string lineHtml(std::string_view line, std::string_view kinds) {
    std::string html;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    html += line.substr(0, indent);
    for (std::size_t begin = indent; begin < line.size();) {
        std::size_t end = begin;
        while (end < line.size() && kinds[end] == kinds[begin]) ++end;
        const auto kind = static_cast<std::uint8_t>(kinds[begin]);
        const bool isNext = (kind & Marks::Next) != 0;
        const bool isChanged = (kind & Marks::Changed) != 0;
        const bool isMoved = (kind & Marks::Moved) != 0;
        if (isMoved) html += "<ins class=\"moved\">";
        if (isChanged) html += "<ins>";
        if (isNext) html += "<u>";
        html += escaped(line.substr(begin, end - begin));
        if (isNext) html += "</u>";
        if (isChanged) html += "</ins>";
        if (isMoved) html += "</ins>";
        begin = end;
    }
    return html;
}

/// The text as HTML; of a long one, the lines near marks, or its beginning if there are no marks.
std::string markedHtml(const ir::PrintedText& text, const Marks& marks) {
    struct Line {
        std::size_t begin;
        std::size_t end;
    };
    std::vector<Line> lines;
    for (std::size_t begin = 0; begin < text.text.size();) {
        const std::size_t end = std::min(text.text.find('\n', begin), text.text.size());
        lines.push_back({begin, end});
        begin = end + 1;
    }
    std::vector<bool> isShown(lines.size(), lines.size() <= LongestWholeText);
    bool isMarked = false;
    for (std::size_t i = 0; i < lines.size() && lines.size() > LongestWholeText; ++i) {
        const auto kinds = std::string_view(marks.kinds).substr(lines[i].begin, lines[i].end - lines[i].begin);
        if (kinds.find_first_not_of(char{Marks::Plain}) == std::string_view::npos) continue;
        isMarked = true;
        const std::size_t last = std::min(i + LinesAround + 1, lines.size());
        for (std::size_t k = i - std::min(i, LinesAround); k < last; ++k) isShown[k] = true;
    }
    if (!isMarked) std::fill_n(isShown.begin(), std::min(lines.size(), LongestWholeText), true);
    std::string html;
    std::size_t hidden = 0;
    const auto closeGap = [&] {
        if (hidden > 0) html += fmt::format("<i>⋯ {} more line{}</i>\n", hidden, hidden == 1 ? "" : "s");
        hidden = 0;
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!isShown[i]) {
            ++hidden;
            continue;
        }
        closeGap();
        const std::size_t length = lines[i].end - lines[i].begin;
        html += lineHtml(std::string_view(text.text).substr(lines[i].begin, length),
                         std::string_view(marks.kinds).substr(lines[i].begin, length)) +
                "\n";
    }
    closeGap();
    return html;
}

/// Fills in what the replayed thread adds to the states.
class Replayed {
public:
    Replayed(const ir::TermBank& bank, const rewrite::Thread& thread, SteppedThread& result, std::size_t bytes)
        : m_bank(bank),
          m_thread(thread),
          m_result(result),
          m_left(bytes),
          m_text(readingForm(bank, thread.start)) {}

    void fill() {
        m_result.start = dialects::printProgram(m_bank, m_thread.start);
        m_result.end = dialects::printProgram(m_bank, m_thread.end());
        Marks marks(m_text);
        for (std::size_t i = 0; i < m_thread.steps.size() && m_left > 0; ++i) {
            const ir::Diff difference =
                ir::diff(m_bank, program(i).root, program(i + 1).root, m_bank.dialect(m_thread.start.function).sharing);
            marks.setNext(m_text, difference.before);
            showProgram(i, marks);
            takeStep(i);
            marks = Marks(m_text);
            marks.setChanges(m_text, difference.after);
        }
        showProgram(m_thread.steps.size(), marks);
        const auto omitted = std::ranges::count(m_result.states, std::string(), &ShownState::program);
        if (omitted > 0 && m_result.note.empty()) {
            m_result.note = fmt::format("The programs of {} of {} steps are left out, to keep this page small.",
                                        omitted, m_result.states.size() - 1);
        }
    }

private:
    [[nodiscard]] ir::Program program(std::size_t state) const {
        return {m_thread.start.function, state == 0 ? m_thread.start.root : m_thread.states[state - 1]};
    }

    /// Goes on to the text after the step, and says what it did.
    void takeStep(std::size_t index) {
        const rewrite::Step& step = m_thread.steps[index];
        ShownState& shown = m_result.states[index + 1];
        shown.rule = step.name();
        std::string place;
        for (const ir::Path& one : step.positions) {
            const std::string text = placeText(m_bank, program(index), m_text, one);
            if (!text.empty()) place += (place.empty() ? "" : ", ") + text;
        }
        shown.place = shortened(place, LongestTerm);
        const bool isTree = !m_bank.dialect(m_thread.start.function).sharesNodes();
        if (isTree) shown.before = shortTerm(m_text, step.positions.front());
        m_text = readingForm(m_bank, program(index + 1));
        if (isTree) shown.after = shortTerm(m_text, step.positions.front());
    }

    void showProgram(std::size_t state, const Marks& marks) {
        if (m_left == 0) return;
        std::string html = markedHtml(m_text, marks);
        if (html.size() > m_left) {
            m_left = 0;
            return;
        }
        m_left -= html.size();
        m_result.states[state].program = std::move(html);
    }

    const ir::TermBank& m_bank;
    const rewrite::Thread& m_thread;
    SteppedThread& m_result;
    std::size_t m_left;
    ir::PrintedText m_text;  ///< of the state shown last
};

}  // namespace

SteppedThread steppedThread(const Run& run, const rules::RuleBook& rules, std::size_t bytes) {
    SteppedThread result;
    const SourceText source("thread", run.thread);
    const Result<rewrite::StatedThread> stated = rewrite::statedThread(source);
    if (!stated) {
        result.note = "The thread cannot be read: " + stated.error().oneLine();
        return result;
    }
    for (std::size_t i = 0; i < stated->states.size(); ++i) {
        ShownState& state = result.states.emplace_back();
        if (i > 0) state.rule = stated->rules[i - 1];
        state.cost = stated->states[i].cost;
    }
    ir::TermBank bank(rules.registry());
    const Result<rewrite::Replay> replay = rewrite::readThread(bank, source, rules);
    if (!replay) {
        result.note = "The programs are not shown: " + replay.error().oneLine();
    } else if (replay->thread.steps.size() + 1 != result.states.size()) {
        result.note = fmt::format("The programs are shown up to step {} only: {}", replay->thread.steps.size(),
                                  replay->report.reason);
    }
    if (replay) Replayed(bank, replay->thread, result, bytes).fill();
    return result;
}

}  // namespace mitos::search::report
