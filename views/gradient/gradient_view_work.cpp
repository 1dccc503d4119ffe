// SPDX-License-Identifier: GPL-3.0-or-later
// Actions on a derivative: it is checked and saved, and its steps join a history.
#include "core/base/source_text.h"
#include "core/coarsening/elevate.h"
#include "core/rules/rule_sets.h"
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/gradient/gradient_view.h"
#include "views/gradient/internal/derivation.h"
#include "views/gradient/internal/derivative_bar.h"

#include <QFile>
#include <QLabel>
#include <algorithm>

namespace mitos::views {

/// A result belongs to the function that was checked.
void GradientView::dropCheck() {
    m_checking.cancel();
    m_result->clear();
    m_result->hide();
}

void GradientView::check() {
    if (m_checking.isRunning() || !m_shown || m_shown->problem) return;
    m_result->clear();
    const int points = autodiff::CheckOptions().points;
    m_checking.askInJobsView(
        tr("Checking the gradient of %1").arg(m_bar->functionName()),
        [order = order(), points](const std::stop_token& stop, const JobRunner::Report& report) {
            return checked(order, stop, [&](int compared) {
                report(static_cast<double>(compared) / points,
                       GradientView::tr("%L1 of %L2 points").arg(compared).arg(points));
            });
        },
        &GradientView::outcomeOf, [this](const Result<autodiff::CheckReport>& result) { takeCheck(result); });
    showState();
}

JobOutcome GradientView::outcomeOf(const Result<autodiff::CheckReport>& result) {
    if (!result && result.error().code == ErrorCode::Cancelled) return {JobInfo::State::Stopped, tr("stopped")};
    if (!result) return {JobInfo::State::Failed, fromUtf8(result.error().message)};
    return {JobInfo::State::Finished, result->isUndecided ? tr("⚠ The derivatives were not compared")
                                      : result->passed    ? tr("✓ The derivatives agree")
                                                          : tr("✗ The derivatives do not agree")};
}

void GradientView::takeCheck(const Result<autodiff::CheckReport>& result) {
    const JobOutcome outcome = outcomeOf(result);
    if (outcome.state == JobInfo::State::Stopped)
        m_result->setText(tr("The check was stopped."));
    else if (!result)
        m_result->setText(tr("⚠ The gradient cannot be checked: %1").arg(outcome.status));
    else
        m_result->setText(outcome.status + QLatin1Char('\n') + fromUtf8(autodiff::describe(*result)).trimmed());
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
    const SaveRequest request{.objectName = QStringLiteral("gradientSaveDialog"),
                              .title = tr("Save the Gradient"),
                              .kinds = {{tr("ks programs"), QStringLiteral("ks")}}};
    askWhereToSave(this, request, [this](const QString& path) { saveTo(path); });
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
                Q_EMIT notice(savedText(path));
            else
                Q_EMIT failed(tr("The gradient was not saved"), fromUtf8(written.error().render()));
        });
}

}  // namespace mitos::views
