// SPDX-License-Identifier: GPL-3.0-or-later
// Assembles the window and connects it with the document.
#include "views/main_window/main_window.h"

#include "search/placement/schedule_searches.h"
#include "search/placement/training_run.h"
#include "views/common/format.h"
#include "views/common/widgets.h"
#include "views/document/choices.h"
#include "views/document/gain_text.h"
#include "views/document/verdicts.h"
#include "views/export_dialog/export_dialog.h"
#include "views/main_window/internal/bottom_panel.h"
#include "views/main_window/internal/focus_order.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/open_programs.h"
#include "views/main_window/internal/result_banner.h"
#include "views/program/program_view.h"
#include "views/search_dialog/compare_dialog.h"
#include "views/search_dialog/search_dialog.h"
#include "views/search_dialog/training_dialog.h"
#include "views/start_page/recent.h"
#include "views/start_page/start_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr QSize UsualSize(1280, 800);
constexpr QSize SmallestSize(1024, 640);
constexpr qsizetype MostDropped = 8;  // files, each in a window of its own

QString subtermKey() { return QStringLiteral("subterm"); }
QString comparedKey() { return QStringLiteral("compared"); }
QString tabKey() { return QStringLiteral("program-form"); }
QString graphRendering() { return QStringLiteral("graph"); }
/// The names of the forms, in the order of `ProgramView::Tab`, as sessions and the command line use them.
QStringList renderings() {
    return {QStringLiteral("math"), QStringLiteral("text"), QStringLiteral("tree"), graphRendering(),
            QStringLiteral("loops")};
}
QString scrollKey() { return QStringLiteral("scroll"); }
QString perspectiveKey() { return QStringLiteral("perspective"); }
QString panelHeightKey() { return QStringLiteral("panelHeight"); }
/// In the settings.
QString layoutKey(const QString& perspective) { return QStringLiteral("perspective/") + perspective; }

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_document(m_jobs, m_selection),
      m_egraph(m_jobs),
      m_timer(m_document, m_jobs),
      m_paying(m_document, m_jobs),
      m_runtimeGraph(m_document, m_selection, m_jobs),
      m_regions(m_document, m_jobs),
      m_open(new OpenPrograms(m_document, this)),
      m_pages(new QStackedWidget),
      m_startPage(new StartPage(m_jobs)),
      m_messages(new MessageBar),
      m_result(new ResultBanner(m_timer, m_paying, m_jobs)),
      m_panel(new BottomPanel(*this)) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setMinimumSize(SmallestSize);
    resize(UsualSize);
    buildPages();
    auto* centre = new QWidget;
    fillColumn(centre, {m_messages, m_result, {m_pages, 1}}, {.margins = NoMargins, .spacing = 0});
    setCentralWidget(centre);

    buildDocks();
    buildActions();
    buildMenus();
    buildToolBar();
    buildRail();
    followPalette(this, [this] { updateIcons(); });
    connectDocument();
    connectTimes();
    QList<QWidget*> regions{findChild<QToolBar*>(QStringLiteral("toolBar")),
                            findChild<QToolBar*>(QStringLiteral("rail")), dock("dockHistory"), centralWidget(),
                            dock("dockRewrites")};
    for (const PlacedDock& below : m_docks) {
        if (!regions.contains(below.dock)) regions << below.dock;
    }
    regions << statusBar();
    orderFocus(*this, regions);
    defaultLayout();
    restoreSettings();
    followPreferences(Preferences::stored(), true);
    m_startPage->offerTour(!Preferences::stored().tourSeen);
    showStartPage();
    updateActions();
}

MainWindow::~MainWindow() {
    // The views are deleted before the objects they refer to.
    delete m_panel;
    qDeleteAll(findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly));
    for (const PlacedDock& each : m_docks) delete each.dock;
    delete takeCentralWidget();
    delete statusBar();
}

// --- settings ------------------------------------------------------------------------------------------------------------

void MainWindow::restoreSettings() {
    QSettings settings;
    if (settings.value(QStringLiteral("version"), SettingsVersion).toInt() > SettingsVersion) return;
    restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    for (const PlacedPerspective& each : m_perspectives)
        m_layouts[each.about.name] = settings.value(layoutKey(each.about.name)).toByteArray();
    m_panel->setLastHeight(settings.value(panelHeightKey()).toInt());
    const QVariant strategy =
        settings.value(QStringLiteral("strategy"), fromUtf8(m_document.dialect().defaultStrategy));
    m_strategy->setCurrentIndex(std::max(0, m_strategy->findData(strategy)));
    const QVariant seconds = settings.value(QStringLiteral("budget"));
    if (seconds.isValid() && seconds.toDouble() >= 0) m_budget->setValue(seconds.toDouble());
    showBudget();
}

void MainWindow::saveSettings() {
    keepLayout();
    QSettings settings;
    settings.setValue(QStringLiteral("version"), SettingsVersion);
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    for (const PlacedPerspective& each : m_perspectives) {
        if (!each.about.docks.isEmpty())
            settings.setValue(layoutKey(each.about.name), m_layouts.value(each.about.name));
    }
    settings.setValue(panelHeightKey(), m_panel->lastHeight());
    settings.setValue(QStringLiteral("strategy"), m_strategy->currentData());
    settings.setValue(QStringLiteral("budget"), m_budget->value());
}

// --- document ------------------------------------------------------------------------------------------------------------

void MainWindow::connectDocument() {
    connect(&m_document, &Document::closed, this, [this] {
        m_isShowingOpened = false;
        m_saturatedState = rewrite::StateId();
        m_result->hide();
        updateActions();
    });
    connect(&m_document, &Document::opened, this, &MainWindow::programOpened);
    connect(&m_document, &Document::openingFailed, this, [this] { m_startsTour = false; });
    buildSessionWarning();
    connect(&m_document, &Document::notice, this, [this](const QString& text, const QString& details) {
        m_messages->showNotice(text, details);
        // Notices about opening a session come first.
        if (std::exchange(m_offersModel, false)) m_messages->offer(tr("Find the Model…"), [this] { askForModel(); });
    });
    connect(&m_document, &Document::openingFailed, this, [this] {
        if (!m_document.isOpen() && !m_egraph.isOpen()) showStartPage();  // a program was closed for it
    });
    connect(&m_document, &Document::endedInBackground, this, &MainWindow::announceBackground);
    connect(m_open, &OpenPrograms::changed, this, &MainWindow::updateActions);
    connect(&m_document, &Document::modelChanged, this, &MainWindow::updateActions);
    connect(&m_egraph, &EGraphDocument::opened, this, &MainWindow::egraphOpened);
    connect(&m_egraph, &EGraphDocument::failed, m_messages, &MessageBar::showError);
    connect(&m_egraph, &EGraphDocument::notice, m_messages, &MessageBar::showNotice);
    for (const auto changed : {&EGraphDocument::reportChanged, &EGraphDocument::snapshotChanged}) {
        connect(&m_egraph, changed, this, &MainWindow::updateActions);
    }
    connect(&m_egraph, &EGraphDocument::threadFound, this, &MainWindow::takeThread);
    for (const auto changed : {&Document::currentChanged, &Document::historyChanged}) {
        connect(&m_document, changed, this, &MainWindow::updateActions);
    }
    connect(&m_document, &Document::runChanged, this, &MainWindow::updateActions);
    connect(&m_document, &Document::runEnded, this, [this](int number) {
        const Run* run = m_document.run(number);
        if (run != nullptr && !m_document.isCompared(number)) announceRun(*run);
    });
    connect(&m_document, &Document::costModelChanged, this, &MainWindow::fillCostModels);
    connect(&m_selection, &Selection::subtermChanged, this, [this] {
        const auto& path = m_selection.subterm();
        m_document.setViewValue(subtermKey(), path ? fromUtf8(ir::toString(*path)) : QString());
        updateActions();
    });
    connect(&m_selection, &Selection::rewriteChanged, this, &MainWindow::updateActions);
    connect(&m_selection, &Selection::comparedChanged, this, [this] {
        const auto& state = m_selection.compared();
        m_document.setViewValue(comparedKey(), state ? QString::number(state->value) : QString());
        updateActions();
    });
    connect(m_program, &ProgramView::shownAsChanged, this,
            [this](int tab) { m_document.setViewValue(tabKey(), renderings().at(tab)); });
    connect(m_program, &ProgramView::scrolled, this,
            [this](int line) { m_document.setViewValue(scrollKey(), QString::number(line)); });
    connect(m_startPage, &StartPage::fileChosen, this, [this](const QString& path) { openPath(path); });
    connect(m_startPage, &StartPage::windowRequested, this, &MainWindow::openInNewWindow);
    connect(m_startPage, &StartPage::sessionsRequested, this, &MainWindow::browseSessions);
    connect(m_startPage, &StartPage::restoreOffered, this, &MainWindow::offerRestore);
    connect(m_startPage, &StartPage::searchChosen, this, &MainWindow::openAndSearch);
    connect(m_startPage, &StartPage::networkChosen, this, [this](const QString& name) { openNetwork(name, false); });
    connect(m_startPage, &StartPage::openRequested, this, &MainWindow::askForFile);
    connect(m_startPage, &StartPage::newRequested, this, &MainWindow::askForText);
    connect(m_startPage, &StartPage::networkRequested, this, &MainWindow::askForNetwork);
    connect(m_startPage, &StartPage::tourRequested, this, &MainWindow::startTour);
    connect(m_startPage, &StartPage::tourDeclined, this, &MainWindow::rememberTour);
    connect(m_startPage, &StartPage::failed, m_messages, &MessageBar::showError);
}

bool MainWindow::isReady(const Perspective& perspective) { return !perspective.isReady || perspective.isReady(*this); }

bool MainWindow::comesBack(const Perspective& perspective) {
    return perspective.comesBack ? perspective.comesBack(*this) : isReady(perspective);
}

/// The session comes back as it was left.
void MainWindow::keepPerspective() {
    if (m_isShowingOpened && shown() != nullptr && comesBack(shown()->about))
        m_document.setViewValue(perspectiveKey(), shownPerspective());
}

void MainWindow::programOpened() {
    // Read before anything is set, because setting stores the value.
    const QString subterm = m_document.viewValue(subtermKey());
    const QString perspective = m_document.viewValue(perspectiveKey());
    QString rendering = m_document.viewValue(tabKey());
    // Networks begin as graphs: as text they have thousands of lines.
    if (rendering.isEmpty() && m_document.dialect().sharesNodes()) rendering = graphRendering();
    const QString compared = m_document.viewValue(comparedKey());
    const int scrolled = m_document.viewValue(scrollKey()).toInt();
    if (!m_document.sourcePath().isEmpty()) {
        addRecent({m_document.sourcePath(), QFileInfo(m_document.sourcePath()).fileName()});
    }
    if (!m_document.sessionPath().isEmpty()) addRecent({m_document.sessionPath(), m_document.title(), true});
    m_offersModel = m_document.isModelMissing();
    fillCostModels();
    const auto& runs = m_document.runs();
    const auto grown = std::find_if(runs.rbegin(), runs.rend(),
                                    [](const Run& run) { return search::growthIn(run.events).has_value(); });
    if (grown != runs.rend()) m_egraph.showRun(m_document, *grown);
    showPerspective(stepPerspective());
    showProgramAs(rendering);
    if (const auto path = ir::parsePath(subterm.toStdString()); path && !subterm.isEmpty()) {
        if (ir::subterm(m_document.bank(), m_document.current().root, *path)) m_selection.setSubterm(*path);
    }
    if (const rewrite::StateId state(compared.toUInt());
        !compared.isEmpty() && state.value < m_document.history().size()) {
        m_selection.setCompared(state);
    }
    m_program->scrollTo(scrolled);
    for (const PlacedPerspective& each : m_perspectives) {
        if (each.about.name == perspective && comesBack(each.about)) showPerspective(perspective);
    }
    m_isShowingOpened = true;
    updateActions();
    recallTimes();
    announceLeft();
    if (std::exchange(m_startsTour, false)) startTour();
    const QString toSearch = std::exchange(m_searchOnOpening, {});
    if (!toSearch.isEmpty() && QFileInfo(toSearch) == QFileInfo(m_document.sourcePath())) runSearch();
}

void MainWindow::egraphOpened() {
    if (!m_egraph.sourcePath().isEmpty()) addRecent({m_egraph.sourcePath(), m_egraph.title()});
    if (m_egraph.isOpen() || m_egraph.isSaturating()) showPerspective(saturatePerspective());
    updateActions();
}

bool MainWindow::isSettled() const {
    return !m_document.isOpening() && !m_document.isReceiving() && m_jobs.isIdle() &&
           std::ranges::all_of(allViews(),
                               [](const WindowView* view) { return !view->isSettled || view->isSettled(); });
}

void MainWindow::setBudgetSeconds(double seconds) { m_budget->setValue(seconds); }

void MainWindow::showProgramAs(const QString& rendering) {
    m_program->showAs(static_cast<int>(std::max<qsizetype>(0, renderings().indexOf(rendering))));
}

void MainWindow::runSearch() {
    m_messages->hide();
    m_result->hide();
    m_document.startSearch(nextSearch());
}

FoundResult MainWindow::resultOf(const Run& run) {
    const RunGain gain = gainOf(m_document.history(), m_document.costModel().info(), run);
    FoundResult result;
    // A value that another cost model prices has no gain under the one in force.
    const bool isPricedOtherwise = !run.outcomeKind.empty() && run.costModel != m_document.costModel().info().name;
    result.isCheaper = isPricedOtherwise || gain.isCheaper();
    QStringList how{strategyLabel(fromUtf8(run.strategy))};
    if (search::isTraining(run)) {
        result.isCheaper = false;
        result.costs = run.outcomeSummary.empty() ? tr("No model was trained")
                                                  : tr("Model trained: %1").arg(fromUtf8(run.outcomeSummary));
    } else if (isPricedOtherwise) {
        result.costs = tr("%1: %2").arg(fromUtf8(run.outcomeKind), fromUtf8(run.outcomeSummary));
        result.exactCosts =
            tr("under %1: %2 → %3")
                .arg(fromUtf8(run.costModel), exactCostText(run.initialCost), exactCostText(run.bestCost));
    } else if (result.isCheaper) {
        result.costs = fromToText(gain.start, gain.cost, gain.unit);
        result.exactCosts = gain.exactText();
        result.change = gain.text();
        result.isGain = gain.cost < gain.start;
        const std::vector<rewrite::StateId> way = m_document.history().pathTo(run.resultState);
        const auto steps =
            std::ranges::distance(std::ranges::find(way, rewrite::StateId(run.startState)), way.end()) - 1;
        if (!run.outcomeKind.empty()) how << tr("%1: %2").arg(fromUtf8(run.outcomeKind), fromUtf8(run.outcomeSummary));
        if (steps > 0) how << (steps == 1 ? tr("1 step") : tr("%L1 steps").arg(steps));
    } else {
        result.costs = tr("Nothing cheaper than %1 was found").arg(amountText(gain.own, gain.unit));
        result.exactCosts = tr("%1 %2").arg(exactCostText(gain.own), gain.unit);
    }
    if (const QString own = result.isCheaper ? gain.ownText() : gain.fromText();
        !own.isEmpty() && !search::isTraining(run))
        how << own;
    how << durationText(run.statistics.seconds);
    const QString stop = stopText(fromUtf8(run.stop));
    if (result.isCheaper)
        result.exactCosts += QLatin1Char('\n') + tr("ended by: %1").arg(stop);
    else
        how << stop;
    result.how = how.join(QStringLiteral(", "));
    result.verdict = verdictText(run);
    if (run.verdict && result.isCheaper) result.marks = verdictMarks(*run.verdict);
    QStringList remarks;
    if (run.verdict && result.isCheaper && !run.verdict->isGood()) remarks << verdictText(run);
    if (const QString leftOut = leftOutText(run); !leftOut.isEmpty()) remarks << leftOut;
    if (const auto growth = search::growthIn(run.events)) remarks << growthText(*growth);
    if (run.number == m_egraph.run() && m_egraph.goal()) remarks.prepend(m_egraph.goalText());
    result.remarks = remarks.join(QLatin1Char('\n'));
    return result;
}

void MainWindow::announceRun(const Run& run) {
    presentResult(resultOf(run), {m_document.history().start(), run.resultState});
    if (!leftOutText(run).isEmpty())
        m_messages->showNotice(leftOutText(run), failedRulesDetails(m_document.failedRules()));
}

QString MainWindow::growthText(const egraph::SaturationReport& report) {
    const bool grew = !report.iterations.empty();
    const std::size_t iterations = report.iterations.size();
    const QString text = iterations == 1 ? tr("Saturation ended after 1 iteration")
                                         : tr("Saturation ended after %L1 iterations").arg(iterations);
    return text + tr(": %1 · %2 e-nodes in %3 classes")
                      .arg(stopText(report.stop), countText(grew ? report.iterations.back().nodes : report.startNodes),
                           countText(grew ? report.iterations.back().classes : report.startClasses));
}

/// The settings used last, with the strategy and the time of the tool bar.
SearchSettings MainWindow::nextSearch() const {
    SearchSettings settings = rememberedSearch(m_document.dialect(), m_strategy->currentData().toString());
    settings.budget.seconds.reset();
    if (m_budget->value() > 0) settings.budget.seconds = m_budget->value();
    return settings;
}

/// The tool bar has space only for the time; its tool tip shows the other limits.
void MainWindow::showBudget() {
    const search::Budget budget = search::completed(nextSearch().budget);
    QStringList lines{tr("Wall time the search may take; 0: no limit")};
    if (budget.evaluations) lines << tr("At most %1 expressions evaluated").arg(countText(*budget.evaluations));
    if (budget.states) lines << tr("At most %1 states kept").arg(countText(*budget.states));
    if (budget.memoryBytes) lines << tr("At most %1 MB").arg(countText(*budget.memoryBytes >> 20U));
    lines << tr("All limits: Search Settings");
    m_budget->setToolTip(lines.join(QLatin1Char('\n')));
}

void MainWindow::searchSettings() { askForSearch(nextSearch()); }

void MainWindow::askForSearch(const SearchSettings& begin) {
    auto* dialog = new SearchDialog(m_document, begin, this);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const SearchSettings chosen = dialog->settings();
        m_strategy->setCurrentIndex(std::max(0, m_strategy->findData(chosen.strategy)));
        m_budget->setValue(chosen.budget.seconds.value_or(0.0));
        showBudget();
        m_messages->hide();
        m_result->hide();
        m_document.startSearch(chosen);
    });
    openAboutProgram(dialog);
}

void MainWindow::askForSaturation() {
    SearchDialog* const dialog = SearchDialog::forSaturation(m_document, this);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { saturate(dialog->settings()); });
    openAboutProgram(dialog);
}

void MainWindow::askForSchedule(std::optional<search::placement::Objective> objective) {
    SearchDialog* const dialog = SearchDialog::forScheduling(m_document, this);
    if (objective) dialog->chooseObjective(*objective);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { schedule(dialog->settings()); });
    openAboutProgram(dialog);
}

void MainWindow::askForTraining() {
    if (auto* const open = findChild<TrainingDialog*>()) {
        open->show();
        open->raise();
        open->activateWindow();
        return;
    }
    const auto others = [this] {
        QStringList sessions;
        for (const OpenProgram& program : m_open->programs()) {
            if (!m_open->isShown(program)) sessions << program.session;
        }
        return sessions;
    };
    auto* dialog = new TrainingDialog(m_document, m_jobs, others, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &TrainingDialog::valueUseRequested, this, [this](const QString& model) {
        SearchSettings settings = rememberedSearch(m_document.dialect(), QStringLiteral("astar"));
        settings.parameters.insert_or_assign("value", std::string("learned"));
        settings.parameters.insert_or_assign("model", QFile::encodeName(model).toStdString());
        askForSearch(settings);
    });
    connect(dialog, &TrainingDialog::useRequested, this,
            [this](const QString& model, int devices, search::placement::Objective objective) {
                rememberModel(m_document.dialect(), model, devices);
                askForSchedule(objective);
            });
    dialog->show();
}

void MainWindow::scheduleOn(int devices) {
    SearchSettings settings = rememberedScheduling(m_document.dialect());
    settings.strategy = fromUtf8(search::placement::searchName(search::placement::UsualStrategy));
    settings.parameters = {{"devices", std::int64_t{devices}}};
    schedule(settings);
}

void MainWindow::schedule(const SearchSettings& settings) {
    m_messages->hide();
    if (m_document.startSearch(settings) != 0) showPerspective(schedulePerspective());
}

void MainWindow::askForProof() {
    if (!m_document.isOpen()) {
        m_messages->showNotice(tr("Open a program first; then you can ask what it is equal to."));
        return;
    }
    SearchDialog* const dialog = SearchDialog::forProof(m_document, this);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { saturate(dialog->settings(), dialog->goal()); });
    openAboutProgram(dialog);
}

void MainWindow::askForComparison() {
    std::vector<ProgramCandidate> programs;
    for (const OpenProgram& program : m_open->programs()) {
        if (!m_open->isShown(program)) programs.push_back({program.name, {program.session}});
    }
    auto* dialog = new CompareDialog(m_document, m_jobs, programs, this);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_messages->hide();
        m_result->hide();
        m_document.startComparison(dialog->searches(), dialog->programs(), dialog->from());
        showPerspective(comparePerspective());
    });
    openAboutProgram(dialog);
}

void MainWindow::saturate(const SearchSettings& settings, const QString& goal) {
    if (!m_document.isOpen()) return;
    m_messages->hide();
    const rewrite::StateId start = m_document.history().current();
    if (m_egraph.saturate(m_document, settings, goal)) m_saturatedState = start;
    updateActions();
}

/// Whether the e-graph belongs to the open program; only then can its threads join the history.
bool MainWindow::isOwnEGraph() {
    if (m_saturatedState.isValid()) return true;
    m_messages->showError(tr("This e-graph is of a program that is not open any more"),
                          tr("Open %1 and saturate it again to take what its e-graph holds.").arg(m_egraph.title()));
    return false;
}

void MainWindow::takeThread(const FoundThread& found) {
    if (!isOwnEGraph()) return;
    const std::size_t steps = found.thread.steps.size();
    m_document.joinThread(m_saturatedState, found.bank, found.thread, QStringLiteral("saturation"),
                          [this, steps, isGoal = found.leadsToGoal](std::size_t added) {
                              m_messages->showNotice(textAboutJoined(steps, added, isGoal));
                          });
    // Otherwise reported by the document.
    if (steps == 0 && found.leadsToGoal) m_messages->showNotice(tr("The goal is the program itself."));
}

void MainWindow::takeCheapest() {
    if (isOwnEGraph()) m_egraph.takeCheapest(m_document.sharedCostModel());
}

/// The effect of steps from an e-graph on the history.
QString MainWindow::textAboutJoined(std::size_t steps, std::size_t added, bool isGoal) {
    if (added == 0)
        return isGoal
                   ? tr("The goal is equal: the history has the steps to it already; its state is the current one now.")
                   : tr("The history has the steps to this program already; its state is the current one now.");
    if (isGoal)
        return steps == 1
                   ? tr("The goal is equal: 1 checked step joined the history; walk it in the perspective Step.")
                   : tr("The goal is equal: %1 checked steps joined the history; walk them in the perspective Step.")
                         .arg(steps);
    return added == 1 ? tr("1 step joined the history; walk it in the perspective Step.")
                      : tr("%1 steps joined the history; walk them in the perspective Step.").arg(added);
}

void MainWindow::stopSearch() {
    m_document.stopComparison();
    for (const Run& run : m_document.runs()) {
        if (run.job != 0) m_document.stopRun(run.number);
    }
}

void MainWindow::exportCode() {
    auto* dialog = new ExportDialog(m_document, m_jobs, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

// --- events --------------------------------------------------------------------------------------------------------------

void MainWindow::closeEvent(QCloseEvent* event) {
    if (asksAboutLoss([this] {
            m_document.leave();
            close();
        })) {
        event->ignore();
        return;
    }
    stopSearch();
    saveSettings();
    event->accept();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (m_title != nullptr) showTitle();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    openPath(urls.front().toLocalFile());
    for (qsizetype i = 1; i < urls.size() && i < MostDropped; ++i) openInNewWindow(urls[i].toLocalFile());
    event->acceptProposedAction();
}

}  // namespace mitos::views
