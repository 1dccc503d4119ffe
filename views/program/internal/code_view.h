// SPDX-License-Identifier: GPL-3.0-or-later
// Shows ks text, coloured and read-only, with marked ranges. Draws only the visible lines, so its cost is independent of the length.
#pragma once

#include "views/program/program_text.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <array>
#include <optional>
#include <vector>

namespace mitos::views {

class CodeView : public QAbstractScrollArea {
    Q_OBJECT
public:
    /// The meaning of a background; later marks are drawn over earlier ones. No mark relies on colour alone: removed
    /// text has a dashed underline, added text a solid one, moved text a dotted one. Hovered is an underline only.
    enum class Mark { Shared, Selected, Moved, Removed, Added, Found, Hovered };
    static constexpr std::size_t MarkCount = 7;

    explicit CodeView(QWidget* parent = nullptr);

    /// Replaces the text and clears all marks. Scrolls to the top only if `toTop` is set.
    void setText(const QString& text, bool toTop);
    [[nodiscard]] const QString& text() const { return m_text; }
    /// Sets the ranges of a mark; they must be sorted and must not overlap.
    void setMarks(Mark mark, std::vector<TextRange> ranges);
    [[nodiscard]] const std::vector<TextRange>& marks(Mark mark) const {
        return m_marks[static_cast<std::size_t>(mark)];
    }
    /// Sets the selected range, which is outlined in addition to its background.
    void setSelected(std::optional<TextRange> range);
    void ensureVisible(TextRange range);
    /// Number of characters that fit on a line.
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

private:
    [[nodiscard]] int lineOf(qsizetype position) const;
    [[nodiscard]] TextRange line(int number) const;
    [[nodiscard]] qsizetype indentEnd(int number) const;
    [[nodiscard]] double xOf(TextRange line, qsizetype position) const;
    [[nodiscard]] std::optional<qsizetype> positionAt(const QPoint& point) const;
    [[nodiscard]] std::optional<QRectF> rectInLine(int number, TextRange range) const;
    [[nodiscard]] QColor colourOf(Mark mark) const;
    void paintLine(QPainter& painter, int number, double y) const;
    void paintUnderline(QPainter& painter, Mark mark, const QRectF& rect) const;
    void paintOutline(QPainter& painter, int first, int last) const;
    void updateFont();
    void updateScrollBars();

    Theme m_theme;
    QString m_text;
    std::vector<qsizetype> m_lineStarts{0};
    qsizetype m_longestLine = 0;
    std::array<std::vector<TextRange>, MarkCount> m_marks;
    std::optional<TextRange> m_selected;
    double m_charWidth = 8.0;
    int m_lineHeight = 16;
    int m_zoom = 0;
    int m_columns = 0;
    qsizetype m_hovered = -1;
};

}  // namespace mitos::views
