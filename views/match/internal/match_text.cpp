// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/match/internal/match_text.h"

#include "views/common/format.h"

#include <QFontDatabase>
#include <QTextCursor>
#include <algorithm>

namespace mitos::views {

MatchText::MatchText(const QString& name, const QString& title, QWidget* parent) : QPlainTextEdit(parent) {
    setObjectName(name);
    setAccessibleName(title);
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::WidgetWidth);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setPlaceholderText(title);
}

void MatchText::setText(std::string_view utf8) {
    if (utf8 == m_utf8) return;
    m_utf8 = utf8;
    setPlainText(fromUtf8(utf8));
    mark(0, 0);
}

void MatchText::mark(std::size_t begin, std::size_t end) {
    // Offsets are in bytes; the widget counts UTF-16 units.
    const std::string_view text = m_utf8;
    const auto position = [text](std::size_t offset) {
        return static_cast<int>(fromUtf8(text.substr(0, std::min(offset, text.size()))).size());
    };
    m_begin = position(begin);
    m_end = position(end);
    updateMark();
}

void MatchText::setMarkColor(const QColor& color) {
    m_color = color;
    updateMark();
}

void MatchText::updateMark() {
    if (m_begin == m_end) {
        setExtraSelections({});
        return;
    }
    QTextEdit::ExtraSelection marked;
    marked.cursor = QTextCursor(document());
    marked.cursor.setPosition(m_begin);
    marked.cursor.setPosition(m_end, QTextCursor::KeepAnchor);
    marked.format.setBackground(m_color);
    setExtraSelections({marked});
    QTextCursor start(document());
    start.setPosition(m_begin);
    setTextCursor(start);
    ensureCursorVisible();
}

}  // namespace mitos::views
