// SPDX-License-Identifier: GPL-3.0-or-later
// Lists every running job with Stop and Discard; finished jobs stay until they are cleared.
#pragma once

#include "views/common/table_model.h"
#include "views/document/document.h"
#include "views/job_runner/job_runner.h"

#include <QStyledItemDelegate>
#include <QTimer>

class QStackedWidget;
class QTableView;
class QToolButton;

namespace mitos::views {

class EmptyState;

/// Follows the runner; rows are in the order in which the jobs were started.
class JobsModel : public TableModel {
    Q_OBJECT
public:
    enum Column { TitleColumn, ProgressColumn, StateColumn, ElapsedColumn, StatusColumn, ColumnCount };
    /// Progress 0…1, negative while unknown (ProgressColumn).
    static constexpr int ProgressRole = Qt::UserRole;

    explicit JobsModel(JobRunner& jobs, QObject* parent = nullptr);

    [[nodiscard]] const JobInfo& job(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int rowOf(JobId id) const;  ///< -1 if it is not listed

private:
    [[nodiscard]] std::size_t rows() const override { return m_rows.size(); }
    [[nodiscard]] QVariant cell(int row, int column, int role) const override;
    void add(JobId id);
    void update(JobId id);
    void removeGone();
    void tick();
    [[nodiscard]] const JobInfo* find(JobId id) const;
    [[nodiscard]] static QString stateText(JobInfo::State state);

    JobRunner& m_jobs;
    std::vector<JobInfo> m_rows;
    QTimer m_clock;
};

/// Draws ProgressRole as a bar with its percentage; as an empty bar with "working" while the progress is unknown.
class ProgressDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class JobsView : public QWidget {
    Q_OBJECT
public:
    JobsView(Document& document, JobRunner& jobs, QWidget* parent = nullptr);

private:
    void updateTheme();
    void updateState();
    void stopSelected();
    void discardSelected();
    /// The selected job, else the only running one; 0 if there is none.
    [[nodiscard]] JobId chosen() const;
    [[nodiscard]] RunNumber runOf(JobId job) const;

    Document& m_document;
    JobRunner& m_jobs;
    JobsModel* m_model;
    QStackedWidget* m_stack;
    QTableView* m_table;
    EmptyState* m_empty;
    QToolButton* m_stop = nullptr;
    QToolButton* m_discard = nullptr;
    QToolButton* m_clear = nullptr;
};

}  // namespace mitos::views
