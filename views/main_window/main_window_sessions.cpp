// SPDX-License-Identifier: GPL-3.0-or-later
// Several programs in a window, several windows, and what belongs to a session as a whole.
#include "search/placement/training_run.h"
#include "storage/session_labels.h"
#include "views/common/format.h"
#include "views/document/choices.h"
#include "views/document/session_names.h"
#include "views/main_window/internal/message_bar.h"
#include "views/main_window/internal/open_programs.h"
#include "views/main_window/main_window.h"
#include "views/start_page/labels_dialog.h"
#include "views/start_page/recent.h"
#include "views/start_page/session_browser.h"
#include "views/start_page/start_page.h"

#include <QAbstractButton>
#include <QActionGroup>
#include <QApplication>
#include <QBoxLayout>
#include <QDateTime>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace mitos::views {

namespace {

constexpr int LongestTitle = 200;  // pixels
constexpr int NarrowWindow = 1200;
constexpr int WindowOffset = 32;  // of a new window from the one that it was opened from

bool areSame(const QString& one, const QString& other) {
    return !one.isEmpty() && QFileInfo(one).absoluteFilePath() == QFileInfo(other).absoluteFilePath();
}

/// A text of an action that contains no shortcut.
QString withoutMnemonic(QString text) { return text.replace(QLatin1Char('&'), QStringLiteral("&&")); }

QKeySequence key(QKeyCombination combination) { return QKeySequence(combination); }

/// "gemm, today 14:05   ▼ −5.1 %   searching"
QString entryText(const OpenProgram& program, int searches) {
    QStringList parts{withoutMnemonic(program.name)};
    if (!isNoChange(program.bestCost - program.initialCost, program.initialCost))
        parts << changeText(program.initialCost, program.bestCost);
    if (searches > 0) parts << MainWindow::tr("searching");
    return parts.join(QStringLiteral("   "));
}

}  // namespace

/// Actions of the menus File and Window about sessions, programs and windows.
void MainWindow::buildSessionActions() {
    define(
        "sessions", tr("All Sess&ions…"), "session", {key(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
        [this] { browseSessions(); }, tr("Search, label and delete the sessions"));
    define(
        "labels", tr("About This Sessio&n…"), "", {}, [this] { editLabels(); },
        tr("The session's name, tags and note"));
    define(
        "closeProgram", tr("Close Pro&gram"), "", QKeySequence::keyBindings(QKeySequence::Close),
        [this] { closeProgram(); }, tr("Go back to the program used before"));
    define("close", tr("&Close Window"), "close", {key(Qt::CTRL | Qt::SHIFT | Qt::Key_W)}, [this] { close(); });
    define(
        "newWindow", tr("New &Window"), "", {}, [this] { openWindow(); },
        tr("A window of its own for another program"));
    define(
        "nextProgram", tr("Ne&xt Program"), "", {key(Qt::CTRL | Qt::Key_Tab)}, [this] { stepProgram(1); },
        tr("The program used before this one"));
    define("previousProgram", tr("&Previous Program"), "", {key(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab)},
           [this] { stepProgram(-1); });
}

// --- opening ---------------------------------------------------------------------------------------------------------------

void MainWindow::openPath(const QString& path, const QString& function) {
    m_searchOnOpening.clear();
    if (EGraphDocument::isEGraphFile(path)) {
        m_messages->hide();
        m_egraph.openFile(path);
    } else {
        replaceProgram([this, path, function] { m_document.openFile(path, function); });
    }
}

void MainWindow::openText(const QString& title, const QString& text) {
    replaceProgram([this, title, text] { m_document.openText(title, text); });
}

void MainWindow::openNetwork(const QString& name, bool realistic) {
    replaceProgram([this, name, realistic] { m_document.openNetwork(name, realistic); });
}

/// Starts a search as soon as the file is open, unless another one is opened instead.
void MainWindow::openAndSearch(const QString& path) {
    openPath(path);
    m_searchOnOpening = path;
}

void MainWindow::openSession(const QString& path) {
    if (MainWindow* const other = windowShowing(path); other != nullptr && other != this)
        other->showInFront();
    else
        replaceProgram([this, path] { m_document.openSession(path); });
}

void MainWindow::reopenLastSession() {
    for (const RecentEntry& entry : recentEntries()) {
        if (!entry.session || !entry.exists) continue;
        openSession(entry.path);
        return;
    }
}

void MainWindow::fillRecentMenu() {
    m_recentMenu->clear();
    const QDateTime now = QDateTime::currentDateTime();
    for (const RecentEntry& entry : recentEntries()) {
        const QString place =
            entry.session ? momentText(QFileInfo(entry.path).lastModified(), now) : shortenedPath(entry.path);
        const QString what = entry.session ? programName(entry.title) : entry.title;
        const QString text = entry.exists ? tr("%1   %2").arg(what, place) : tr("%1   missing: %2").arg(what, place);
        QAction* made = m_recentMenu->addAction(text, this, [this, path = entry.path] {
            if (QApplication::keyboardModifiers().testFlag(Qt::ControlModifier))
                openInNewWindow(path);
            else
                openPath(path);
        });
        made->setData(entry.path);
        made->setEnabled(entry.exists);
        made->setToolTip(tr("%1; with Ctrl in a new window").arg(entry.path));
    }
    QStringList missing;
    for (const RecentEntry& entry : recentEntries()) {
        if (!entry.exists) missing << entry.path;
    }
    if (!missing.isEmpty()) {
        m_recentMenu->addSeparator();
        m_recentMenu->addAction(tr("Remove %n missing from this list", nullptr, static_cast<int>(missing.size())), this,
                                [missing] {
                                    for (const QString& path : missing) removeRecent(path);
                                });
    }
    m_recentMenu->setToolTipsVisible(true);
    m_recentMenu->setEnabled(!m_recentMenu->isEmpty());
}

// --- several programs ------------------------------------------------------------------------------------------------------

bool MainWindow::isShown(const QString& session) const {
    const OpenProgram* const program = m_open->find(session);
    return program != nullptr && m_open->isShown(*program);
}

void MainWindow::switchTo(const QString& session) {
    if (isShown(session)) {
        if (shown() == nullptr) showPerspective(stepPerspective());
        return;
    }
    if (!QFileInfo::exists(session)) {
        const OpenProgram* const program = m_open->find(session);
        m_messages->showError(tr("%1 is gone").arg(program != nullptr ? program->name : QFileInfo(session).fileName()),
                              tr("Its session was moved or deleted: %1").arg(shortenedPath(session)));
        m_open->remove(session);
        return;
    }
    openSession(session);
}

void MainWindow::openAtResult(const QString& session, int run) {
    if (MainWindow* const other = windowShowing(session); other != nullptr && other != this) {
        other->showInFront();
        other->goToResult(run);
        return;
    }
    connect(
        &m_document, &Document::opened, this,
        [this, session, run] {
            if (areSame(session, m_document.sessionPath())) goToResult(run);
        },
        Qt::ConnectionType(Qt::QueuedConnection | Qt::SingleShotConnection));
    openSession(session);
}

void MainWindow::goToResult(RunNumber number) {
    const Run* const run = m_document.isOpen() ? m_document.run(number) : nullptr;
    if (run == nullptr || !run->resultState.isValid()) return;
    m_selection.setRun(number);
    m_document.checkout(run->resultState);
    showPerspective(stepPerspective());
}

void MainWindow::stepProgram(int by) {
    if (const QString session = m_open->step(by); !session.isEmpty()) switchTo(session);
}

/// Goes to the program used before; to the start page if there is none.
void MainWindow::closeProgram() {
    if (!m_document.isOpen()) {
        close();
        return;
    }
    if (!asksAboutLoss([this] { leaveProgram(); })) leaveProgram();
}

void MainWindow::leaveProgram() {
    const QString session = m_document.sessionPath();
    const QString name = m_document.sessionName();
    const bool isSearching = m_document.runningSearches() > 0;
    m_messages->hide();
    m_document.leave();
    m_open->remove(session);
    if (!m_open->programs().isEmpty()) {
        const QString next = m_open->programs().front().session;  // the list may change
        switchTo(next);
    }
    if (!m_document.isOpening()) showStartPage();
    if (isSearching && !session.isEmpty())
        m_messages->showNotice(tr("%1: the search was stopped; the session keeps its best program.").arg(name));
}

void MainWindow::closeProgram(const QString& session) {
    if (isShown(session))
        closeProgram();
    else
        m_open->remove(session);
}

// --- a session that is not being saved ---------------------------------------------------------------------------------------

bool MainWindow::isSessionLost() const { return m_document.isOpen() && m_document.sessionPath().isEmpty(); }

void MainWindow::buildSessionWarning() {
    auto* warning = new MessageBar;
    warning->setObjectName(QStringLiteral("sessionWarning"));
    warning->setClosable(false);
    static_cast<QBoxLayout*>(centralWidget()->layout())->insertWidget(1, warning);
    connect(&m_document, &Document::failed, warning, [this, warning](const QString& title, const QString& details) {
        if (!isSessionLost() || !warning->isHidden()) return m_messages->showError(title, details);
        warning->showError(title, details);
        warning->offer(tr("Save Session As…"), [this] { askForSessionPath(); });
    });
    const auto check = [this, warning] {
        if (!isSessionLost()) warning->hide();
    };
    for (const auto signal : {&Document::closed, &Document::opened}) connect(&m_document, signal, warning, check);
    connect(&m_document, &Document::notice, warning, check);  // it is kept in another file now
}

void MainWindow::replaceProgram(const std::function<void()>& open) {
    const auto begin = [this, open] {
        m_messages->hide();
        open();
    };
    if (!asksAboutLoss(begin)) begin();
}

bool MainWindow::asksAboutLoss(std::function<void()> goOn) {
    if (!isSessionLost() || (m_document.history().size() == 1 && m_document.runs().empty())) return false;
    if (auto* open = findChild<QMessageBox*>(QStringLiteral("lossDialog"))) {
        open->raise();
        return true;
    }
    auto* box = new QMessageBox(QMessageBox::Warning, tr("The Session Is Not Saved"),
                                tr("%1 could not be written to its session. Its %L2 states are lost when it is closed.")
                                    .arg(m_document.sessionName())
                                    .arg(m_document.history().size()),
                                QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("lossDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->button(QMessageBox::Save)->setText(tr("Save Session As…"));
    box->button(QMessageBox::Discard)->setText(tr("Close Without Saving"));
    box->setDefaultButton(QMessageBox::Save);
    connect(box, &QMessageBox::buttonClicked, this, [this, box, goOn = std::move(goOn)](QAbstractButton* button) {
        const QMessageBox::StandardButton answer = box->standardButton(button);
        box->setObjectName({});  // it is answered
        if (answer == QMessageBox::Save) askForSessionPath();
        if (answer == QMessageBox::Discard) goOn();
    });
    box->open();
    return true;
}

/// The program left last goes on with its searches.
void MainWindow::announceLeft() {
    for (const OpenProgram& program : m_open->programs()) {
        if (m_open->isShown(program)) continue;
        if (m_open->searchesOf(program) > 0)
            m_messages->showNotice(tr("%1: the search continues in the background.").arg(program.name));
        return;
    }
}

void MainWindow::announceBackground(const QString& session, const Run& run, const QString& error) {
    const OpenProgram* const program = m_open->find(session);
    if (program == nullptr) return;
    const QString what = tr("%1: %2").arg(program->name, strategyLabel(fromUtf8(run.strategy)));
    if (!error.isEmpty()) {
        m_messages->showError(tr("%1 could not be recorded in the session").arg(what), error);
        return;
    }
    if (search::isTraining(run)) {
        m_messages->showResult(tr("%1 ended in the background: %2.").arg(what, fromUtf8(run.outcomeSummary)));
        m_messages->offer(tr("Show"), [this, session] { switchTo(session); });
        return;
    }
    const bool isCheaper = !isNoChange(run.bestCost - run.initialCost, run.initialCost);
    const double start = run.startState == 0 ? run.initialCost : program->initialCost;
    m_messages->showResult(
        isCheaper ? tr("%1 ended in the background: %2 → %3 (%4)")
                        .arg(what, costText(start), costText(run.bestCost), changeText(start, run.bestCost))
                  : tr("%1 ended in the background; nothing cheaper was found.").arg(what));
    m_messages->offer(tr("Show"), [this, session] { switchTo(session); });
}

/// The menu of the title: the open programs, then how to open others.
void MainWindow::fillProgramMenu(QMenu* menu) {
    menu->clear();
    qDeleteAll(menu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
    delete menu->findChild<QActionGroup*>();
    auto* group = new QActionGroup(menu);  // one of them is shown
    m_open->update();
    const QList<OpenProgram> programs = m_open->programs();
    for (const OpenProgram& program : programs) {
        const int searches = m_open->searchesOf(*m_open->find(program.session));
        QAction* const made = menu->addAction(entryText(program, searches), this,
                                              [this, session = program.session] { switchTo(session); });
        made->setActionGroup(group);
        made->setCheckable(true);
        made->setChecked(isShown(program.session));
        made->setToolTip(tr("cost %1 → %2").arg(exactCostText(program.initialCost), exactCostText(program.bestCost)));
    }
    if (!programs.isEmpty()) {
        auto* closing = new QMenu(tr("&Close"), menu);
        auto* moving = new QMenu(tr("Move to a New &Window"), menu);
        for (const OpenProgram& program : programs) {
            const QString name = entryText(program, 0);
            closing->addAction(name, this, [this, session = program.session] { closeProgram(session); });
            if (!program.session.isEmpty())
                moving->addAction(name, this, [this, session = program.session] { openInNewWindow(session); });
        }
        moving->setEnabled(!moving->isEmpty());
        menu->addMenu(moving);
        menu->addMenu(closing);
        menu->addSeparator();
    }
    for (const char* name : {"open", "new", "network", "sessions", "start"}) menu->addAction(act(QLatin1String(name)));
    menu->addSeparator();
    fillRecentMenu();
    for (QAction* recent : m_recentMenu->actions()) {
        if (m_open->find(recent->data().toString()) == nullptr) menu->addAction(recent);
    }
    menu->setToolTipsVisible(true);
}

void MainWindow::showTitle() {
    const bool open = m_document.isOpen();
    QString name = shown() != nullptr && shown()->about.title ? shown()->about.title(*this) : QString();
    if (name.isEmpty()) name = open ? m_document.sessionName() : tr("Mitos");
    // A narrow bar has no room for the time.
    const bool isNarrow = width() < NarrowWindow;
    const QString text = isNarrow && name == m_document.sessionName() && m_document.labels().name.empty()
                             ? programName(m_document.title())
                             : name;
    m_title->setText(
        m_title->fontMetrics().elidedText(text, Qt::ElideMiddle, isNarrow ? LongestTitle / 2 : LongestTitle));
    m_title->setToolTip(open ? tr("%1; the open programs").arg(name) : tr("The open programs"));
    setWindowTitle(shown() == nullptr ? tr("Mitos") : name);
}

// --- several windows -------------------------------------------------------------------------------------------------------

QList<MainWindow*> MainWindow::allWindows() {
    QList<MainWindow*> windows;
    for (QWidget* widget : QApplication::topLevelWidgets()) {
        if (auto* window = qobject_cast<MainWindow*>(widget); window != nullptr && window->isVisible())
            windows << window;
    }
    std::ranges::sort(windows, {}, &QWidget::winId);
    return windows;
}

MainWindow* MainWindow::openWindow() {
    auto* window = new MainWindow;
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->resize(size());
    window->move(pos() + QPoint(WindowOffset, WindowOffset));
    window->show();
    return window;
}

void MainWindow::openInNewWindow(const QString& path) {
    if (MainWindow* const other = windowShowing(path); other != nullptr && other != this) {
        other->showInFront();
        return;
    }
    const bool isShown = areSame(path, m_document.sessionPath());
    if (m_document.searchesInBackground(path) > 0 || (isShown && m_document.runningSearches() > 0)) {
        m_messages->showNotice(tr("A search of this program runs in this window. Stop it, then move the program."));
        return;
    }
    if (isShown) {
        m_document.leave();
        m_open->handOver(path);
        showStartPage();
    } else if (m_open->find(path) != nullptr) {
        m_open->handOver(path);
    }
    openWindow()->openPath(path);
}

/// The window in which that session is shown; null if there is none.
MainWindow* MainWindow::windowShowing(const QString& session) {
    for (MainWindow* const window : allWindows()) {
        if (window->document().isOpen() && areSame(session, window->document().sessionPath())) return window;
    }
    return nullptr;
}

void MainWindow::showInFront() {
    setWindowState(windowState() & ~Qt::WindowMinimized);
    raise();
    activateWindow();
    if (shown() == nullptr && m_document.isOpen()) showPerspective(stepPerspective());
}

void MainWindow::fillWindowMenu(QMenu* menu) {
    menu->clear();
    for (const char* name : {"newWindow", "close"}) menu->addAction(act(QLatin1String(name)));
    menu->addSeparator();
    for (const char* name : {"nextProgram", "previousProgram", "closeProgram"})
        menu->addAction(act(QLatin1String(name)));
    menu->addSeparator();
    for (MainWindow* const window : allWindows()) {
        QAction* const made = menu->addAction(withoutMnemonic(window->windowTitle()), window, &MainWindow::showInFront);
        made->setCheckable(true);
        made->setChecked(window == this);
    }
}

// --- sessions --------------------------------------------------------------------------------------------------------------

void MainWindow::editLabels() {
    auto* dialog = new LabelsDialog(programName(m_document.title()), m_document.labels(), this);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { m_document.setLabels(dialog->labels()); });
    openAboutProgram(dialog);
}

void MainWindow::browseSessions() {
    QStringList open;
    for (const MainWindow* window : allWindows()) {
        const QString path = window->m_document.sessionPath();
        if (!path.isEmpty()) open << QFileInfo(path).absoluteFilePath();
    }
    auto* browser = new SessionBrowser(m_jobs, open, this);
    browser->setAttribute(Qt::WA_DeleteOnClose);
    connect(browser, &SessionBrowser::chosen, this, [this](const QString& path) { openPath(path); });
    connect(browser, &SessionBrowser::windowRequested, this, &MainWindow::openInNewWindow);
    connect(browser, &QDialog::finished, m_startPage, &StartPage::refresh);
    browser->open();
}

/// A session of a process that was killed, or crashed, is offered once.
void MainWindow::offerRestore(const QString& session, const QString& text) {
    if (m_document.isOpen() || m_document.isOpening() || m_messages->isVisible()) return;
    m_messages->showResult(text);
    m_messages->offer(tr("Restore"), [this, session] { openPath(session); });
}

}  // namespace mitos::views
