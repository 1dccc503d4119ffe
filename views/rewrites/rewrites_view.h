// SPDX-License-Identifier: GPL-3.0-or-later
// Lists all rewrites of the current state with their costs; one of them can be selected, previewed and applied.
#pragma once

#include "views/document/document.h"
#include "views/job_runner/job_runner.h"
#include "views/rewrites/rewrite_groups.h"

#include <QTimer>
#include <QWidget>
#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace mitos::views {

class EmptyState;
class RewriteDelegate;
class RewritePreview;

/// The list is computed in a background job on a snapshot; rows arrive in batches and keep their places until the list
/// is complete, then it is sorted by cost change, a long one in another job. Rewrites by one rule are grouped. Selecting a row sets
/// Selection::rewrite; a group's row stands for its best rewrite.
class RewritesView : public QWidget {
    Q_OBJECT
public:
    RewritesView(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);
    ~RewritesView() override;

    /// Whether the list of the current state is complete.
    [[nodiscard]] bool isComplete() const { return m_job == 0 && !m_groups->isArranging(); }
    /// Applies the selected rewrite; does nothing if none is selected.
    void applySelected();
    /// Shows only the rewrites whose rule or subterm contains the text, anywhere in the program.
    void filterBy(const QString& text);

Q_SIGNALS:
    void ruleHelpRequested(const QString& rule);
    void nearMissesRequested();  ///< asks for the reasons why no rule matches at the selected subterm

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void connectAll();
    void updateTheme();
    void reload();
    void takeRows();
    void finish(const RewriteTotals& totals);
    void sortRows();
    void showArranged();
    void updateSeen();
    void updateScope();
    void updateState();
    void showSelectedRow();
    void pointAt(const QModelIndex& index);
    void fitRows();
    void moveBy(int rows);
    void select(const QModelIndex& row);
    void addKeys();
    bool clickCount(const QPoint& point);
    void keepSelection();
    void setOpen(const QModelIndex& row, bool isOpen);
    void setScope(RewriteScope scope);
    [[nodiscard]] RewriteScope scope() const;
    [[nodiscard]] QModelIndex selectedRow() const;

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    RewritesModel* m_model;
    RewriteGroups* m_groups;
    QComboBox* m_scope;
    QComboBox* m_order;
    QLineEdit* m_search;
    QToolButton* m_grouping;
    QLabel* m_count;
    QStackedWidget* m_stack;
    QTableView* m_table;
    RewriteDelegate* m_delegate;
    EmptyState* m_empty;
    RewritePreview* m_preview;
    QTimer m_drain;

    JobId m_job = 0;
    std::shared_ptr<RewriteChannel> m_channel;
    std::size_t m_seen = 0;  ///< number of states of the history passed to the model
    int m_shownRow = -1;     ///< the row of the model that is previewed; -1: none
    ir::TermId m_rowsOf;     ///< the program that the rows are rewrites of
    bool m_cutOff = false;
    bool m_isSorting = false;  ///< the view scrolls once the rows are sorted
    bool m_settingRewrite = false;
};

}  // namespace mitos::views
