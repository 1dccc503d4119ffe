// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on a derivative: it is checked and saved, and its steps join a history.
#include "core/base/source_text.h"
#include "core/coarsening/elevate.h"
#include "core/rules/rule_sets.h"
#include "views/common/format.h"
#include "views/gradient/gradient_view.h"
#include "views/gradient/internal/derivation.h"
#include "views/gradient/internal/derivative_bar.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <algorithm>

namespace mitos::views {

/// A result belongs to the function that was checked.
void GradientView::dropCheck() {
    if (m_checking) m_jobs.discard(m_job);
    m_checking.reset();
    m_result->clear();
    m_result->hide();
}

void GradientView::check() {
    if (m_checking || !m_shown || m_shown->problem) return;
    m_checking = std::make_unique<QObject>();
    m_result->clear();
    const int points = autodiff::CheckOptions().points;
    m_job = m_jobs.start(
        tr("Checking the gradient of %1").arg(m_bar->functionName()), true, m_checking.get(),
        [order = order(), points](const std::stop_token& stop, const JobRunner::Report& report) {
            return checked(order, stop, [&](int compared) {
                report(static_cast<double>(compared) / points,
                       GradientView::tr("%L1 of %L2 points").arg(compared).arg(points));
            });
        },
        [this](const Result<autodiff::CheckReport>& result) { takeCheck(result); });
    showState();
}

void GradientView::takeCheck(const Result<autodiff::CheckReport>& result) {
    m_checking.release()->deleteLater();
    const bool isStopped = !result && result.error().code == ErrorCode::Cancelled;
    if (isStopped) {
        m_result->setText(tr("The check was stopped."));
        m_jobs.setOutcome(m_job, JobInfo::State::Stopped, tr("stopped"));
    } else if (!result) {
        m_result->setText(tr("⚠ The gradient cannot be checked: %1").arg(fromUtf8(result.error().message)));
        m_jobs.setOutcome(m_job, JobInfo::State::Failed, fromUtf8(result.error().message));
    } else {
        const QString verdict = result->passed ? tr("✓ The derivatives agree") : tr("✗ The derivatives do not agree");
        const QStringList lines{verdict, fromUtf8(autodiff::describe(*result)).trimmed()};
        m_result->setText(lines.join(QLatin1Char('\n')));
        m_jobs.setOutcome(m_job, JobInfo::State::Finished, verdict);
    }
    showState();
}

/// The steps join the history of the open program, which they lead away from. Their rules come into force, because the session is replayed
/// with those.
void GradientView::join(const GradientSteps& steps) {
    if (!m_document.isOpen()) return;
    const rules::RuleChoice before = rules::RuleChoice::parse(m_document.rules().names());
    rules::RuleChoice choice = before;
    for (const std::string& set : rules::RuleChoice::parse(coarsening::ElevationRules::Sets).sets) {
        if (std::ranges::find(choice.sets, set) == choice.sets.end()) choice.use(set, true);
    }
    for (const rewrite::Step& step : steps.thread.steps) choice.leaveOut(step.rule->rule().name, false);
    const bool needsRules = choice != before;
    if (needsRules) m_document.setRules(fromUtf8(choice.toString()));
    const std::size_t count = steps.thread.steps.size();
    const auto joined = [this, count, needsRules](std::size_t added) {
        QString text = added == 0   ? tr("The history has these steps already.")
                       : count == 1 ? tr("1 step to the closed form joined the history.")
                                    : tr("%L1 steps to the closed form joined the history.").arg(count);
        if (needsRules) text += tr(" Their rules are in force now.");
        Q_EMIT notice(text);
        Q_EMIT walkRequested();
    };
    m_document.joinThread(m_document.history().current(), steps.bank, steps.thread, tr("coarsening"), joined);
}

void GradientView::askForTarget() {
    auto* dialog = new QFileDialog(this, tr("Save the Gradient"));
    dialog->setObjectName(QStringLiteral("gradientSaveDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("ks"));
    dialog->setNameFilters({tr("ks programs (*.ks)")});
    connect(dialog, &QFileDialog::fileSelected, this, &GradientView::saveTo);
    dialog->open();
}

void GradientView::saveTo(const QString& path) {
    if (!m_shown || m_shown->problem) return;
    m_jobs.start(
        tr("Saving a gradient"), false, this,
        [path, text = m_shown->text.toStdString()](const std::stop_token&, const JobRunner::Report&) {
            return writeFile(QFile::encodeName(path).toStdString(), text);
        },
        [this, path](const Status& written) {
            if (written)
                Q_EMIT notice(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
            else
                Q_EMIT failed(tr("The gradient was not saved"), QString::fromStdString(written.error().message));
        });
}

}  // namespace mitos::views
