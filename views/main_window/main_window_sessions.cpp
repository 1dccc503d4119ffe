// SPDX-License-Identifier: GPL-3.0-or-later
// Several programs in a window, several windows, and what belongs to a session as a whole.
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

#include <QApplication>
#include <QFileInfo>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>
#include <algorithm>

namespace mitos::views {

namespace {

constexpr int LongestTitle = 200;  // pixels
constexpr int WindowOffset = 32;   // of a new window from the one that it was opened from

QList<MainWindow*> allWindows() {
    QList<MainWindow*> windows;
    for (QWidget* widget : QApplication::topLevelWidgets()) {
        if (auto* window = qobject_cast<MainWindow*>(widget); window != nullptr && window->isVisible())
            windows << window;
    }
    std::ranges::sort(windows, {}, &QWidget::winId);
    return windows;
}

bool areSame(const QString& one, const QString& other) {
    return !one.isEmpty() && QFileInfo(one).absoluteFilePath() == QFileInfo(other).absoluteFilePath();
}

/// "gemm, today 14:05   ▼ −5.1 %   searching"
QString entryText(const OpenProgram& program, int searches) {
    QStringList parts{program.name};
    parts.front().replace(QLatin1Char('&'), QStringLiteral("&&"));
    if (!isNoChange(program.bestCost - program.initialCost, program.initialCost))
        parts << changeText(program.initialCost, program.bestCost);
    if (searches > 0) parts << MainWindow::tr("searching");
    return parts.join(QStringLiteral("   "));
}

}  // namespace

// --- several programs ------------------------------------------------------------------------------------------------------

void MainWindow::switchTo(const QString& session) {
    if (areSame(session, m_document.sessionPath())) {
        if (m_pages->currentIndex() == 0) showProgram();
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

void MainWindow::stepProgram(int by) {
    if (const QString session = m_open->step(by); !session.isEmpty()) switchTo(session);
}

/// Goes to the program used before; to the start page if there is none.
void MainWindow::closeProgram() {
    if (!m_document.isOpen()) {
        close();
        return;
    }
    const QString session = m_document.sessionPath();
    const QString name = m_document.sessionName();
    const bool isSearching = m_document.runningSearches() > 0;
    m_messages->hide();
    m_document.leave();
    m_open->remove(session);
    if (!m_open->programs().isEmpty()) switchTo(m_open->programs().front().session);
    if (!m_document.isOpening()) showStartPage();
    if (isSearching && !session.isEmpty())
        m_messages->showNotice(tr("%1: the search was stopped; the session keeps its best program.").arg(name));
}

void MainWindow::closeProgram(const QString& session) {
    if (areSame(session, m_document.sessionPath()))
        closeProgram();
    else
        m_open->remove(session);
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
    const bool isCheaper = !isNoChange(run.bestCost - run.initialCost, run.initialCost);
    m_messages->showResult(isCheaper ? tr("%1 ended in the background: %2 → %3 (%4)")
                                           .arg(what, costText(run.initialCost), costText(run.bestCost),
                                                changeText(run.initialCost, run.bestCost))
                                     : tr("%1 ended in the background; nothing cheaper was found.").arg(what));
    m_messages->offer(tr("Show"), [this, session] { switchTo(session); });
}

/// The menu of the title: the open programs, then how to open others.
void MainWindow::fillProgramMenu(QMenu* menu) {
    menu->clear();
    qDeleteAll(menu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
    m_open->update();
    const QList<OpenProgram> programs = m_open->programs();
    for (const OpenProgram& program : programs) {
        const int searches = m_open->searchesOf(*m_open->find(program.session));
        QAction* const made = menu->addAction(entryText(program, searches), this,
                                              [this, session = program.session] { switchTo(session); });
        made->setCheckable(true);
        made->setChecked(m_document.isOpen() && program.session == m_document.sessionPath());
        made->setToolTip(tr("cost %1 → %2").arg(exactCostText(program.initialCost), exactCostText(program.bestCost)));
    }
    if (!programs.isEmpty()) {
        auto* closing = new QMenu(tr("&Close"), menu);
        auto* moving = new QMenu(tr("Move to a New &Window"), menu);
        for (const OpenProgram& program : programs) {
            const QString name = entryText(program, 0);
            closing->addAction(name, this, [this, session = program.session] { closeProgram(session); });
            moving->addAction(name, this, [this, session = program.session] { openInNewWindow(session); });
        }
        menu->addMenu(moving);
        menu->addMenu(closing);
        menu->addSeparator();
    }
    for (const char* name : {"open", "new", "network", "sessions", "start"}) menu->addAction(act(QLatin1String(name)));
    menu->setToolTipsVisible(true);
}

void MainWindow::showTitle() {
    const bool open = m_document.isOpen();
    const QString name = isSaturating() && m_egraph.title() != m_document.title() ? m_egraph.title()
                         : open                                                   ? m_document.sessionName()
                                                                                  : tr("Mitos");
    m_title->setText(m_title->fontMetrics().elidedText(name, Qt::ElideMiddle, LongestTitle));
    setWindowTitle(m_pages->currentIndex() == 0 ? tr("Mitos") : name);
    // The session comes back as it was left.
    if (m_isShowingOpened && !perspectiveName().isEmpty())
        m_document.setViewValue(QStringLiteral("perspective"), perspectiveName());
}

// --- several windows -------------------------------------------------------------------------------------------------------

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
    if (m_pages->currentIndex() == 0 && m_document.isOpen()) showProgram();
}

void MainWindow::fillWindowMenu(QMenu* menu) {
    menu->clear();
    for (const char* name : {"newWindow", "close"}) menu->addAction(act(QLatin1String(name)));
    menu->addSeparator();
    for (const char* name : {"nextProgram", "previousProgram", "closeProgram"})
        menu->addAction(act(QLatin1String(name)));
    menu->addSeparator();
    for (MainWindow* const window : allWindows()) {
        QString title = window->windowTitle();
        title.replace(QLatin1Char('&'), QStringLiteral("&&"));
        QAction* const made = menu->addAction(title, window, &MainWindow::showInFront);
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
    auto* browser = new SessionBrowser(m_jobs, this);
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
