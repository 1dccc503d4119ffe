// SPDX-License-Identifier: GPL-3.0-or-later
// Shows ks text: coloured, read-only, with ranges marked. Draws only the visible lines, so size does not matter.
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
    /// What a background says; later ones are drawn over earlier ones. Never by colour alone: what is removed has a
    /// dashed line below it, what is added a plain one, what moved a dotted one. Hovered is a line only.
    enum class Mark { Shared, Selected, Moved, Removed, Added, Found, Hovered };
    static constexpr std::size_t MarkCount = 7;

    explicit CodeView(QWidget* parent = nullptr);

    /// Replaces the text and forgets all marks. Scrolls to the top only if asked.
    void setText(const QString& text, bool toTop);
    [[nodiscard]] const QString& text() const { return m_text; }
    /// Ranges that do not overlap, in order.
    void setMarks(Mark mark, std::vector<TextRange> ranges);
    [[nodiscard]] const std::vector<TextRange>& marks(Mark mark) const {
        return m_marks[static_cast<std::size_t>(mark)];
    }
    /// Outlined, besides its background.
    void setSelected(std::optional<TextRange> range);
    void ensureVisible(TextRange range);
    /// Characters that fit beside each other.
    [[nodiscard]] int columns() const;
    /// Lines the text has.
    [[nodiscard]] int lineCount() const { return static_cast<int>(m_lineStarts.size()); }
    /// Height at which every line shows.
    [[nodiscard]] int fullHeight() const;
    void zoom(int steps);  ///< 0: back to the usual size
    /// Rectangle of the first line of a range, in the viewport.
    [[nodiscard]] QRect rectOf(TextRange range) const;

Q_SIGNALS:
    void clicked(qsizetype position);  ///< a place in the text
    void clickedBeside();              ///< outside it
    void hovered(qsizetype position);  ///< -1: nowhere
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
