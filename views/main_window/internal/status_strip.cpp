// SPDX-License-Identifier: GPL-3.0-or-later
// Summarizes the session and the running jobs in one line.
#include "views/main_window/internal/status_strip.h"

#include "views/common/format.h"
#include "views/common/layouts.h"
#include "views/common/widgets.h"
#include "views/theme/theme.h"

#include <QLabel>
#include <QToolButton>

namespace mitos::views {

StatusStrip::StatusStrip(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_session(new QLabel(this)),
      m_job(new QLabel(this)),
      m_stop(new QToolButton(this)) {
    setObjectName(QStringLiteral("statusStrip"));
    m_session->setObjectName(QStringLiteral("sessionStatus"));
    m_session->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_job->setObjectName(QStringLiteral("jobStatus"));
    setUpWidget(m_stop, "jobStop", tr("Stop this job; what it found so far is kept"));
    m_stop->setText(tr("Stop"));
    m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_stop->setAutoRaise(true);
    fillRow(this, {{m_session, 1}, m_job, m_stop}, {.margins = QMargins(8, 0, 4, 0)});
    setMinimumHeight(m_stop->sizeHint().height());

    connect(m_stop, &QToolButton::clicked, this, [this] { m_jobs.stop(m_shownJob); });
    connect(&document, &Document::closed, this, &StatusStrip::showSession);
    connect(&document, &Document::opened, this, &StatusStrip::showSession);
    connect(&document, &Document::historyChanged, this, &StatusStrip::showSession);
    connect(&document, &Document::currentChanged, this, &StatusStrip::showSession);
    connect(&document, &Document::costModelChanged, this, &StatusStrip::showSession);
    connect(&selection, &Selection::runChanged, this, &StatusStrip::showSession);
    connect(&jobs, &JobRunner::jobAdded, this, &StatusStrip::showJob);
    connect(&jobs, &JobRunner::jobChanged, this, &StatusStrip::showJob);
    connect(&jobs, &JobRunner::jobsCleared, this, &StatusStrip::showJob);
    followPalette(this, [this] { updateIcons(); });
    showSession();
    showJob();
}

void StatusStrip::showSession() {
    if (!m_document.isOpen()) {
        m_session->setText(tr("Ready"));
        return;
    }
    const rewrite::History& history = m_document.history();
    const rewrite::HistoryState& current = history.state(history.current());
    const rewrite::HistoryState& best = history.state(history.best());
    const double start = history.state(history.start()).cost;
    QStringList parts;
    parts << (history.size() == 1 ? tr("1 state")
                                  : tr("%1 states").arg(QLocale().toString(static_cast<qulonglong>(history.size()))));
    parts << tr("cost %1").arg(costText(current.cost));
    if (const QStringList assumed = m_document.assumptions(history.current()); !assumed.isEmpty()) {
        parts << tr("assuming %1").arg(assumed.join(QStringLiteral(", ")));
    }
    parts << tr("best %1 (%2)").arg(costText(best.cost), deltaText(best.cost - start));
    parts << tr("model %1 (%2)")
                 .arg(fromUtf8(m_document.costModel().info().name), fromUtf8(m_document.costModel().info().unit));
    if (const Run* run = m_document.run(m_selection.run()); run != nullptr) {
        parts << tr("seed %1").arg(QString::number(run->seed));
    }
    m_session->setText(parts.join(QStringLiteral("  ·  ")));
}

void StatusStrip::showJob() {
    const JobInfo* shown = nullptr;
    int running = 0;
    for (const JobInfo& job : m_jobs.jobs()) {
        if (!job.visible || job.state != JobInfo::State::Running) continue;
        shown = &job;
        ++running;
    }
    m_job->setVisible(shown != nullptr);
    m_stop->setVisible(shown != nullptr);
    m_shownJob = shown != nullptr ? shown->id : 0;
    if (shown == nullptr) return;
    QStringList parts{shown->title};
    if (shown->progress >= 0) parts << tr("%1 %").arg(static_cast<int>(shown->progress * 100));
    if (!shown->status.isEmpty()) parts << shown->status;
    parts << durationText(static_cast<double>(shown->elapsedMs) / 1000.0);
    if (running > 1) parts << tr("%1 more").arg(running - 1);
    m_job->setText(parts.join(QStringLiteral("  ·  ")));
}

void StatusStrip::updateIcons() { m_stop->setIcon(Theme(palette()).icon(QStringLiteral("stop"))); }

}  // namespace mitos::views
