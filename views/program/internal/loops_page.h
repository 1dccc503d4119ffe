// SPDX-License-Identifier: GPL-3.0-or-later
// The loop form of the current program as text, made in a job while it is visible.
#pragma once

#include "views/document/document.h"
#include "views/job_runner/query.h"
#include "views/program/internal/shown_loops.h"
#include "views/program/program_tree_model.h"

#include <QWidget>
#include <memory>
#include <optional>

class QCheckBox;
class QStackedWidget;

namespace mitos::views {

class EmptyState;

class LoopsPage : public QWidget {
    Q_OBJECT
public:
    LoopsPage(Document& document, JobRunner& jobs, QWidget* parent = nullptr);

    /// Shows the loop form of a program of the document; `content` is its layout. Null while that is not known: the old form stays, and is
    /// not linked with the program.
    void setContent(std::shared_ptr<const ProgramContent> content, const ir::Program& program);
    void clear();
    /// Whether the form, or the error, of the program is shown.
    [[nodiscard]] bool isComplete() const { return m_shownFor.has_value() && m_shownFor == m_wanted; }
    [[nodiscard]] CodeView& code() { return *m_code; }
    [[nodiscard]] const CodeView& code() const { return *m_code; }
    void setSelected(std::optional<NodeIndex> node);
    /// The places of the line of a position in the text, as in ShownLoops.
    [[nodiscard]] std::vector<NodeIndex> nodesAt(qsizetype position) const;
    /// The marked lines, or all if there are none.
    [[nodiscard]] QString selectedText() const;
    [[nodiscard]] QString textWithWork() const;

Q_SIGNALS:
    void lineChosen(qsizetype position);
    void nothingChosen();
    void textShown();  ///< another text, or none

protected:
    void showEvent(QShowEvent* event) override;

private:
    void request();
    void makeAgain();
    void take(const ir::Program& program, Result<ShownLoops> loops);
    void explain(const QString& text);
    void showSelected();
    void hoverAt(qsizetype position);

    Document& m_document;
    std::shared_ptr<const ProgramContent> m_content;
    std::optional<ir::Program> m_wanted;    ///< the program of the content
    std::optional<ir::Program> m_asked;     ///< whose form a job makes
    std::optional<ir::Program> m_shownFor;  ///< whose form, or error, is shown
    ShownLoops m_loops;
    std::optional<NodeIndex> m_selected;
    bool m_isFirst = true;  ///< nothing of the open program was shown yet
    QStackedWidget* m_pages;
    CodeView* m_code;
    EmptyState* m_empty;
    QCheckBox* m_exported;
    Query m_query;
};

}  // namespace mitos::views
