// SPDX-License-Identifier: GPL-3.0-or-later
// Table of the visible jobs, the delegate that draws their progress bars, and the view of both.
#include "views/jobs/jobs_view.h"

#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QDateTime>
#include <QHeaderView>
#include <QStackedWidget>
#include <QStyleOptionProgressBar>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace mitos::views {

namespace {

constexpr int TickMs = 500;
constexpr double MsPerSecond = 1000.0;

}  // namespace

JobsModel::JobsModel(JobRunner& jobs, QObject* parent)
    : TableModel({{tr("Task")}, {tr("Progress")}, {tr("State")}, {tr("Elapsed")}, {tr("Status")}}, parent),
      m_jobs(jobs) {
    connect(&jobs, &JobRunner::jobAdded, this, &JobsModel::add);
    connect(&jobs, &JobRunner::jobChanged, this, &JobsModel::update);
    connect(&jobs, &JobRunner::jobsCleared, this, &JobsModel::removeGone);
    connect(&m_clock, &QTimer::timeout, this, &JobsModel::tick);
    m_clock.setInterval(TickMs);
    for (const JobInfo& job : jobs.jobs()) add(job.id);
}

const JobInfo* JobsModel::find(JobId id) const {
    const auto found = std::ranges::find(m_jobs.jobs(), id, &JobInfo::id);
    return found == m_jobs.jobs().end() ? nullptr : &*found;
}

int JobsModel::rowOf(JobId id) const {
    const auto found = std::ranges::find(m_rows, id, &JobInfo::id);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

void JobsModel::add(JobId id) {
    const JobInfo* job = find(id);
    if (job == nullptr || !job->visible || rowOf(id) >= 0) return;
    beginInsertRows({}, rowCount(), rowCount());
    m_rows.push_back(*job);
    endInsertRows();
    if (job->state == JobInfo::State::Running) m_clock.start();
}

void JobsModel::update(JobId id) {
    const JobInfo* job = find(id);
    const int row = rowOf(id);
    if (job == nullptr || row < 0) return;
    m_rows[static_cast<std::size_t>(row)] = *job;
    Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void JobsModel::removeGone() {
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (find(job(row).id) != nullptr) continue;
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        endRemoveRows();
    }
}

void JobsModel::tick() {
    bool running = false;
    for (int row = 0; row < rowCount(); ++row) {
        if (job(row).state != JobInfo::State::Running) continue;
        running = true;
        Q_EMIT dataChanged(index(row, ElapsedColumn), index(row, ElapsedColumn), {Qt::DisplayRole});
    }
    if (!running) m_clock.stop();
}

QString JobsModel::stateText(JobInfo::State state) {
    switch (state) {
        case JobInfo::State::Running: return tr("▶ running");
        case JobInfo::State::Finished: return tr("✓ finished");
        case JobInfo::State::Failed: return tr("✗ failed");
        case JobInfo::State::Stopped: return tr("■ stopped");
    }
    return {};
}

QVariant JobsModel::cell(int row, int column, int role) const {
    const JobInfo& job = this->job(row);
    const bool running = job.state == JobInfo::State::Running;
    if (role == ProgressRole && column == ProgressColumn) {
        return job.state == JobInfo::State::Finished ? 1.0 : job.progress;
    }
    if (role == Qt::ToolTipRole && column == StatusColumn) return job.status;
    if (role != Qt::DisplayRole) return {};
    switch (column) {
        case TitleColumn: return job.title;
        case ProgressColumn: return job.progress < 0 ? QString() : tr("%1 %").arg(std::lround(job.progress * 100));
        case StateColumn: return stateText(job.state);
        case ElapsedColumn: {
            const qint64 ms = running ? QDateTime::currentMSecsSinceEpoch() - job.startedMs : job.elapsedMs;
            return durationText(static_cast<double>(std::max<qint64>(ms, 0)) / MsPerSecond);
        }
        case StatusColumn: return job.status;
        default: return {};
    }
}

void ProgressDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem background = option;
    initStyleOption(&background, index);
    background.text.clear();
    const QStyle& style = option.widget != nullptr ? *option.widget->style() : *QApplication::style();
    style.drawControl(QStyle::CE_ItemViewItem, &background, painter, option.widget);

    const double progress = index.data(JobsModel::ProgressRole).toDouble();
    QStyleOptionProgressBar bar;
    bar.rect = option.rect.adjusted(3, 3, -3, -3);
    bar.state = option.state | QStyle::State_Horizontal;
    bar.palette = option.palette;
    bar.fontMetrics = option.fontMetrics;
    bar.direction = option.direction;
    bar.minimum = 0;
    bar.maximum = 100;
    bar.progress = progress < 0 ? 0 : static_cast<int>(std::lround(std::clamp(progress, 0.0, 1.0) * 100));
    bar.text = progress < 0 ? QStringLiteral("…") : tr("%1 %").arg(bar.progress);
    bar.textVisible = true;
    bar.textAlignment = Qt::AlignCenter;
    style.drawControl(QStyle::CE_ProgressBar, &bar, painter, option.widget);
}

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
    m_stop = buttons->addButton(QStringLiteral("jobsStop"), tr("Stop"), tr("Stop the task and keep its results"));
    m_discard =
        buttons->addButton(QStringLiteral("jobsDiscard"), tr("Discard"), tr("Stop the task and discard its results"));
    m_clear =
        buttons->addButton(QStringLiteral("jobsClear"), tr("Clear Finished"), tr("Remove ended tasks from the list"));

    setUpRowTable(*m_table, *m_model, QStringLiteral("jobsTable"), tr("Tasks"));
    m_table->setItemDelegateForColumn(JobsModel::ProgressColumn, new ProgressDelegate(m_table));
    m_table->setAlternatingRowColors(false);
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
