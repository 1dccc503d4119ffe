// SPDX-License-Identifier: GPL-3.0-or-later
// Results and ONNX Runtime: their times, and how its own graph compares with ours.
#include "views/common/format.h"
#include "views/main_window/internal/measurers.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/result_banner.h"
#include "views/main_window/main_window.h"
#include "views/measure/profiles.h"

#include <algorithm>

namespace mitos::views {

void MainWindow::connectTimes() {
    connect(m_result, &ResultBanner::exportRequested, this, &MainWindow::exportCode);
    connect(m_result, &ResultBanner::timeRequested, this, [this] {
        if (const std::optional<StatePair> states = m_result->states()) timeStates(*states);
    });
    connect(&m_timer, &ResultTimer::failed, this, &MainWindow::reportTiming);
    connect(&m_timer, &ResultTimer::changed, this, &MainWindow::updateActions);
}

void MainWindow::presentResult(const FoundResult& result, const StatePair& states) {
    FoundResult shown = result;
    const bool isChange = states.result.isValid() && states.result != states.start;
    if (isChange && m_timer.obstacle().isEmpty()) shown.states = states;
    disconnect(m_result, &ResultBanner::compareRequested, this, nullptr);
    connect(m_result, &ResultBanner::compareRequested, this,
            [this, start = states.start] { m_selection.setCompared(start); });
    m_result->present(shown);
}

void MainWindow::presentCurrent() {
    const rewrite::History& history = m_document.history();
    const StatePair states{history.start(), history.current()};
    const double before = history.state(states.start).cost;
    const double after = history.state(states.result).cost;
    const QString unit = fromUtf8(m_document.costModel().info().unit);
    FoundResult result;
    result.isCheaper = !isNoChange(after - before, before);
    result.costs = tr("%1 → %2 %3").arg(costText(before), costText(after), unit);
    result.exactCosts = tr("%1 → %2 %3").arg(exactCostText(before), exactCostText(after), unit);
    result.change = changeText(before, after);
    const std::size_t steps = history.pathTo(states.result).size() - 1;
    result.how = steps == 1 ? tr("The current state, 1 step from the start")
                            : tr("The current state, %L1 steps from the start").arg(steps);
    presentResult(result, states);
}

void MainWindow::recallTimes() {
    const rewrite::History& history = m_document.history();
    if (m_timer.timesOf({history.start(), history.current()}) != nullptr) presentCurrent();
}

void MainWindow::timeCurrent() {
    if (!m_document.isOpen()) return;
    const rewrite::History& history = m_document.history();
    const StatePair states{history.start(), history.current()};
    if (m_result->isHidden() || m_result->states() != states) presentCurrent();
    timeStates(states);
}

void MainWindow::timeStates(const StatePair& states) {
    m_messages->hide();
    ResultTiming how;
    how.runtime = preferredRuntime();
    how.known = knownTimes;
    how.keep = [](const cost::CostProfile& profile) -> Status {
        const Result<QString> file = keepTimes(profile);
        return file ? Status(Success{}) : Status(file.error());
    };
    m_timer.time(states, how);
}

void MainWindow::reportTiming(const Error& error) {
    m_messages->showError(tr("Timing with ONNX Runtime failed"), fromUtf8(error.render()));
    if (m_document.isModelMissing())
        m_messages->offer(tr("Find the Model…"), [this] { askForModel(); });
    else
        m_messages->offer(tr("Choose a Python…"), [this] { showPreferences(); });
}

}  // namespace mitos::views
