// SPDX-License-Identifier: GPL-3.0-or-later
// The views around the centre, the status bar, and the perspectives: each has a central widget and a set of docks.
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/compare/compare_view.h"
#include "views/cost/cost_view.h"
#include "views/cost_curve/cost_curve_view.h"
#include "views/egraph/egraph_view.h"
#include "views/gradient/gradient_view.h"
#include "views/history/history_view.h"
#include "views/jobs/jobs_view.h"
#include "views/main_window/internal/bottom_panel.h"
#include "views/main_window/main_window.h"
#include "views/match/match_view.h"
#include "views/measure/measure_view.h"
#include "views/program/program_view.h"
#include "views/rewrites/rewrites_view.h"
#include "views/rule_editor/rule_editor_view.h"
#include "views/saturation/saturation_view.h"
#include "views/start_page/start_page.h"
#include "views/theme/theme.h"

#include <QDockWidget>
#include <QLabel>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>

namespace mitos::views {

namespace {

/// The contents of the status bar: the state of the session, and the running job with a Stop button.
class StatusStrip : public QWidget {
public:
    StatusStrip(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent = nullptr);

private:
    void showSession();
    void showJob();

    Document& m_document;
    Selection& m_selection;
    JobRunner& m_jobs;
    JobId m_shownJob = 0;
    QLabel* m_session;
    QLabel* m_job;
    QToolButton* m_stop;
};

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
    setUpWidget(m_stop, "jobStop", tr("Stop this job and keep its results"));
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
    followPalette(this, [this] { m_stop->setIcon(Theme(palette()).icon(QStringLiteral("stop"))); });
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
    parts << (history.size() == 1 ? tr("1 state") : tr("%1 states").arg(countText(history.size())));
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

constexpr int LayoutVersion = 6;  // of saveState(); increase it when the set of docks changes
constexpr int HistoryWidth = 320;
constexpr int RewritesWidth = 385;
constexpr double LargestRewrites = 0.32;  // of the window's width
constexpr int UsualLine = 17;             // pixels of a line of text

QString panelKey() { return QStringLiteral("panel"); }
QString openPanelValue() { return QStringLiteral("open"); }
QString collapsedPanelValue() { return QStringLiteral("collapsed"); }

}  // namespace

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* view, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    // A dock behind others of its tab group counts as visible, but its view must be hidden. The blank page replaces the
    // view and keeps the dock's size.
    auto* pages = new QStackedWidget(dock);
    pages->addWidget(view);
    pages->addWidget(new QWidget(pages));
    dock->setWidget(pages);
    m_panel->add(dock, pages);
    // Below, the tab is the title; a title bar would say the same again.
    if (area == Qt::BottomDockWidgetArea) {
        const auto fit = [dock](bool isFloating) {
            QWidget* const old = dock->titleBarWidget();
            auto* none = isFloating ? nullptr : new QWidget(dock);
            // Without a layout its size would be -1, and so would that of a dock with nothing in it.
            if (none != nullptr) fillColumn(none, {}, {.margins = NoMargins});
            dock->setTitleBarWidget(none);
            delete old;
        };
        connect(dock, &QDockWidget::topLevelChanged, dock, fit);
        fit(false);
    }
    addDockWidget(area, dock);
    m_docks << dock;
    return dock;
}

QDockWidget* MainWindow::dock(const char* name) const { return findChild<QDockWidget*>(QLatin1String(name)); }

void MainWindow::buildDocks() {
    connect(m_panel, &BottomPanel::requested, this, &MainWindow::openPanel);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(new StatusStrip(m_document, m_selection, m_jobs), 1);
    setDockNestingEnabled(true);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    m_rewrites = new RewritesView(m_document, m_selection, m_jobs);
    connect(m_rewrites, &RewritesView::ruleHelpRequested, this, &MainWindow::showRuleHelp);
    connect(m_rewrites, &RewritesView::nearMissesRequested, this, [this] { showDock(dock("dockMatch")); });
    m_history = new HistoryView(m_document, m_selection);
    addDock(QStringLiteral("dockHistory"), tr("History"), m_history, Qt::LeftDockWidgetArea);
    addDock(QStringLiteral("dockRewrites"), tr("Rewrites"), m_rewrites, Qt::RightDockWidgetArea);
    auto* curve = new CostCurveView(m_document, m_selection);
    connect(curve, &CostCurveView::searchRequested, this, &MainWindow::searchSettings);
    addDock(QStringLiteral("dockCostCurve"), tr("Cost over the path"), curve, Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("dockCost"), tr("Cost explained"), new CostView(m_document, m_selection, m_jobs),
            Qt::BottomDockWidgetArea);
    m_match = new MatchView(m_document, m_selection, m_jobs);
    connect(m_match, &MatchView::centreRequested, this, [this] { showMatchInCentre(!isMatchInCentre()); });
    connect(addDock(QStringLiteral("dockMatch"), tr("Match"), m_match, Qt::BottomDockWidgetArea),
            &QDockWidget::visibilityChanged, this, [this](bool visible) {
                if (visible && isMatchInCentre()) showMatchInCentre(false);
            });
    addDock(QStringLiteral("dockJobs"), tr("Jobs"), new JobsView(m_document, m_jobs), Qt::BottomDockWidgetArea);
    m_saturation = new SaturationView(m_egraph);
    connect(m_saturation, &SaturationView::saturateRequested, this, &MainWindow::askForSaturation);
    connect(m_saturation, &SaturationView::proofRequested, this, &MainWindow::askForProof);
    connect(m_saturation, &SaturationView::cheapestRequested, this, [this] {
        if (isOwnEGraph()) m_egraph.takeCheapest(m_document.sharedCostModel());
    });
    addDock(QStringLiteral("dockSaturation"), tr("Saturation"), m_saturation, Qt::BottomDockWidgetArea);
}

bool MainWindow::isStepping() const { return m_pages->currentWidget() == m_stepCentre; }

bool MainWindow::isSaturating() const { return m_pages->currentWidget() == m_egraphView; }

bool MainWindow::isComparing() const { return m_pages->currentWidget() == m_compareView; }

bool MainWindow::isMeasuring() const { return m_pages->currentWidget() == m_measureView; }

bool MainWindow::isDifferentiating() const { return m_pages->currentWidget() == m_gradientView; }

void MainWindow::findNext(int by) {
    if (isWritingRules())
        m_ruleEditor->findNext(by < 0);
    else
        m_program->findNext(by);
}

bool MainWindow::isWritingRules() const { return m_pages->currentWidget() == m_ruleEditor; }

void MainWindow::defaultLayout() {
    showMatchInCentre(false);
    m_panel->setLastHeight(0);
    m_panel->arrange([this] { arrangeDocks(); });
}

/// As after installation.
void MainWindow::arrangeDocks() {
    QDockWidget* const history = dock("dockHistory");
    QDockWidget* const rewrites = dock("dockRewrites");
    QDockWidget* const saturation = dock("dockSaturation");
    QList<QDockWidget*> below;
    // While docks stand side by side, the window grows until all of them fit.
    const QSize before = size();
    for (QDockWidget* each : m_docks) each->hide();
    for (QDockWidget* each : m_docks) {
        const bool isBelow = each != history && each != rewrites;
        addDockWidget(isBelow           ? Qt::BottomDockWidgetArea
                      : each == history ? Qt::LeftDockWidgetArea
                                        : Qt::RightDockWidgetArea,
                      each);
        each->setFloating(false);
        if (isBelow) below << each;
    }
    for (qsizetype i = 1; i < below.size(); ++i) tabifyDockWidget(below[i - 1], below[i]);
    for (QDockWidget* each : m_docks) each->setVisible((each == saturation) == isSaturating());
    QDockWidget* const front = isSaturating() ? saturation : dock("dockCostCurve");
    if (!isSaturating()) {
        front->raise();
        // Larger texts need more room, unless the program would have none left.
        const double scale = std::max(1.0, static_cast<double>(fontMetrics().height()) / UsualLine);
        const int rewritesWidth = static_cast<int>(std::min(RewritesWidth * scale, LargestRewrites * width()));
        resizeDocks({history, rewrites}, {HistoryWidth, std::max(RewritesWidth, rewritesWidth)}, Qt::Horizontal);
    }
    if (!isMaximized() && !isFullScreen()) {
        layout()->activate();
        resize(before);
    }
    if (m_panel->isOpen()) resizeDocks({front}, {m_panel->openHeight()}, Qt::Vertical);
}

void MainWindow::resetLayout() {
    m_document.setViewValue(panelKey(), {});
    defaultLayout();
    updateActions();
}

void MainWindow::followPanel() {
    const bool isOpen = m_document.isOpen();
    const QString chosen = isOpen ? m_document.viewValue(panelKey()) : QString();
    const bool hasRun = isOpen && !m_document.runs().empty();
    m_panel->setOpen(!isStepping() || (chosen.isEmpty() ? hasRun : chosen == openPanelValue()));
}

void MainWindow::openPanel(bool open) {
    m_document.setViewValue(panelKey(), open ? openPanelValue() : collapsedPanelValue());
    updateActions();
}

bool MainWindow::isMatchInCentre() const { return m_stepCentre->currentWidget() == m_match; }

void MainWindow::showMatchInCentre(bool inCentre) {
    if (inCentre == isMatchInCentre()) return;
    QDockWidget* const below = dock("dockMatch");
    if (inCentre) {
        m_stepCentre->addWidget(m_match);
        m_stepCentre->setCurrentWidget(m_match);
        m_panel->arrange([below] { below->hide(); });
        m_match->setFocus();
    } else {
        m_stepCentre->setCurrentWidget(m_program);
        auto* pages = qobject_cast<QStackedWidget*>(below->widget());
        pages->insertWidget(0, m_match);
        showDock(below);
    }
    m_match->setInCentre(inCentre);
    updateActions();
}

void MainWindow::keepLayout() {
    showMatchInCentre(false);
    if (isStepping()) m_stepLayout = dockLayout();
    if (isSaturating()) m_saturateLayout = dockLayout();
}

QByteArray MainWindow::dockLayout() const { return saveState(LayoutVersion); }

bool MainWindow::setDockLayout(const QByteArray& layout) {
    showMatchInCentre(false);
    bool isRestored = false;
    m_panel->arrange([&] { isRestored = restoreState(layout, LayoutVersion); });
    return isRestored;
}

QString MainWindow::perspectiveName() const {
    return isStepping()          ? QStringLiteral("step")
           : isSaturating()      ? QStringLiteral("saturate")
           : isComparing()       ? QStringLiteral("compare")
           : isMeasuring()       ? QStringLiteral("measure")
           : isDifferentiating() ? QStringLiteral("gradient")
                                 : QString();
}

void MainWindow::hideDocks() {
    m_panel->arrange([this] {
        for (QDockWidget* dock : m_docks) dock->hide();
    });
}

void MainWindow::showStartPage() {
    keepLayout();
    m_startPage->refresh();
    m_pages->setCurrentWidget(m_startPage);
    m_startPage->setFocus();
    // Docks without content are useless around the start page.
    hideDocks();
    updateActions();
}

void MainWindow::showPerspective(QWidget* centre, const QByteArray& layout) {
    keepLayout();
    m_pages->setCurrentWidget(centre);
    if (layout.isEmpty() || !setDockLayout(layout)) defaultLayout();
    setWindowFilePath({});
    updateActions();
}

/// A perspective whose parts take the whole centre.
void MainWindow::showWithoutDocks(QWidget* centre) {
    keepLayout();
    m_pages->setCurrentWidget(centre);
    hideDocks();
    updateActions();
}

void MainWindow::showComparison() {
    if (isComparing()) return;
    showWithoutDocks(m_compareView);
    m_compareView->focusTable();
}

void MainWindow::showMeasuring() {
    if (isMeasuring()) return;
    showWithoutDocks(m_measureView);
    m_measureView->focusTable();
}

void MainWindow::showGradient() {
    if (isDifferentiating()) return;
    showWithoutDocks(m_gradientView);
    m_gradientView->focusFunction();
}

void MainWindow::showRules() {
    if (isWritingRules()) return;
    showWithoutDocks(m_ruleEditor);
    m_ruleEditor->focusText();
}

void MainWindow::showProgram() {
    showMatchInCentre(false);
    if (!isStepping()) {
        showPerspective(m_stepCentre, m_stepLayout);
        m_program->focusProgram();
    }
}

void MainWindow::showEGraph() {
    if (!isSaturating()) {
        showPerspective(m_egraphView, m_saturateLayout);
        m_egraphView->focusList();
    }
    updateActions();
}

}  // namespace mitos::views
