// SPDX-License-Identifier: GPL-3.0-or-later
// A read-only text with one marked range.
#pragma once

#include <QColor>
#include <QPlainTextEdit>
#include <string>
#include <string_view>

namespace mitos::views {

class MatchText : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit MatchText(const QString& name, const QString& title, QWidget* parent = nullptr);

    /// Does nothing if the text is unchanged.
    void setText(std::string_view utf8);
    /// Marks a half-open range of byte offsets and scrolls to it; an empty one marks nothing.
    void mark(std::size_t begin, std::size_t end);
    void setMarkColor(const QColor& color);

private:
    void updateMark();

    std::string m_utf8;
    int m_begin = 0;
    int m_end = 0;
    QColor m_color;
};

}  // namespace mitos::views
