// SPDX-License-Identifier: GPL-3.0-or-later
// Painting and hit testing. Every character has a cell of the same width, so that texts line up in any font.
#include "views/program/code_view.h"

#include "views/common/format.h"
#include "views/common/view_keys.h"
#include "views/program/internal/code_tokens.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::views {

namespace {

constexpr int Margin = 8;     // left and right of the text
constexpr int TopMargin = 4;  // above the first line
constexpr int LineSpace = 6;
constexpr double HotShare = 0.2;
constexpr int LargestZoom = 20;
constexpr int NoteGap = 24;   // between the text and its notes
constexpr int BarWidth = 44;  // of a line that costs everything
constexpr int ShortBarWidth = 20;
constexpr int MinimumColumns = 30;
constexpr int MaximumColumns = 110;

/// Whether a character takes one cell: letters of Latin and Greek, signs and arrows, but no combining marks or wide characters.
bool isCell(QChar c) {
    const char16_t unit = c.unicode();
    return unit < 0x300 || (unit >= 0x370 && unit < 0x400) || (unit >= 0x2010 && unit < 0x2C00);
}

QString shareText(double share) {
    return share < 0.0005 ? CodeView::tr("< 0.1 %")
                          : CodeView::tr("%1 %").arg(100.0 * share, 0, 'f', share < 0.0995 ? 1 : 0);
}

}  // namespace

CodeView::CodeView(QWidget* parent) : QAbstractScrollArea(parent), m_theme(palette()) {
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setCursor(Qt::ArrowCursor);
    viewport()->setBackgroundRole(QPalette::Base);
    viewport()->setAutoFillBackground(true);
    updateFont();
    auto* keys = new ViewKeys(this, tr("Program"));
    keys->describe(tr("Click"), tr("Select the innermost subterm; click again to widen"));
    keys->describe(tr("Ctrl + wheel"), tr("Larger, smaller text"));
}

void CodeView::updateFont() {
    const QFont font = programFont(m_zoom);
    viewport()->setFont(font);
    const QFontMetricsF metrics(font);
    m_charWidth = metrics.horizontalAdvance(QLatin1Char('m'));
    m_lineHeight = static_cast<int>(std::ceil(metrics.ascent() + metrics.descent())) + LineSpace;
    updateScrollBars();
    viewport()->update();
}

void CodeView::setText(const QString& text, bool toTop, CodeLanguage language) {
    m_text = text;
    m_language = language;
    m_notes.clear();
    m_lineStarts.assign(1, 0);
    m_longestLine = 0;
    for (qsizetype at = m_text.indexOf(QLatin1Char('\n')); at >= 0; at = m_text.indexOf(QLatin1Char('\n'), at + 1)) {
        m_longestLine = std::max(m_longestLine, at - m_lineStarts.back());
        if (at + 1 < m_text.size()) m_lineStarts.push_back(at + 1);
    }
    m_longestLine = std::max(m_longestLine, m_text.size() - m_lineStarts.back());
    for (auto& marks : m_marks) marks.clear();
    m_heat.clear();
    m_selected.clear();
    m_hovered = -1;
    updateScrollBars();
    if (toTop) {
        verticalScrollBar()->setValue(0);
        horizontalScrollBar()->setValue(0);
    }
    viewport()->update();
}

void CodeView::setNotes(std::vector<LineNote> notes, const QString& unit) {
    m_notes = std::move(notes);
    m_unit = unit;
    measureNotes();
    updateScrollBars();
    viewport()->update();
}

void CodeView::measureNotes() {
    const auto widest = std::ranges::max_element(m_notes, {}, [](const LineNote& note) { return note.text.size(); });
    const QFontMetricsF metrics(viewport()->font());
    m_noteWidth = widest == m_notes.end() ? 0 : static_cast<int>(std::ceil(metrics.horizontalAdvance(widest->text)));
}

void CodeView::setInlineNotes(bool areInline) {
    m_areNotesInline = areInline;
    updateScrollBars();
    viewport()->update();
}

void CodeView::setShortNotes(bool areShort) {
    m_areNotesShort = areShort;
    updateScrollBars();
    viewport()->update();
}

int CodeView::wholeWidth() const {
    return static_cast<int>(static_cast<double>(m_longestLine) * m_charWidth) + 2 * Margin +
           (m_notes.empty() ? 0 : gutterWidth());
}

int CodeView::gutterWidth() const {
    if (m_areNotesShort) return Margin + ShortBarWidth;
    if (m_areNotesInline) return 0;
    return NoteGap + (m_noteWidth > 0 ? m_noteWidth + Margin : 0) + BarWidth + Margin +
           QFontMetrics(viewport()->font()).horizontalAdvance(QStringLiteral("< 0.1 %")) + Margin;
}

int CodeView::gutterLeft() const {
    const auto textEnd = static_cast<int>(Margin + static_cast<double>(m_longestLine) * m_charWidth);
    return std::min(textEnd - horizontalScrollBar()->value(), viewport()->width() - gutterWidth());
}

void CodeView::setMarks(Mark mark, std::vector<TextRange> ranges) {
    m_marks[static_cast<std::size_t>(mark)] = std::move(ranges);
    viewport()->update();
}

void CodeView::setHeat(std::vector<HeatRange> ranges) {
    if (ranges == m_heat) return;
    m_heat = std::move(ranges);
    viewport()->update();
}

void CodeView::setSelected(std::optional<TextRange> range) {
    setSelectedRanges(range ? std::vector<TextRange>{*range} : std::vector<TextRange>());
}

void CodeView::setSelectedRanges(std::vector<TextRange> ranges) {
    QStringList texts;
    for (const TextRange& range : ranges) texts << m_text.mid(range.begin, range.end - range.begin).simplified();
    setAccessibleDescription(texts.join(QLatin1Char('\n')));
    m_selected = std::move(ranges);
    setMarks(Mark::Selected, m_selected);
}

void CodeView::ensureVisible(TextRange range) {
    const int first = lineOf(range.begin);
    const int last = lineOf(std::max(range.begin, range.end - 1));
    QScrollBar* bar = verticalScrollBar();
    const int page = std::max(1, bar->pageStep());
    if (first < bar->value() || last - first >= page) {
        bar->setValue(first);
    } else if (last >= bar->value() + page) {
        bar->setValue(last - page + 1);
    }
    const TextRange where = line(first);
    const double x = xOf(where, range.begin);
    QScrollBar* across = horizontalScrollBar();
    const int room = viewport()->width() - 2 * Margin - (m_notes.empty() ? 0 : gutterWidth());
    if (x < across->value() || x > across->value() + room) {
        across->setValue(static_cast<int>(x) - viewport()->width() / 3);
    }
}

bool CodeView::shows(TextRange range) const {
    const int first = verticalScrollBar()->value();
    return lineOf(range.begin) < first + verticalScrollBar()->pageStep() &&
           lineOf(std::max(range.begin, range.end - 1)) >= first;
}

int CodeView::columns() const {
    // Notes take room only where lines are long; the room is kept free in any case, so that the text stays as it is.
    const int fit = static_cast<int>((viewport()->width() - 2 * Margin - gutterWidth()) / m_charWidth);
    return std::clamp(fit, MinimumColumns, MaximumColumns);
}

void CodeView::zoom(int steps) {
    m_zoom = steps == 0 ? 0 : std::clamp(m_zoom + steps, -LargestZoom, LargestZoom);
    updateFont();
    if (columns() != m_columns) {
        m_columns = columns();
        Q_EMIT columnsChanged();
    }
}

int CodeView::lineOf(qsizetype position) const {
    const auto after = std::ranges::upper_bound(m_lineStarts, position);
    return static_cast<int>(after - m_lineStarts.begin()) - 1;
}

TextRange CodeView::line(int number) const {
    const auto index = static_cast<std::size_t>(number);
    const qsizetype begin = m_lineStarts[index];
    qsizetype end = index + 1 < m_lineStarts.size() ? m_lineStarts[index + 1] - 1 : m_text.size();
    if (end > begin && m_text[end - 1] == QLatin1Char('\n')) --end;
    return {begin, end};
}

qsizetype CodeView::indentEnd(int number) const {
    const TextRange range = line(number);
    qsizetype at = range.begin;
    while (at < range.end && m_text[at].isSpace()) ++at;
    return at;
}

double CodeView::xOf(TextRange line, qsizetype position) const {
    const QStringView before = QStringView(m_text).mid(line.begin, position - line.begin);
    if (std::ranges::all_of(before, isCell)) return static_cast<double>(before.size()) * m_charWidth;
    return QFontMetricsF(viewport()->font()).horizontalAdvance(before.toString());
}

std::optional<qsizetype> CodeView::positionAt(const QPoint& point) const {
    const int number = verticalScrollBar()->value() + (point.y() - TopMargin) / m_lineHeight;
    if (point.y() < TopMargin || number >= lineCount()) return std::nullopt;
    const TextRange range = line(number);
    const double x = point.x() - Margin + horizontalScrollBar()->value();
    if (x < 0 || (!m_notes.empty() && !m_areNotesInline && point.x() >= gutterLeft() + NoteGap / 2))
        return std::nullopt;
    auto position = range.begin + std::min(static_cast<qsizetype>(x / m_charWidth), range.end - range.begin);
    while (position > range.begin && xOf(range, position) > x) --position;
    if (position >= range.end || position < indentEnd(number)) return std::nullopt;
    return position;
}

std::optional<QRectF> CodeView::rectInLine(int number, TextRange range) const {
    const TextRange whole = line(number);
    const qsizetype begin = std::max(range.begin, indentEnd(number));
    const qsizetype end = std::min(range.end, whole.end);
    if (begin >= end) return std::nullopt;
    const double left = Margin - horizontalScrollBar()->value();
    const double x = left + xOf(whole, begin);
    const double y = TopMargin + (number - verticalScrollBar()->value()) * m_lineHeight;
    return QRectF(x, y, left + xOf(whole, end) - x, m_lineHeight);
}

QRect CodeView::rectOf(TextRange range) const {
    const auto rect = rectInLine(lineOf(range.begin), range);
    return rect ? rect->toAlignedRect() : QRect();
}

QColor CodeView::colourOf(Mark mark) const {
    switch (mark) {
        case Mark::Region: return m_theme.accent();
        case Mark::Shared: return m_theme.shared();
        case Mark::Selected: return m_theme.selected();
        case Mark::Moved: return m_theme.moved();
        case Mark::Removed: return m_theme.removed();
        case Mark::Added: return m_theme.added();
        case Mark::Found: return m_theme.costBar();
        case Mark::Hovered: return m_theme.faintText();
    }
    return {};
}

void CodeView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(viewport());
    painter.setFont(viewport()->font());
    const int first = verticalScrollBar()->value();
    const int last = std::min(lineCount(), first + viewport()->height() / m_lineHeight + 2);
    if (first >= lineCount()) return;
    const TextRange shown{line(first).begin, line(last - 1).end};
    paintHeat(painter, first, last);
    for (std::size_t layer = 0; layer < MarkCount; ++layer) {
        const auto& ranges = m_marks[layer];
        auto range = std::ranges::upper_bound(ranges, shown.begin, {}, &TextRange::end);
        const QColor colour = colourOf(static_cast<Mark>(layer));
        for (; range != ranges.end() && range->begin < shown.end; ++range) {
            const int to = std::min(last - 1, lineOf(range->end - 1));
            for (int number = std::max(first, lineOf(range->begin)); number <= to; ++number) {
                const auto rect = rectInLine(number, *range);
                if (!rect) continue;
                const auto mark = static_cast<Mark>(layer);
                if (mark != Mark::Hovered && mark != Mark::Region) painter.fillRect(*rect, colour);
                paintUnderline(painter, mark, *rect);
            }
        }
    }
    for (int number = first; number < last; ++number) {
        paintLine(painter, number, TopMargin + (number - first) * m_lineHeight);
    }
    paintOutlines(painter, first, last);
    if (m_areNotesInline) {
        paintInlineNotes(painter, first, last);
    } else if (!m_notes.empty()) {
        paintNotes(painter, first, last);
    }
}

void CodeView::paintHeat(QPainter& painter, int first, int last) const {
    constexpr double ThinLine = 1.0;
    constexpr double ThickLine = 3.0;
    const TextRange shown{line(first).begin, line(last - 1).end};
    auto range = std::ranges::upper_bound(m_heat, shown.begin, {}, [](const HeatRange& one) { return one.range.end; });
    for (; range != m_heat.end() && range->range.begin < shown.end; ++range) {
        const int to = std::min(last - 1, lineOf(range->range.end - 1));
        for (int number = std::max(first, lineOf(range->range.begin)); number <= to; ++number) {
            const auto rect = rectInLine(number, range->range);
            if (!rect) continue;
            painter.fillRect(*rect, m_theme.heat(range->heat));
            const double thick = ThinLine + (ThickLine - ThinLine) * range->heat;
            painter.fillRect(QRectF(rect->left(), rect->bottom() - thick, rect->width(), thick), m_theme.costBar());
        }
    }
}

void CodeView::paintNotes(QPainter& painter, int first, int last) const {
    const int left = gutterLeft();
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (horizontalScrollBar()->maximum() > 0) {  // the text goes on below the notes
        painter.fillRect(QRect(left + NoteGap / 2, 0, viewport()->width(), viewport()->height()),
                         palette().color(viewport()->backgroundRole()));
        painter.setPen(m_theme.line());
        painter.drawLine(left + NoteGap / 2, 0, left + NoteGap / 2, viewport()->height());
    }
    painter.setFont(viewport()->font());
    const double baseline = (m_lineHeight + painter.fontMetrics().ascent() - painter.fontMetrics().descent()) / 2.0;
    painter.setPen(m_theme.faintText());
    for (int number = first; number < last && number < static_cast<int>(m_notes.size()); ++number) {
        const LineNote& note = m_notes[static_cast<std::size_t>(number)];
        const int y = TopMargin + (number - first) * m_lineHeight;
        int x = left + (m_areNotesShort ? Margin : NoteGap);
        if (!m_areNotesShort) painter.drawText(QPointF(x, y + baseline), note.text);
        if (m_noteWidth > 0 && !m_areNotesShort) x += m_noteWidth + Margin;
        if (!(note.share > 0.0)) continue;
        const int whole = m_areNotesShort ? ShortBarWidth : BarWidth;
        int bar = static_cast<int>(std::lround(std::min(1.0, note.share) * whole));
        if (m_areNotesShort && bar < 2) continue;  // it would look like a stroke of the text
        bar = std::max(2, bar);
        painter.fillRect(QRect(x, y + m_lineHeight / 2 - 4, bar, 8),
                         note.share >= HotShare ? m_theme.costBar() : m_theme.coolBar());
        if (m_areNotesShort) continue;
        painter.drawText(QPointF(x + BarWidth + Margin, y + baseline), shareText(note.share));
    }
}

/// A column at the right of the text, if there is room for it, and else at the right edge; a longer line moves its note.
int CodeView::inlineNoteLeft(int number) const {
    const auto endOf = [this](double width) {
        return static_cast<int>(Margin + width) + NoteGap - horizontalScrollBar()->value();
    };
    const int column =
        std::min(endOf(static_cast<double>(m_longestLine) * m_charWidth), viewport()->width() - m_noteWidth - Margin);
    return std::max(column, endOf(xOf(line(number), line(number).end)));
}

void CodeView::paintInlineNotes(QPainter& painter, int first, int last) const {
    painter.setFont(viewport()->font());
    painter.setPen(m_theme.faintText());
    const double baseline = LineSpace / 2.0 + painter.fontMetrics().ascent();
    for (int number = first; number < last && number < static_cast<int>(m_notes.size()); ++number) {
        const LineNote& note = m_notes[static_cast<std::size_t>(number)];
        if (note.text.isEmpty()) continue;
        const int x = inlineNoteLeft(number);
        const int y = TopMargin + (number - first) * m_lineHeight;
        painter.drawText(QPointF(x, y + baseline),
                         elided(note.text, painter.fontMetrics(), viewport()->width() - Margin - x));
    }
}

void CodeView::paintLine(QPainter& painter, int number, double y) const {
    const TextRange range = line(number);
    const QStringView text = QStringView(m_text).mid(range.begin, range.end - range.begin);
    const double left = Margin - horizontalScrollBar()->value();
    const double baseline = y + LineSpace / 2.0 + painter.fontMetrics().ascent();
    bool isInCells = true;  // of the text so far; positions in other text must be measured
    for (qsizetype at = 0; at < text.size();) {
        const auto [length, token] = nextToken(m_language, text, at);
        const double x = left + (isInCells ? static_cast<double>(at) * m_charWidth : xOf(range, range.begin + at));
        if (x > viewport()->width()) return;
        const QStringView word = text.mid(at, length);
        isInCells = isInCells && std::ranges::all_of(word, isCell);
        at += length;
        if (word.front().isSpace() || (isInCells && x + static_cast<double>(length) * m_charWidth < 0.0)) continue;
        QColor colour = palette().color(QPalette::Text);
        if (token == Token::Keyword) colour = m_theme.keyword();
        if (token == Token::Literal) colour = m_theme.literal();
        if (token == Token::Type || token == Token::Comment || token == Token::Bracket) colour = m_theme.faintText();
        painter.setPen(colour);
        painter.drawText(QPointF(x, baseline), word.toString());
    }
}

void CodeView::paintUnderline(QPainter& painter, Mark mark, const QRectF& rect) const {
    QPen pen(palette().color(QPalette::Text), 1.0);
    switch (mark) {
        case Mark::Region: pen = QPen(m_theme.accent(), 2.0, Qt::DotLine); break;
        case Mark::Moved: pen.setStyle(Qt::DotLine); break;
        case Mark::Removed: pen.setStyle(Qt::DashLine); break;
        case Mark::Added: break;
        case Mark::Hovered: pen.setColor(m_theme.accent()); break;
        default: return;
    }
    painter.setPen(pen);
    painter.drawLine(rect.bottomLeft() - QPointF(0, 1), rect.bottomRight() - QPointF(0, 1));
}

void CodeView::paintOutlines(QPainter& painter, int first, int last) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.accent(), 1.5));
    painter.setBrush(Qt::NoBrush);
    for (const TextRange& range : m_selected) {
        QPainterPath outline;
        const int from = std::max(first - 1, lineOf(range.begin));
        const int to = std::min(last, lineOf(range.end - 1));
        for (int number = from; number <= to && number < lineCount(); ++number) {
            const auto rect = rectInLine(number, range);
            if (!rect) continue;
            QPainterPath box;
            box.addRect(rect->adjusted(-1.5, -0.5, 1.5, 0.5));
            outline = outline.united(box);
        }
        painter.drawPath(outline.simplified());
    }
}

void CodeView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const auto position = positionAt(event->pos())) {
        Q_EMIT clicked(*position);
    } else {
        Q_EMIT clickedBeside();
    }
}

void CodeView::mouseMoveEvent(QMouseEvent* event) {
    const qsizetype position = positionAt(event->pos()).value_or(-1);
    if (position == std::exchange(m_hovered, position)) return;
    Q_EMIT hovered(position);
}

void CodeView::leaveEvent(QEvent* /*event*/) {
    if (std::exchange(m_hovered, -1) != -1) Q_EMIT hovered(-1);
}

void CodeView::wheelEvent(QWheelEvent* event) {
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoom(event->angleDelta().y() > 0 ? 1 : -1);
        return;
    }
    QAbstractScrollArea::wheelEvent(event);
}

void CodeView::keyPressEvent(QKeyEvent* event) {
    QScrollBar* bar = verticalScrollBar();
    switch (event->key()) {
        case Qt::Key_Up: bar->triggerAction(QScrollBar::SliderSingleStepSub); return;
        case Qt::Key_Down: bar->triggerAction(QScrollBar::SliderSingleStepAdd); return;
        case Qt::Key_PageUp: bar->triggerAction(QScrollBar::SliderPageStepSub); return;
        case Qt::Key_PageDown: bar->triggerAction(QScrollBar::SliderPageStepAdd); return;
        case Qt::Key_Home: bar->setValue(0); return;
        case Qt::Key_End: bar->setValue(bar->maximum()); return;
        default: QAbstractScrollArea::keyPressEvent(event);
    }
}

void CodeView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
    if (std::exchange(m_columns, columns()) != columns()) Q_EMIT columnsChanged();
}

void CodeView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) m_theme = Theme(palette());
    if (event->type() == QEvent::FontChange) {
        measureNotes();
        updateFont();
    }
    QAbstractScrollArea::changeEvent(event);
}

QString CodeView::noteToolTip(const QPoint& point) const {
    const int number = std::max(0, verticalScrollBar()->value() + (point.y() - TopMargin) / m_lineHeight);
    if (number >= static_cast<int>(m_notes.size())) return {};
    const LineNote& note = m_notes[static_cast<std::size_t>(number)];
    if (m_areNotesInline) return point.x() >= inlineNoteLeft(number) ? note.toolTip : QString();
    if (point.x() < gutterLeft() + NoteGap / 2) return {};
    return note.share > 0.0 ? tr("%1 of the whole cost: %2").arg(shareText(note.share), amountText(note.cost, m_unit))
                            : tr("This line costs nothing.");
}

bool CodeView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !m_notes.empty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const QString text = noteToolTip(help->pos()); !text.isEmpty()) {
            QToolTip::showText(help->globalPos(), text, viewport());
            return true;
        }
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void CodeView::updateScrollBars() {
    const int page = std::max(1, (viewport()->height() - Margin) / m_lineHeight);
    verticalScrollBar()->setRange(0, std::max(0, lineCount() - page));
    verticalScrollBar()->setPageStep(page);
    horizontalScrollBar()->setRange(0, std::max(0, wholeWidth() - viewport()->width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(static_cast<int>(m_charWidth) * 4);
}

}  // namespace mitos::views
