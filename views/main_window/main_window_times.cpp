// SPDX-License-Identifier: GPL-3.0-or-later
// Results and ONNX Runtime: their times, and how its own graph compares with ours.
#include "views/common/format.h"
#include "views/common/save_dialog.h"
#include "views/document/session_names.h"
#include "views/main_window/internal/measurers.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/result_banner.h"
#include "views/main_window/main_window.h"
#include "views/measure/profiles.h"
#include "views/program/program_view.h"

#include <QFileDialog>
#include <QMenu>
#include <algorithm>
#include <array>
#include <string>

namespace mitos::views {

namespace {
constexpr std::array RuntimeLevels{onnx::OptimizationLevel::Basic, onnx::OptimizationLevel::Extended,
                                   onnx::OptimizationLevel::All};
}

void MainWindow::connectTimes() {
    connect(m_result, &ResultBanner::exportRequested, this, &MainWindow::exportCode);
    connect(m_result, &ResultBanner::timeRequested, this, [this] {
        if (const std::optional<StatePair> states = m_result->states()) time({0, *states});
    });
    connect(m_result, &ResultBanner::payingRequested, this, [this] {
        const std::optional<StatePair> states = m_result->states();
        if (const ResultTimes* const times = states ? m_timer.timesOf(*states) : nullptr)
            m_paying.find(*times, resultTiming());
    });
    connect(&m_paying, &PayingSteps::found, this, [this](const QString& summary) { m_messages->showNotice(summary); });
    connect(&m_paying, &PayingSteps::joined, this, &MainWindow::presentCurrent);
    connect(&m_paying, &PayingSteps::failed, this,
            [this](const Error& error) { reportRuntime(tr("Measuring with ONNX Runtime failed"), error); });
    connect(&m_timer, &ResultTimer::failed, this,
            [this](const Error& error) { reportRuntime(tr("Timing with ONNX Runtime failed"), error); });
    connect(&m_runtimeGraph, &RuntimeGraph::failed, this,
            [this](const Error& error) { reportRuntime(tr("ONNX Runtime made no graph of this program"), error); });
    connect(&m_runtimeGraph, &RuntimeGraph::written, this, [this](const QString& path) { openPath(path); });
    connect(&m_runtimeGraph, &RuntimeGraph::compared, this, [this] {
        showPerspective(stepPerspective());
        // As a graph both would be one picture; as text they stand side by side.
        if (m_program->shownAs() > ProgramView::TextTab) m_program->showAs(ProgramView::MathTab);
    });
    connect(&m_timer, &ResultTimer::letGo, this,
            [this] { m_messages->showNotice(tr("Timing with ONNX Runtime goes on in the view Jobs.")); });
    connect(&m_timer, &ResultTimer::changed, this, &MainWindow::updateActions);
    connect(&m_document, &Document::currentChanged, this, &MainWindow::recallTimes);
}

void MainWindow::presentResult(const FoundResult& result, const StatePair& states) {
    FoundResult shown = result;
    const bool isChange = states.result.isValid() && states.result != states.start;
    if (isChange && runtimeObstacle(m_document).isEmpty()) shown.states = states;
    disconnect(m_result, &ResultBanner::compareRequested, this, nullptr);
    connect(m_result, &ResultBanner::compareRequested, this,
            [this, start = states.start] { m_selection.setCompared(start); });
    m_result->present(shown);
}

void MainWindow::presentCurrent() {
    const rewrite::History& history = m_document.history();
    const StatePair states{history.start(), history.current()};
    const auto& runs = m_document.runs();
    const auto found = std::find_if(runs.rbegin(), runs.rend(), [&states](const Run& run) {
        return run.resultState == states.result && run.startState != states.result.value;
    });
    if (found != runs.rend()) return presentResult(resultOf(*found), states);
    const double before = history.state(states.start).cost;
    const double after = history.state(states.result).cost;
    const QString unit = fromUtf8(m_document.costModel().info().unit);
    FoundResult result;
    result.isCheaper = !isNoChange(after - before, before);
    result.isGain = after < before;
    result.costs = fromToText(before, after, unit);
    result.exactCosts = tr("%1 → %2 %3").arg(exactCostText(before), exactCostText(after), unit);
    result.change = changeText(before, after);
    const std::size_t steps = history.pathTo(states.result).size() - 1;
    result.how = steps == 1 ? tr("The current state, 1 step from the start")
                            : tr("The current state, %L1 steps from the start").arg(steps);
    presentResult(result, states);
}

void MainWindow::recallTimes() {
    const rewrite::History& history = m_document.history();
    const StatePair states{history.start(), history.current()};
    const bool isShown = !m_result->isHidden() && m_result->states() == states;
    if (!isShown && m_timer.timesOf(states) != nullptr) presentCurrent();
}

void MainWindow::timeCurrent() {
    if (!m_document.isOpen()) return;
    const rewrite::History& history = m_document.history();
    const StatePair states{history.start(), history.current()};
    if (m_result->isHidden() || m_result->states() != states) presentCurrent();
    time({0, states});
}

void MainWindow::time(const TimedResult& result) {
    m_messages->hide();
    m_timer.time(result, resultTiming());
}

ResultTiming MainWindow::resultTiming() {
    ResultTiming how;
    how.runtime = preferredRuntime();
    how.known = knownTimes;
    how.keep = [](const cost::CostProfile& profile) -> Status {
        const Result<QString> file = keepTimes(profile);
        return file ? Status(Success{}) : Status(file.error());
    };
    return how;
}

void MainWindow::buildRuntimeActions() {
    define(
        "timeResult", tr("Ti&me with ONNX Runtime"), "", {}, [this] { timeCurrent(); },
        tr("Run the start and the current state alternately, as whole models"));
    for (const onnx::OptimizationLevel level : RuntimeLevels) {
        const std::string name(onnx::toString(level));
        define(("compareRuntime-" + name).c_str(), tr("Compare with ONNX Runtime's Graph (%1)").arg(levelText(level)),
               "", {}, [this, level] { compareWithRuntime(level); },
               tr("Show the current state beside the graph that ONNX Runtime makes of it"));
        define(("openRuntime-" + name).c_str(), tr("Open ONNX Runtime's Graph (%1)…").arg(levelText(level)), "", {},
               [this, level] { askForRuntimeGraph(level); },
               tr("Save the graph that ONNX Runtime makes of the current state, and open it as a program"));
    }
}

void MainWindow::updateRuntimeActions() {
    const bool runs = m_document.isOpen() && offers(QStringLiteral("timeResult")) &&
                      m_document.dialect().can(ir::Capability::Runtime);
    const bool isChanged = runs && m_document.history().start() != m_document.history().current();
    act(QStringLiteral("timeResult"))->setEnabled(isChanged && !m_timer.running());
    for (const onnx::OptimizationLevel level : RuntimeLevels) {
        for (const auto& action : {QStringLiteral("compareRuntime-"), QStringLiteral("openRuntime-")})
            act(action + fromUtf8(onnx::toString(level)))->setEnabled(runs);
    }
}

void MainWindow::compareWithRuntime(onnx::OptimizationLevel level) {
    m_messages->hide();
    onnx::RuntimeOptions options = preferredRuntime();
    options.level = level;
    m_runtimeGraph.compare(options);
}

void MainWindow::askForRuntimeGraph(onnx::OptimizationLevel level) {
    if (const QString obstacle = runtimeObstacle(m_document); !obstacle.isEmpty())
        return reportRuntime(tr("ONNX Runtime made no graph of this program"), inputError(obstacle.toStdString(), {}));
    const QString name =
        QStringLiteral("%1-onnxruntime-%2.onnx").arg(programName(m_document.title()), fromUtf8(onnx::toString(level)));
    const SaveRequest request{.objectName = QStringLiteral("runtimeGraphDialog"),
                              .title = tr("Save ONNX Runtime's Graph"),
                              .kinds = {{tr("ONNX models"), QStringLiteral("onnx")}},
                              .fileName = name};
    QFileDialog* const dialog = askWhereToSave(this, request, [this, level](const QString& path) {
        m_messages->hide();
        onnx::RuntimeOptions options = preferredRuntime();
        options.level = level;
        m_runtimeGraph.write(options, path);
    });
    connect(&m_document, &Document::closed, dialog, &QDialog::reject);
}

void MainWindow::reportRuntime(const QString& doing, const Error& error) {
    m_messages->showError(doing, fromUtf8(error.render()));
    if (m_document.isModelMissing())
        m_messages->offer(tr("Find the Model…"), [this] { askForModel(); });
    else
        m_messages->offer(tr("Choose a Python…"), [this] { showPreferences(); });
}

}  // namespace mitos::views
