// SPDX-License-Identifier: GPL-3.0-or-later
// About the selected rewrite: both costs, the rule, and for a graph the nodes that it replaces. The program view shows the difference.
#pragma once

#include "views/rewrites/rewrite_list.h"
#include "views/theme/theme.h"

#include <QStringList>
#include <QTextCharFormat>
#include <QWidget>
#include <optional>

class QLabel;
class QPushButton;
class QTextCursor;
class QTextEdit;

namespace mitos::views {

/// The nodes of a graph that only one side of a rewrite has, a line each.
struct ReplacedNodes {
    QStringList before;
    QStringList after;
};

/// Empty for a tree: the program view shows both of its sides in full.
[[nodiscard]] ReplacedNodes replacedNodes(const ir::TermBank& bank, const ir::Program& program,
                                          const rewrite::Rewrite& rewrite);

/// The data shown in the preview.
struct RewritePreviewContent {
    RewriteRow row;
    ReplacedNodes nodes;
    double costBefore = 0.0;
    double delta = 0.0;  ///< 0 if the costs differ only by rounding
    QString unit;        ///< of the cost model
    QString model;       ///< its name
    QString doubt = {};  ///< why the rule is not trusted, if it is known to be doubtful
};

class RewritePreview : public QWidget {
    Q_OBJECT
public:
    explicit RewritePreview(QWidget* parent = nullptr);

    void setContent(std::optional<RewritePreviewContent> content);

Q_SIGNALS:
    void applyRequested();
    void helpRequested();  ///< asks for help on the rule

protected:
    void changeEvent(QEvent* event) override;

private:
    void render();
    void writeNodes(QTextCursor& cursor, const QStringList& nodes, const QColor& ground,
                    QTextCharFormat::UnderlineStyle underline) const;

    QLabel* m_title;
    QLabel* m_cost;
    QPushButton* m_apply;
    QPushButton* m_help;
    QTextEdit* m_text;
    std::optional<RewritePreviewContent> m_content;
};

}  // namespace mitos::views
