// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the text of a program, coloured and read-only, with marked ranges and notes at the right of its lines. Draws only the
// visible lines, so its cost is independent of the length.
#pragma once

#include "views/program/program_text.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace mitos::views {

/// How a text is coloured: the exchange form and the reading form of programs, and the loop form.
enum class CodeLanguage : std::uint8_t { Exchange, Reading, Loops };

[[nodiscard]] constexpr CodeLanguage languageOf(ProgramText::Form form) {
    return form == ProgramText::Form::Reading ? CodeLanguage::Reading : CodeLanguage::Exchange;
}

/// What stands at the right of a line: a text, and a share of the whole cost as a bar and a percentage.
struct LineNote {
    QString text;
    double share = 0.0;  ///< 0…1; nothing is drawn for 0
    double cost = 0.0;
    QString toolTip = {};  ///< of inline notes; that of others is the cost
};

/// A range of text and its heat, above 0 and at most 1.
struct HeatRange {
    TextRange range;
    double heat = 0.0;

    friend bool operator==(const HeatRange&, const HeatRange&) = default;
};

class CodeView : public QAbstractScrollArea {
    Q_OBJECT
public:
    /// The meaning of a background; later marks are drawn over earlier ones. No mark relies on colour alone: removed
    /// text has a dashed underline, added text a solid one, moved text and regions a dotted one. Hovered and
    /// regions are underlines only.
    enum class Mark { Region, Shared, Selected, Moved, Removed, Added, Found, Hovered };
    static constexpr std::size_t MarkCount = 8;

    explicit CodeView(QWidget* parent = nullptr);

    /// Replaces the text and clears all marks and notes. Scrolls to the top only if `toTop` is set.
    void setText(const QString& text, bool toTop, CodeLanguage language = CodeLanguage::Exchange);
    /// Sets a note for every line, none if empty, and the unit of their costs.
    void setNotes(std::vector<LineNote> notes, const QString& unit = {});
    /// Draws notes as texts without shares, each behind its own line, so that other lines keep the whole width.
    void setInlineNotes(bool areInline);
    /// Shows notes as short bars without numbers, where there is little room.
    void setShortNotes(bool areShort);
    /// The width at which the longest line and the notes fit beside each other.
    [[nodiscard]] int wholeWidth() const;
    [[nodiscard]] int lineHeight() const { return m_lineHeight; }
    [[nodiscard]] const std::vector<LineNote>& notes() const { return m_notes; }
    [[nodiscard]] const QString& text() const { return m_text; }
    /// Sets the ranges of a mark; they must be sorted and must not overlap.
    void setMarks(Mark mark, std::vector<TextRange> ranges);
    [[nodiscard]] const std::vector<TextRange>& marks(Mark mark) const {
        return m_marks[static_cast<std::size_t>(mark)];
    }
    /// Sets the ranges drawn as heat, below all marks: a background, and a line below the text that is the thicker the hotter. They must be
    /// sorted and must not overlap.
    void setHeat(std::vector<HeatRange> ranges);
    [[nodiscard]] const std::vector<HeatRange>& heat() const { return m_heat; }
    /// Sets the selected range, which is outlined in addition to its background.
    void setSelected(std::optional<TextRange> range);
    /// The same for several ranges, which are sorted and do not overlap.
    void setSelectedRanges(std::vector<TextRange> ranges);
    void ensureVisible(TextRange range);
    /// Whether a line of the range is in the viewport.
    [[nodiscard]] bool shows(TextRange range) const;
    /// The line, from 0, that a position is in.
    [[nodiscard]] int lineOf(qsizetype position) const;
    /// Number of characters that fit on a line beside notes.
    [[nodiscard]] int columns() const;
    /// Number of lines of the text.
    [[nodiscard]] int lineCount() const { return static_cast<int>(m_lineStarts.size()); }
    void zoom(int steps);  ///< 0: the default size
    /// Rectangle of the first line of a range, in the viewport.
    [[nodiscard]] QRect rectOf(TextRange range) const;

Q_SIGNALS:
    void clicked(qsizetype position);  ///< on the text
    void clickedBeside();              ///< outside the text
    void hovered(qsizetype position);  ///< -1: not on the text
    void columnsChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void measureNotes();
    [[nodiscard]] int gutterWidth() const;
    [[nodiscard]] int gutterLeft() const;  ///< in the viewport
    void paintNotes(QPainter& painter, int first, int last) const;
    void paintInlineNotes(QPainter& painter, int first, int last) const;
    [[nodiscard]] int inlineNoteLeft(int number) const;  ///< in the viewport
    [[nodiscard]] QString noteToolTip(const QPoint& point) const;
    [[nodiscard]] TextRange line(int number) const;
    [[nodiscard]] qsizetype indentEnd(int number) const;
    [[nodiscard]] double xOf(TextRange line, qsizetype position) const;
    [[nodiscard]] std::optional<qsizetype> positionAt(const QPoint& point) const;
    [[nodiscard]] std::optional<QRectF> rectInLine(int number, TextRange range) const;
    [[nodiscard]] QColor colourOf(Mark mark) const;
    void paintLine(QPainter& painter, int number, double y) const;
    void paintHeat(QPainter& painter, int first, int last) const;
    void paintUnderline(QPainter& painter, Mark mark, const QRectF& rect) const;
    void paintOutlines(QPainter& painter, int first, int last) const;
    void updateFont();
    void updateScrollBars();

    Theme m_theme;
    QString m_text;
    CodeLanguage m_language = CodeLanguage::Exchange;
    std::vector<LineNote> m_notes;  // by line, or empty
    QString m_unit;
    int m_noteWidth = 0;  // of the widest text of a note
    bool m_areNotesShort = false;
    bool m_areNotesInline = false;
    std::vector<qsizetype> m_lineStarts{0};
    qsizetype m_longestLine = 0;
    std::array<std::vector<TextRange>, MarkCount> m_marks;
    std::vector<HeatRange> m_heat;
    std::vector<TextRange> m_selected;
    double m_charWidth = 8.0;
    int m_lineHeight = 16;
    int m_zoom = 0;
    int m_columns = 0;
    qsizetype m_hovered = -1;
};

}  // namespace mitos::views
