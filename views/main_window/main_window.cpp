// SPDX-License-Identifier: GPL-3.0-or-later
// Assembles the window and connects it with the document.
#include "views/main_window/main_window.h"

#include "search/rewriting/strategies.h"
#include "views/common/format.h"
#include "views/egraph/egraph_view.h"
#include "views/export_dialog/export_dialog.h"
#include "views/help/help_window.h"
#include "views/main_window/appearance.h"
#include "views/main_window/go_dialog.h"
#include "views/main_window/message_bar.h"
#include "views/main_window/program_dialog.h"
#include "views/main_window/shortcuts_dialog.h"
#include "views/main_window/status_strip.h"
#include "views/network_dialog/network_dialog.h"
#include "views/preferences/preferences_dialog.h"
#include "views/program/program_view.h"
#include "views/rewrites/rewrites_view.h"
#include "views/saturation/saturate_dialog.h"
#include "views/saturation/saturation_view.h"
#include "views/search_dialog/search_dialog.h"
#include "views/start_page/recent.h"
#include "views/start_page/start_page.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

namespace mitos::views {

namespace {

constexpr QSize UsualSize(1280, 800);
constexpr QSize SmallestSize(1024, 640);

QString subtermKey() { return QStringLiteral("subterm"); }
QString comparedKey() { return QStringLiteral("compared"); }
QString tabKey() { return QStringLiteral("program-tab"); }
QString stepKey() { return QStringLiteral("perspective/step"); }
QString saturateKey() { return QStringLiteral("perspective/saturate"); }
QString folderKey() { return QStringLiteral("last-folder"); }

}  // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      m_document(m_jobs, m_selection),
      m_egraph(m_jobs),
      m_pages(new QStackedWidget),
      m_startPage(new StartPage(m_jobs)),
      m_program(new ProgramView(m_document, m_selection, m_jobs)),
      m_egraphView(new EGraphView(m_egraph, m_jobs)),
      m_messages(new MessageBar) {
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    setMinimumSize(SmallestSize);
    resize(UsualSize);
    m_pages->addWidget(m_startPage);
    m_pages->addWidget(m_program);
    m_pages->addWidget(m_egraphView);
    auto* centre = new QWidget;
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_messages);
    layout->addWidget(m_pages, 1);
    setCentralWidget(centre);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(new StatusStrip(m_document, m_selection, m_jobs), 1);

    buildDocks();
    buildActions();
    buildMenus();
    buildToolBar();
    connectDocument();
    defaultLayout();
    restoreSettings();
    followPreferences(Preferences::stored(), true);
    showStartPage();
    updateActions();
}

MainWindow::~MainWindow() {
    // Views first, then what they look at.
    qDeleteAll(findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly));
    qDeleteAll(m_docks);
    delete takeCentralWidget();
    delete statusBar();
}

// --- settings ------------------------------------------------------------------------------------------------------------

void MainWindow::restoreSettings() {
    QSettings settings;
    if (settings.value(QStringLiteral("version"), SettingsVersion).toInt() > SettingsVersion) return;
    restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    m_stepLayout = settings.value(stepKey()).toByteArray();
    m_saturateLayout = settings.value(saturateKey()).toByteArray();
    const QVariant strategy = settings.value(QStringLiteral("strategy"), fromUtf8(search::DefaultStrategy));
    m_strategy->setCurrentIndex(std::max(0, m_strategy->findData(strategy)));
    if (const double seconds = settings.value(QStringLiteral("budget")).toDouble(); seconds > 0) {
        m_budget->setValue(seconds);
    }
}

void MainWindow::saveSettings() {
    keepLayout();
    QSettings settings;
    settings.setValue(QStringLiteral("version"), SettingsVersion);
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    settings.setValue(stepKey(), m_stepLayout);
    settings.setValue(saturateKey(), m_saturateLayout);
    settings.setValue(QStringLiteral("strategy"), m_strategy->currentData());
    settings.setValue(QStringLiteral("budget"), m_budget->value());
}

// --- document ------------------------------------------------------------------------------------------------------------

void MainWindow::connectDocument() {
    connect(&m_document, &Document::opened, this, &MainWindow::programOpened);
    connect(&m_document, &Document::failed, m_messages, &MessageBar::showError);
    connect(&m_document, &Document::notice, m_messages, &MessageBar::showNotice);
    connect(&m_egraph, &EGraphDocument::opened, this, &MainWindow::egraphOpened);
    connect(&m_egraph, &EGraphDocument::failed, m_messages, &MessageBar::showError);
    connect(&m_egraph, &EGraphDocument::notice, m_messages,
            [this](const QString& text) { m_messages->showNotice(text); });
    connect(m_egraphView, &EGraphView::openRequested, this, &MainWindow::askForFile);
    connect(m_egraphView, &EGraphView::saturateRequested, this, &MainWindow::askForSaturation);
    for (const auto changed : {&EGraphDocument::reportChanged, &EGraphDocument::snapshotChanged}) {
        connect(&m_egraph, changed, this, &MainWindow::updateActions);
    }
    connect(&m_egraph, &EGraphDocument::threadFound, this, &MainWindow::takeThread);
    connect(m_egraphView, &EGraphView::threadTaken, this, &MainWindow::takeThread);
    for (const auto changed : {&Document::currentChanged, &Document::historyChanged}) {
        connect(&m_document, changed, this, &MainWindow::updateActions);
    }
    connect(&m_document, &Document::runChanged, this, &MainWindow::updateActions);
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
            [this](int tab) { m_document.setViewValue(tabKey(), QString::number(tab)); });
    connect(m_startPage, &StartPage::fileChosen, this, [this](const QString& path) { openPath(path); });
    connect(m_startPage, &StartPage::openRequested, this, &MainWindow::askForFile);
    connect(m_startPage, &StartPage::newRequested, this, &MainWindow::askForText);
    connect(m_startPage, &StartPage::networkRequested, this, &MainWindow::askForNetwork);
}

void MainWindow::programOpened() {
    // Read before anything is set: setting is stored.
    const QString subterm = m_document.viewValue(subtermKey());
    const int tab = m_document.viewValue(tabKey()).toInt();
    const QString compared = m_document.viewValue(comparedKey());
    if (!m_document.sourcePath().isEmpty()) {
        addRecent({m_document.sourcePath(), QFileInfo(m_document.sourcePath()).fileName()});
    }
    if (!m_document.sessionPath().isEmpty()) addRecent({m_document.sessionPath(), m_document.title(), true});
    fillCostModels();
    m_egraphView->offerSaturation();
    m_saturation->offerSaturation();
    showProgram();
    m_program->showAs(tab);
    if (const auto path = ir::parsePath(subterm.toStdString()); path && !subterm.isEmpty()) {
        if (ir::subterm(m_document.bank(), m_document.current().root, *path)) m_selection.setSubterm(*path);
    }
    if (const rewrite::StateId state(compared.toUInt());
        !compared.isEmpty() && state.value < m_document.history().size()) {
        m_selection.setCompared(state);
    }
    updateActions();
}

void MainWindow::egraphOpened() {
    if (!m_egraph.sourcePath().isEmpty()) addRecent({m_egraph.sourcePath(), m_egraph.title()});
    showEGraph();
}

void MainWindow::openPath(const QString& path, const QString& function) {
    m_messages->hide();
    if (EGraphDocument::isEGraphFile(path))
        m_egraph.openFile(path);
    else
        m_document.openFile(path, function);
}

void MainWindow::openSession(const QString& path) {
    m_messages->hide();
    m_document.openSession(path);
}

bool MainWindow::isSettled() const { return !m_document.isOpening() && m_jobs.isIdle(); }

void MainWindow::setBudgetSeconds(double seconds) { m_budget->setValue(seconds); }

void MainWindow::reopenLastSession() {
    for (const RecentEntry& entry : recentEntries()) {
        if (!entry.session || !entry.exists) continue;
        openSession(entry.path);
        return;
    }
}

void MainWindow::showProgramAs(const QString& rendering) {
    const QStringList tabs{QStringLiteral("text"), QStringLiteral("tree"), QStringLiteral("graph")};
    m_program->showAs(static_cast<int>(std::max<qsizetype>(0, tabs.indexOf(rendering))));
}

void MainWindow::runSearch() {
    SearchSettings settings;
    settings.strategy = m_strategy->currentData().toString();
    if (m_lastSearch && m_lastSearch->strategy == settings.strategy) settings = *m_lastSearch;
    settings.budget.seconds = m_budget->value();
    m_document.startSearch(settings);
}

void MainWindow::searchSettings() {
    auto* dialog = new SearchDialog(m_document, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_lastSearch = dialog->settings();
        const int row = m_strategy->findData(m_lastSearch->strategy);
        if (row >= 0) m_strategy->setCurrentIndex(row);
        if (m_lastSearch->budget.seconds) m_budget->setValue(*m_lastSearch->budget.seconds);
        m_document.startSearch(*m_lastSearch);
    });
    dialog->open();
}

void MainWindow::askForSaturation() {
    auto* dialog = new SaturateDialog(fromUtf8(m_document.rules().names()), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { saturate(dialog->settings()); });
    dialog->open();
}

void MainWindow::saturate(const SaturationSettings& settings) {
    if (!m_document.isOpen()) return;
    m_messages->hide();
    m_saturatedState = m_document.history().current();
    m_egraph.saturate(m_document.title(), m_document.snapshot(m_document.current()), m_document.rules(),
                      m_document.sharedCostModel(), settings);
    updateActions();
}

void MainWindow::takeThread(const FoundThread& found) {
    m_document.joinThread(m_saturatedState, *found.bank, found.thread, QStringLiteral("saturation"));
    const std::size_t steps = found.thread.steps.size();
    if (steps == 0) return;  // the document said so
    m_messages->showNotice(steps == 1
                               ? tr("1 step joined the history; walk it in the perspective Step.")
                               : tr("%1 steps joined the history; walk them in the perspective Step.").arg(steps));
}

void MainWindow::stopSearch() {
    m_egraph.stop();
    for (const Run& run : m_document.runs()) {
        if (run.job != 0) m_document.stopRun(run.number);
    }
}

void MainWindow::exportCode() {
    auto* dialog = new ExportDialog(m_document, m_jobs, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

// --- asking --------------------------------------------------------------------------------------------------------------

void MainWindow::askForFile() {
    QSettings settings;
    auto* dialog = new QFileDialog(
        this, tr("Open a Program, a Model, a Session or an E-graph"), settings.value(folderKey()).toString(),
        tr("Programs, models, sessions and e-graphs (*.ks *.onnx *.onnxtxt *.txt *.mitos *.db *.json);;All files (*)"));
    dialog->setObjectName(QStringLiteral("openDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        QSettings().setValue(folderKey(), QFileInfo(path).absolutePath());
        openPath(path);
    });
    dialog->open();
}

void MainWindow::askForText() {
    auto* dialog = new ProgramDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_messages->hide();
        m_document.openText(tr("typed program"), dialog->text());
    });
    dialog->open();
}

void MainWindow::askForNetwork() {
    auto* dialog = new NetworkDialog(m_jobs, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_messages->hide();
        m_document.openNetwork(dialog->network(), dialog->isRealistic());
    });
    dialog->open();
}

void MainWindow::askForSessionPath() {
    auto* dialog = new QFileDialog(this, tr("Save the Session"), QSettings().value(folderKey()).toString(),
                                   tr("Mitos sessions (*.mitos)"));
    dialog->setObjectName(QStringLiteral("saveDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("mitos"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        m_document.saveSessionAs(path);
        addRecent({path, m_document.title(), true});
    });
    dialog->open();
}

void MainWindow::showShortcuts() {
    const QList<ViewKey> viewKeys = {
        {tr("Enter"), tr("Rewrites: apply the selected rewrite")},
        {tr("J / K"), tr("Rewrites: next, previous")},
        {tr("Arrows"), tr("Graph: walk along the drawing")},
        {tr("Enter"), tr("Graph: show or hide what is behind the box; Cost: go to the row's subterm")},
        {tr("Space"), tr("Graph: show all of it")},
        {tr("Ctrl + wheel"), tr("Graph: zoom")},
        {tr("S / U / C / R"),
         tr("E-graph: hide the class, show only it, draw it as one box, begin at the roots again")},
        {tr("Enter, P, F2, N"), tr("History: make the state current, pin it, name it, write a note")},
        {tr("1 … 7, 0, C"), tr("History: colour the state, compare it with the current one")},
        {tr("Click, click again"), tr("Program: select the innermost subterm, widen")},
        {tr("Ctrl + wheel"), tr("Program: larger, smaller text")},
    };
    auto* dialog = new ShortcutsDialog(m_actionOrder, viewKeys, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::showDock(int number) {
    QDockWidget* dock = m_docks.value(number);
    if (dock == nullptr) return;
    dock->show();
    dock->raise();
    auto* pages = qobject_cast<QStackedWidget*>(dock->widget());
    pages->setCurrentIndex(0);
    // To where one can do something: a list, a tree, a table; else the first thing that takes keys.
    QWidget* target = nullptr;
    for (QWidget* widget : dock->widget()->findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(dock) || !widget->isEnabled() || widget->focusPolicy() == Qt::NoFocus) continue;
        const bool list = qobject_cast<QAbstractItemView*>(widget) != nullptr;
        if (target == nullptr || list) target = widget;
        if (list) break;
    }
    (target != nullptr ? target : pages->currentWidget())->setFocus(Qt::ShortcutFocusReason);
}

HelpWindow* MainWindow::help() {
    auto* window = findChild<HelpWindow*>();
    if (window == nullptr) window = new HelpWindow(this);
    window->setRules(m_document.rules());
    window->show();
    window->raise();
    window->activateWindow();
    return window;
}

void MainWindow::showHelp() { help()->showPage(QStringLiteral("stepping")); }

void MainWindow::showRuleHelp(const QString& rule) { help()->showRule(rule); }

void MainWindow::goToAnything() {
    QList<GoEntry> entries;
    for (QAction* action : m_actionOrder) {
        if (!action->isEnabled() || action->objectName() == QLatin1String("goto")) continue;
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        entries << GoEntry{tr("Action"), text, action->shortcut().toString(QKeySequence::NativeText),
                           [action] { action->trigger(); }};
    }
    if (m_document.isOpen() && m_pages->currentWidget() == m_program) {
        const rewrite::History& history = m_document.history();
        constexpr std::uint32_t MostStates = 5'000;
        for (std::uint32_t i = 0; i < history.size() && i < MostStates; ++i) {
            const rewrite::StateId id(i);
            const rewrite::HistoryState& state = history.state(id);
            QString text = state.marks.name.empty() ? tr("state %1").arg(i) : fromUtf8(state.marks.name);
            if (state.step) text += QStringLiteral("  ") + fromUtf8(state.step->name());
            entries << GoEntry{tr("State"), text, tr("cost %1").arg(costText(state.cost)),
                               [this, id] { m_document.checkout(id); }};
        }
        for (const rules::RuleSet& set : m_document.rules().sets()) {
            for (const auto& rule : set.rules) {
                const QString name = fromUtf8(rule->name);
                entries << GoEntry{tr("Rule"), name, fromUtf8(set.name), [this, name] {
                                       showDock(1);
                                       m_rewrites->filterBy(name);
                                   }};
            }
        }
    }
    auto* dialog = new GoDialog(std::move(entries), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::showPreferences() {
    auto* dialog = new PreferencesDialog(Preferences::stored(), m_actionOrder, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const Preferences chosen = dialog->preferences();
        chosen.store();
        applyPreferences(*qApp, chosen);
        followPreferences(chosen, !m_document.isOpen());
    });
    dialog->open();
}

/// What is "at start" leaves an open program alone.
void MainWindow::followPreferences(const Preferences& preferences, bool atStart) {
    m_program->setReducedMotion(preferences.reducedMotion);
    m_egraphView->setReducedMotion(preferences.reducedMotion);
    if (!atStart) return;
    if (!preferences.costModel.isEmpty()) m_document.setCostModel(preferences.costModel);
    if (!preferences.rules.isEmpty()) m_document.setRules(preferences.rules);
    if (preferences.seconds > 0) m_budget->setValue(preferences.seconds);
}

void MainWindow::showAbout() {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("About Mitos"),
        tr("<h3>Mitos %1</h3><p>A desktop explorer for program optimization: rewrites, searches, and the "
           "thread that leads from the program to its best form.</p>"
           "<p>Free software under the GNU General Public License, version 3 or later.</p>")
            .arg(QApplication::applicationVersion()),
        QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(Theme(palette()).icon(QStringLiteral("mitos")).pixmap(QSize(64, 64)));
    box->open();
}

// --- events --------------------------------------------------------------------------------------------------------------

void MainWindow::closeEvent(QCloseEvent* event) {
    stopSearch();
    saveSettings();
    event->accept();
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) updateIcons();
    QMainWindow::changeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    openPath(urls.front().toLocalFile());
    if (urls.size() > 1) m_messages->showNotice(tr("One window shows one program: the first of the files was opened."));
    event->acceptProposedAction();
}

}  // namespace mitos::views
