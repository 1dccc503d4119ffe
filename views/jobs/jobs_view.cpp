// SPDX-License-Identifier: GPL-3.0-or-later
// Lists every running job with Stop and Discard.
#include "views/jobs/jobs_view.h"

#include "views/common/button_row.h"
#include "views/common/empty_state.h"
#include "views/common/layouts.h"
#include "views/common/widgets.h"
#include "views/jobs/internal/jobs_model.h"
#include "views/theme/theme.h"

#include <QHeaderView>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

namespace mitos::views {

JobsView::JobsView(Document& document, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_jobs(jobs),
      m_model(new JobsModel(jobs, this)),
      m_stack(new QStackedWidget(this)),
      m_table(new QTableView(this)),
      m_empty(new EmptyState(this)) {
    setObjectName(QStringLiteral("jobsView"));
    auto* buttons = new ButtonRow;
    m_stop = buttons->addButton(QStringLiteral("jobsStop"), tr("Stop"), tr("End the task and keep what it found"));
    m_discard =
        buttons->addButton(QStringLiteral("jobsDiscard"), tr("Discard"), tr("End the task and drop what it found"));
    m_clear =
        buttons->addButton(QStringLiteral("jobsClear"), tr("Clear Finished"), tr("Remove ended tasks from the list"));

    setUpRowTable(*m_table, *m_model, QStringLiteral("jobsTable"), tr("Tasks"));
    m_table->setItemDelegateForColumn(JobsModel::ProgressColumn, new ProgressDelegate(m_table));
    m_table->setAlternatingRowColors(false);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(JobsModel::StatusColumn, QHeaderView::Stretch);
    const auto width = [this](const char* sample) {
        return fontMetrics().horizontalAdvance(QString::fromUtf8(sample)) + 24;
    };
    m_table->setColumnWidth(JobsModel::TitleColumn, width("astar on reverse_conv1d"));
    m_table->setColumnWidth(JobsModel::ProgressColumn, width("Progress 100 %"));
    m_table->setColumnWidth(JobsModel::StateColumn, width("✓ finished"));
    m_table->setColumnWidth(JobsModel::ElapsedColumn, width("12 min 05 s"));
    m_empty->explain(tr("Nothing is running."));
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_empty);

    fillColumn(this, {buttons, {m_stack, 1}}, {.margins = NarrowMargins});

    connect(m_stop, &QToolButton::clicked, this, &JobsView::stopSelected);
    connect(m_discard, &QToolButton::clicked, this, &JobsView::discardSelected);
    connect(m_clear, &QToolButton::clicked, &m_jobs, &JobRunner::clearFinished);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &JobsView::updateState);
    connect(m_model, &JobsModel::rowsInserted, this, &JobsView::updateState);
    connect(m_model, &JobsModel::rowsRemoved, this, &JobsView::updateState);
    connect(m_model, &JobsModel::dataChanged, this, &JobsView::updateState);
    followPalette(this, [this] { updateTheme(); });
    updateState();
}

JobId JobsView::chosen() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (!rows.isEmpty()) return m_model->job(rows.front().row()).id;
    JobId only = 0;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const JobInfo& job = m_model->job(row);
        if (job.state != JobInfo::State::Running) continue;
        if (only != 0) return 0;
        only = job.id;
    }
    return only;
}

RunNumber JobsView::runOf(JobId job) const {
    const auto found = std::ranges::find(m_document.runs(), job, &Run::job);
    return found == m_document.runs().end() ? 0 : found->number;
}

void JobsView::updateState() {
    m_stack->setCurrentWidget(m_model->rowCount() > 0 ? static_cast<QWidget*>(m_table) : m_empty);
    const int row = m_model->rowOf(chosen());
    const bool running = row >= 0 && m_model->job(row).state == JobInfo::State::Running;
    m_stop->setEnabled(running);
    m_discard->setEnabled(running);
    bool ended = false;
    for (int i = 0; i < m_model->rowCount() && !ended; ++i) ended = m_model->job(i).state != JobInfo::State::Running;
    m_clear->setEnabled(ended);
}

void JobsView::stopSelected() {
    const JobId job = chosen();
    if (job == 0) return;
    if (const RunNumber run = runOf(job); run != 0) {
        m_document.stopRun(run);
    } else {
        m_jobs.stop(job);
    }
}

void JobsView::discardSelected() {
    const JobId job = chosen();
    if (job == 0) return;
    if (const RunNumber run = runOf(job); run != 0) {
        m_document.discardRun(run);
    } else {
        m_jobs.discard(job);
    }
}

void JobsView::updateTheme() {
    const Theme theme(palette());
    m_stop->setIcon(theme.icon(QStringLiteral("stop")));
    m_discard->setIcon(theme.icon(QStringLiteral("discard")));
}

}  // namespace mitos::views
