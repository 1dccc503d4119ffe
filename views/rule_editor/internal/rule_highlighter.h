// SPDX-License-Identifier: GPL-3.0-or-later
// Colours the text of a rule set.
#pragma once

#include "core/rules/language/editing.h"

#include <QHash>
#include <QSyntaxHighlighter>
#include <QTextCharFormat>

namespace mitos::views {

class Theme;

class RuleHighlighter : public QSyntaxHighlighter {
    Q_OBJECT
public:
    explicit RuleHighlighter(QTextDocument* document);

    void setTheme(const Theme& theme);

protected:
    void highlightBlock(const QString& text) override;

private:
    QHash<int, QTextCharFormat> m_formats;  ///< by PartKind
    QTextCharFormat m_arrow;
};

}  // namespace mitos::views
