// SPDX-License-Identifier: GPL-3.0-or-later
// Table of the visible jobs, and the delegate that draws their progress bars.
#pragma once

#include "views/common/table_model.h"
#include "views/job_runner/job_runner.h"

#include <QStyledItemDelegate>
#include <QTimer>

namespace mitos::views {

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

}  // namespace mitos::views
