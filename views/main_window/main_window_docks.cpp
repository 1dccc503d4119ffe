// SPDX-License-Identifier: GPL-3.0-or-later
// The views around the centre, and the perspectives: each has a central widget and a set of docks.
#include "views/cost/cost_view.h"
#include "views/cost_curve/cost_curve_view.h"
#include "views/egraph/egraph_view.h"
#include "views/history/history_view.h"
#include "views/jobs/jobs_view.h"
#include "views/main_window/main_window.h"
#include "views/match/match_view.h"
#include "views/program/program_view.h"
#include "views/rewrites/rewrites_view.h"
#include "views/saturation/saturation_view.h"
#include "views/start_page/start_page.h"

#include <QDockWidget>
#include <QStackedWidget>

namespace mitos::views {

namespace {

constexpr int LayoutVersion = 5;  // of saveState(); increase it when the set of docks changes
constexpr int HistoryWidth = 245;
constexpr int RewritesWidth = 385;
constexpr int BottomHeight = 230;

}  // namespace

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* view, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    // A dock behind others of its tab group counts as visible, but its view must be hidden. The blank page replaces the
    // view and keeps the dock's size.
    auto* pages = new QStackedWidget(dock);
    pages->addWidget(view);
    pages->addWidget(new QWidget(pages));
    connect(dock, &QDockWidget::visibilityChanged, pages,
            [pages](bool visible) { pages->setCurrentIndex(visible ? 0 : 1); });
    dock->setWidget(pages);
    addDockWidget(area, dock);
    m_docks << dock;
    return dock;
}

QDockWidget* MainWindow::dock(const char* name) const { return findChild<QDockWidget*>(QLatin1String(name)); }

void MainWindow::buildDocks() {
    setDockNestingEnabled(true);
    m_rewrites = new RewritesView(m_document, m_selection, m_jobs);
    connect(m_rewrites, &RewritesView::ruleHelpRequested, this, &MainWindow::showRuleHelp);
    connect(m_rewrites, &RewritesView::nearMissesRequested, this, [this] { showDock(dock("dockMatch")); });
    addDock(QStringLiteral("dockHistory"), tr("History"), new HistoryView(m_document, m_selection),
            Qt::LeftDockWidgetArea);
    addDock(QStringLiteral("dockRewrites"), tr("Rewrites"), m_rewrites, Qt::RightDockWidgetArea);
    auto* curve = new CostCurveView(m_document, m_selection);
    connect(curve, &CostCurveView::searchRequested, this, &MainWindow::searchSettings);
    addDock(QStringLiteral("dockCostCurve"), tr("Cost Curve"), curve, Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("dockCost"), tr("Cost"), new CostView(m_document, m_selection, m_jobs),
            Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("dockMatch"), tr("Match"), new MatchView(m_document, m_selection, m_jobs),
            Qt::BottomDockWidgetArea);
    addDock(QStringLiteral("dockJobs"), tr("Jobs"), new JobsView(m_document, m_jobs), Qt::BottomDockWidgetArea);
    m_saturation = new SaturationView(m_egraph);
    connect(m_saturation, &SaturationView::saturateRequested, this, &MainWindow::askForSaturation);
    connect(m_saturation, &SaturationView::cheapestRequested, this, [this] {
        if (isOwnEGraph()) m_egraph.takeCheapest(m_document.sharedCostModel());
    });
    addDock(QStringLiteral("dockSaturation"), tr("Saturation"), m_saturation, Qt::BottomDockWidgetArea);
}

bool MainWindow::isStepping() const { return m_pages->currentWidget() == m_program; }

bool MainWindow::isSaturating() const { return m_pages->currentWidget() == m_egraphView; }

void MainWindow::defaultLayout() {
    QDockWidget* const history = dock("dockHistory");
    QDockWidget* const rewrites = dock("dockRewrites");
    QDockWidget* const saturation = dock("dockSaturation");
    QList<QDockWidget*> below;
    for (QDockWidget* each : m_docks) {
        const bool isBelow = each != history && each != rewrites;
        addDockWidget(isBelow           ? Qt::BottomDockWidgetArea
                      : each == history ? Qt::LeftDockWidgetArea
                                        : Qt::RightDockWidgetArea,
                      each);
        each->setFloating(false);
        each->setVisible((each == saturation) == isSaturating());
        if (isBelow) below << each;
    }
    for (qsizetype i = 1; i < below.size(); ++i) tabifyDockWidget(below[i - 1], below[i]);
    QDockWidget* const front = isSaturating() ? saturation : dock("dockCostCurve");
    if (!isSaturating()) {
        front->raise();
        resizeDocks({history, rewrites}, {HistoryWidth, RewritesWidth}, Qt::Horizontal);
    }
    resizeDocks({front}, {BottomHeight}, Qt::Vertical);
}

void MainWindow::keepLayout() {
    if (isStepping()) m_stepLayout = saveState(LayoutVersion);
    if (isSaturating()) m_saturateLayout = saveState(LayoutVersion);
}

void MainWindow::showStartPage() {
    keepLayout();
    m_startPage->refresh();
    m_pages->setCurrentWidget(m_startPage);
    m_startPage->setFocus();
    // Docks without content are useless around the start page.
    for (QDockWidget* dock : m_docks) dock->hide();
    updateActions();
}

void MainWindow::showPerspective(QWidget* centre, const QByteArray& layout) {
    keepLayout();
    m_pages->setCurrentWidget(centre);
    if (layout.isEmpty() || !restoreState(layout, LayoutVersion)) defaultLayout();
    setWindowTitle(isSaturating() ? m_egraph.title() : m_document.title());
    setWindowFilePath({});
    updateActions();
}

void MainWindow::showProgram() {
    if (!isStepping()) {
        showPerspective(m_program, m_stepLayout);
        m_program->focusProgram();
    }
    setWindowTitle(m_document.title());
}

void MainWindow::showEGraph() {
    if (!isSaturating()) {
        showPerspective(m_egraphView, m_saturateLayout);
        m_egraphView->focusList();
    }
    setWindowTitle(m_egraph.title());
}

}  // namespace mitos::views
