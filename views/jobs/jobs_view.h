// SPDX-License-Identifier: GPL-3.0-or-later
// Lists every running job with Stop and Discard; finished jobs stay until they are cleared.
#pragma once

#include "views/document/document.h"
#include "views/job_runner/job_runner.h"

#include <QWidget>

class QStackedWidget;
class QTableView;
class QToolButton;

namespace mitos::views {

class EmptyState;
class JobsModel;

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
