// SPDX-License-Identifier: GPL-3.0-or-later
// Colours the text of a rule set.
#pragma once

#include "core/rules/language/editing.h"

#include <QHash>
#include <QObject>
#include <QTextBlock>
#include <QTextCharFormat>
#include <QTextLayout>

class QTextDocument;

namespace mitos::views {

class Theme;

/// Lines are coloured when they are drawn, each once until it changes. A text of any length therefore costs what is visible of it;
/// QSyntaxHighlighter colours all lines at once.
class RuleHighlighter : public QObject {
    Q_OBJECT
public:
    explicit RuleHighlighter(QTextDocument* document);

    /// All lines are coloured anew when they are drawn next.
    void setTheme(const Theme& theme);
    void colour(QTextBlock line);

private:
    void forget(int position, int removed, int added);
    [[nodiscard]] QList<QTextLayout::FormatRange> rangesOf(const QString& text) const;

    QTextDocument* m_document;
    QHash<int, QTextCharFormat> m_formats;  ///< by PartKind
    QTextCharFormat m_arrow;
    int m_theme = 0;  ///< number of the theme, which is the state of lines that have its colours
};

}  // namespace mitos::views
