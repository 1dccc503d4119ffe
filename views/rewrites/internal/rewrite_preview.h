// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the effect of the selected rewrite: the subterm before and after with the difference marked, both costs, and the rule.
#pragma once

#include "core/ir/diff.h"
#include "views/rewrites/rewrite_list.h"
#include "views/theme/theme.h"

#include <QWidget>
#include <optional>

class QLabel;
class QPushButton;
class QTextCursor;
class QTextEdit;

namespace mitos::views {

/// A piece of text with one mark.
struct DiffRun {
    QString text;
    ir::DiffMark mark = ir::DiffMark::Kept;
};

struct DiffText {
    std::vector<DiffRun> before;
    std::vector<DiffRun> after;
    bool marked = true;  ///< false if the terms are too large to mark within a frame; then all runs are Kept
};

/// Both sides of a rewrite, printed as in their programs (names of bound variables, line breaks); for a graph, the
/// nodes that only one side has.
[[nodiscard]] DiffText diffText(const ir::TermBank& bank, const ir::Program& program, const rewrite::Rewrite& rewrite);

/// The data shown in the preview.
struct RewritePreviewContent {
    RewriteRow row;
    DiffText difference;
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
    void writeRuns(QTextCursor& cursor, const std::vector<DiffRun>& runs, bool before, const Theme& theme) const;

    QLabel* m_title;
    QLabel* m_cost;
    QPushButton* m_apply;
    QPushButton* m_help;
    QTextEdit* m_text;
    std::optional<RewritePreviewContent> m_content;
};

}  // namespace mitos::views
