// SPDX-License-Identifier: GPL-3.0-or-later
// The views around the centre, the status bar, and the perspectives: each has a central widget and a set of docks.
#include "views/common/elided_label.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/main_window/internal/bottom_panel.h"
#include "views/main_window/main_window.h"
#include "views/match/match_view.h"
#include "views/program/program_view.h"
#include "views/rewrites/rewrites_view.h"
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
    ElidedLabel* m_session;
    QLabel* m_job;
    QToolButton* m_stop;
};

StatusStrip::StatusStrip(Document& document, Selection& selection, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_selection(selection),
      m_jobs(jobs),
      m_session(new ElidedLabel(this)),
      m_job(new QLabel(this)),
      m_stop(new QToolButton(this)) {
    setObjectName(QStringLiteral("statusStrip"));
    m_session->setObjectName(QStringLiteral("sessionStatus"));
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
    parts << tr("best %1 (%2)").arg(costText(best.cost), differenceText(start, best.cost));
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
constexpr int UsualLine = 17;     // pixels of a line of text

QString panelKey() { return QStringLiteral("panel"); }
QString openPanelValue() { return QStringLiteral("open"); }
QString collapsedPanelValue() { return QStringLiteral("collapsed"); }

}  // namespace

void MainWindow::addDock(const DockedView& docked) {
    const WindowView view = docked.make(*this);
    auto* dock = new QDockWidget(docked.title, this);
    dock->setObjectName(docked.name);
    // A dock behind others of its tab group counts as visible, but its view must be hidden. The blank page replaces the
    // view and keeps the dock's size.
    auto* pages = new QStackedWidget(dock);
    pages->addWidget(view.widget);
    pages->addWidget(new QWidget(pages));
    dock->setWidget(pages);
    m_panel->add(dock, pages);
    // Below, the tab is the title; a title bar would say the same again.
    if (docked.area == Qt::BottomDockWidgetArea) {
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
    addDockWidget(docked.area, dock);
    m_docks.push_back({docked, view, dock});
}

QDockWidget* MainWindow::dock(const char* name) const { return findChild<QDockWidget*>(QLatin1String(name)); }

void MainWindow::buildPages() {
    m_pages->setObjectName(QStringLiteral("pages"));
    m_pages->addWidget(m_startPage);
    for (const Perspective& each : perspectives()) {
        auto* page = new QStackedWidget;
        const WindowView view = each.make(*this);
        page->addWidget(view.widget);
        showsSizeOfCurrentPage(*page);
        m_pages->addWidget(page);
        m_perspectives.push_back({each, view, page});
    }
    showsSizeOfCurrentPage(*m_pages);
    m_program = m_pages->findChild<ProgramView*>();
}

void MainWindow::buildDocks() {
    connect(m_panel, &BottomPanel::requested, this, &MainWindow::openPanel);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(new StatusStrip(m_document, m_selection, m_jobs), 1);
    setDockNestingEnabled(true);
    setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
    for (const DockedView& docked : dockedViews()) addDock(docked);
    m_rewrites = findChild<RewritesView*>();
    m_match = findChild<MatchView*>();
    connect(m_match, &MatchView::centreRequested, this, [this] { showMatchInCentre(!isMatchInCentre()); });
    connect(dock("dockMatch"), &QDockWidget::visibilityChanged, this, [this](bool visible) {
        if (visible && isMatchInCentre()) showMatchInCentre(false);
    });
}

const MainWindow::PlacedPerspective* MainWindow::shown() const {
    const auto found = std::ranges::find(m_perspectives, m_pages->currentWidget(), &PlacedPerspective::page);
    return found == m_perspectives.end() ? nullptr : &*found;
}

QString MainWindow::shownPerspective() const { return shown() != nullptr ? shown()->about.name : QString(); }

bool MainWindow::hasDock(const QString& name) const {
    return shown() != nullptr && shown()->about.docks.contains(name);
}

bool MainWindow::offers(const QString& action) const {
    return shown() != nullptr && shown()->about.actions.contains(action);
}

const ViewAction* MainWindow::actionHere(const QString& name) const {
    if (shown() == nullptr) return nullptr;
    const auto find = [&name](const WindowView& view) -> const ViewAction* {
        const auto found = view.actions.constFind(name);
        return found == view.actions.cend() ? nullptr : &*found;
    };
    const ViewAction* found = find(shown()->view);
    for (const PlacedDock& docked : m_docks) {
        if (found == nullptr && hasDock(docked.about.name)) found = find(docked.view);
    }
    return found;
}

std::vector<const WindowView*> MainWindow::allViews() const {
    std::vector<const WindowView*> views;
    for (const PlacedPerspective& placed : m_perspectives) views.push_back(&placed.view);
    for (const PlacedDock& docked : m_docks) views.push_back(&docked.view);
    return views;
}

void MainWindow::defaultLayout() {
    showMatchInCentre(false);
    m_panel->setLastHeight(0);
    m_panel->arrange([this] { arrangeDocks(); });
}

/// As after installation.
void MainWindow::arrangeDocks() {
    QList<QDockWidget*> below;
    QList<QDockWidget*> beside;
    QList<int> widths;
    QDockWidget* front = nullptr;
    const double scale = std::max(1.0, static_cast<double>(fontMetrics().height()) / UsualLine);
    // While docks stand side by side, the window grows until all of them fit.
    const QSize before = size();
    for (const PlacedDock& each : m_docks) each.dock->hide();
    for (const PlacedDock& each : m_docks) {
        addDockWidget(each.about.area, each.dock);
        each.dock->setFloating(false);
        const bool isShown = hasDock(each.about.name);
        if (each.about.area == Qt::BottomDockWidgetArea) {
            below << each.dock;
            if (isShown && front == nullptr) front = each.dock;
        } else if (isShown) {
            beside << each.dock;
            const int wide = static_cast<int>(std::min(each.about.width * scale, each.about.largestShare * width()));
            widths << std::max(each.about.width, wide);
        }
    }
    for (qsizetype i = 1; i < below.size(); ++i) tabifyDockWidget(below[i - 1], below[i]);
    for (const PlacedDock& each : m_docks) each.dock->setVisible(hasDock(each.about.name));
    if (front != nullptr) front->raise();
    if (!beside.isEmpty()) resizeDocks(beside, widths, Qt::Horizontal);
    if (!isMaximized() && !isFullScreen()) {
        layout()->activate();
        resize(before);
    }
    if (m_panel->isOpen() && front != nullptr) resizeDocks({front}, {m_panel->openHeight()}, Qt::Vertical);
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
    m_panel->setOpen(!offers(QStringLiteral("bottomPanel")) ||
                     (chosen.isEmpty() ? hasRun : chosen == openPanelValue()));
}

void MainWindow::openPanel(bool open) {
    m_document.setViewValue(panelKey(), open ? openPanelValue() : collapsedPanelValue());
    updateActions();
}

bool MainWindow::isMatchInCentre() const {
    return m_match != nullptr && m_perspectives.front().page->currentWidget() == m_match;
}

void MainWindow::showMatchInCentre(bool inCentre) {
    if (inCentre == isMatchInCentre()) return;
    QStackedWidget* const centre = m_perspectives.front().page;
    QDockWidget* const below = dock("dockMatch");
    if (inCentre) {
        centre->addWidget(m_match);
        centre->setCurrentWidget(m_match);
        m_panel->arrange([below] { below->hide(); });
        m_match->setFocus();
    } else {
        centre->setCurrentWidget(m_program);
        auto* pages = qobject_cast<QStackedWidget*>(below->widget());
        pages->insertWidget(0, m_match);
        showDock(below->objectName());
    }
    m_match->setInCentre(inCentre);
    updateActions();
}

void MainWindow::keepLayout() {
    showMatchInCentre(false);
    if (shown() != nullptr && !shown()->about.docks.isEmpty()) m_layouts[shownPerspective()] = dockLayout();
}

QByteArray MainWindow::dockLayout() const { return saveState(LayoutVersion); }

bool MainWindow::setDockLayout(const QByteArray& layout) {
    showMatchInCentre(false);
    // The least width of the page shown before must not push the docks together.
    for (QWidget* part = m_pages; part != this; part = part->parentWidget()) part->updateGeometry();
    bool isRestored = false;
    m_panel->arrange([&] { isRestored = restoreState(layout, LayoutVersion); });
    return isRestored;
}

void MainWindow::hideDocks() {
    m_panel->arrange([this] {
        for (const PlacedDock& each : m_docks) each.dock->hide();
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

void MainWindow::showPerspective(const QString& name) {
    showMatchInCentre(false);
    const auto found = std::ranges::find(
        m_perspectives, name, [](const PlacedPerspective& placed) -> const QString& { return placed.about.name; });
    if (found == m_perspectives.end() || &*found == shown()) return;
    keepLayout();
    m_pages->setCurrentWidget(found->page);
    if (found->about.docks.isEmpty())
        hideDocks();
    else if (const QByteArray layout = m_layouts.value(name); layout.isEmpty() || !setDockLayout(layout))
        defaultLayout();
    setWindowFilePath({});
    updateActions();
    if (found->view.focus) found->view.focus();
}

}  // namespace mitos::views
