// SPDX-License-Identifier: GPL-3.0-or-later
// Several programs open in one window and in several, what a session as a whole is called, and the list of all sessions.
#include "storage/session_summary.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/document/session_names.h"
#include "views/main_window/internal/message_bar.h"
#include "views/program/program_thumbnail.h"
#include "views/start_page/entry_list.h"
#include "views/start_page/recent.h"
#include "views/start_page/session_browser.h"

#include <QAbstractScrollArea>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>

namespace tst_sessions {

using namespace mitos;
using namespace mitos::views;
using mitos::test::sample;

namespace {

struct Window : test::ShownWindow {
    [[nodiscard]] Document& document() { return window.document(); }
    [[nodiscard]] bool openSample(const char* name) {
        window.openPath(sample(name));
        const QString file = QFileInfo(sample(name)).fileName();
        return QTest::qWaitFor([&] { return document().title().startsWith(file) && !document().isOpening(); }, 30'000);
    }
    /// Waits until a program of that file is shown.
    [[nodiscard]] bool shows(const char* file) {
        return QTest::qWaitFor(
            [&] { return document().title().startsWith(QLatin1String(file)) && !document().isOpening(); }, 10'000);
    }
    /// The entries of the title's menu that stand for open programs.
    [[nodiscard]] QList<QAction*> programs() {
        QMenu* menu = child<QToolButton>("programTitle")->menu();
        Q_EMIT menu->aboutToShow();
        QList<QAction*> entries;
        for (QAction* action : menu->actions()) {
            if (action->isCheckable()) entries << action;
        }
        return entries;
    }
    [[nodiscard]] QStringList programNames() {
        QStringList names;
        for (const QAction* action : programs()) names << action->text().section(QLatin1Char(','), 0, 0);
        return names;
    }
    [[nodiscard]] QString message() { return child<MessageBar>("messageBar")->text(); }
    void pressOffer() { child<QToolButton>("messageOffer")->click(); }
    [[nodiscard]] QDialog* dialog(const char* name) { return window.findChild<QDialog*>(QLatin1String(name)); }
    void applyOne() { document().apply(*test::anyStep(document())); }
};

/// Opens the sample, applies a rule, and closes the window; returns the path of the session.
QString makeSession(const char* name) {
    Window shown;
    if (!shown.openSample(name)) return {};
    shown.applyOne();
    if (!shown.settle()) return {};
    return shown.document().sessionPath();
}

QList<QListWidgetItem*> shownItems(const EntryList& list) {
    QList<QListWidgetItem*> items;
    for (int row = 0; row < list.count(); ++row) {
        if (!list.isRowHidden(row)) items << list.item(row);
    }
    return items;
}

QStringList shownNames(const EntryList& list) {
    QStringList names;
    for (const QListWidgetItem* item : shownItems(list)) names << item->text().section(QLatin1Char(','), 0, 0);
    return names;
}

}  // namespace

class TestSessions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    // --- names ---

    void sessionsAreNamedByProgramAndTime() {
        QCOMPARE(programName(QStringLiteral("gemm.ks · gemm")), QStringLiteral("gemm"));
        QCOMPARE(programName(QStringLiteral("library.ks · dot")), QStringLiteral("library · dot"));
        QCOMPARE(programName(QStringLiteral("model.onnx")), QStringLiteral("model"));
        QCOMPARE(programName(QStringLiteral(".ks")), QStringLiteral(".ks"));
        const QDateTime now(QDate(2026, 11, 25), QTime(16, 0));
        const QLocale english(QLocale::English, QLocale::UnitedStates);
        QCOMPARE(momentText(now.addSecs(-115 * 60), now, english), QStringLiteral("today 14:05"));
        QCOMPARE(momentText(now.addDays(-1), now, english), QStringLiteral("yesterday 16:00"));
        QCOMPARE(momentText(now.addDays(-13), now, english), QStringLiteral("12 Nov 2026 16:00"));
        QCOMPARE(sessionName(QStringLiteral("mine"), QStringLiteral("gemm.ks"), now), QStringLiteral("mine"));
    }

    // --- several programs in a window ---

    void threeProgramsAreOpen() {
        Window shown;
        QVERIFY(shown.openSample("teaching/factor.ks"));
        shown.applyOne();
        shown.window.showProgramAs(QStringLiteral("tree"));
        shown.window.selection().setSubterm(ir::Path{});
        QVERIFY(shown.settle());
        const QString name = shown.document().sessionName();
        QVERIFY2(name.startsWith(QLatin1String("factor, today ")), qPrintable(name));
        QCOMPARE(shown.window.windowTitle(), name);
        QVERIFY(shown.openSample("teaching/cancel.ks"));
        shown.applyOne();
        shown.document().undo();
        QVERIFY(shown.openSample("teaching/polynomial.ks"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.programNames(),
                 QStringList({QStringLiteral("polynomial"), QStringLiteral("cancel"), QStringLiteral("factor")}));
        QVERIFY(shown.programs().front()->isChecked());
        // The one used before, and back as it was left: one state, another one to redo.
        shown.trigger("nextProgram");
        QVERIFY(shown.shows("cancel"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.document().history().size(), std::size_t(2));
        QCOMPARE(shown.document().history().current(), rewrite::StateId(0));
        // Pressed again within a moment, it goes on to the one before.
        shown.trigger("nextProgram");
        QVERIFY(shown.shows("factor"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.document().history().current(), rewrite::StateId(1));
        QCOMPARE(shown.child<QTabBar>("programTabs")->currentIndex(), 2);
        QCOMPARE(shown.window.selection().subterm(), std::optional(ir::Path{}));
        shown.trigger("previousProgram");
        QVERIFY(shown.shows("cancel"));
        // The menu goes there directly.
        QTRY_COMPARE(shown.programNames().front(), QStringLiteral("cancel"));
        shown.programs().back()->trigger();
        QVERIFY(shown.shows("polynomial"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.programNames().size(), 3);
    }

    void thePlaceInALongProgramComesBack() {
        const QTemporaryDir folder;
        QByteArray text = "v119";
        for (int i = 119; i >= 0; --i) {
            const QByteArray before = i == 0 ? QByteArray("y") : "v" + QByteArray::number(i - 1);
            text = "(let (v" + QByteArray::number(i) + " (mul x " + before + ")) " + text + ")";
        }
        const QString path = test::writeText(folder, QStringLiteral("long.ks"), text + "\n");
        Window shown;
        QVERIFY(shown.open(path));
        shown.applyOne();
        QVERIFY(shown.settle());
        auto* bar = shown.child<QAbstractScrollArea>("programText")->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 60);
        bar->setValue(60);
        QVERIFY(shown.openSample("teaching/cancel.ks"));
        QVERIFY(shown.settle());
        QCOMPARE(bar->value(), 0);
        shown.trigger("nextProgram");
        QVERIFY(shown.shows("long"));
        QVERIFY(shown.settle());
        QCOMPARE(bar->value(), 60);
    }

    void thePerspectiveComesBack() {
        Window shown;
        QVERIFY(shown.openSample("teaching/polynomial.ks"));
        shown.applyOne();
        shown.trigger("perspectiveCompare");
        QVERIFY(shown.openSample("teaching/cancel.ks"));
        QVERIFY(shown.child<QAction>("perspectiveStep")->isChecked());
        shown.trigger("nextProgram");
        QVERIFY(shown.shows("polynomial"));
        QVERIFY(shown.settle());
        QVERIFY(shown.child<QAction>("perspectiveCompare")->isChecked());
    }

    void aSearchContinuesInTheBackground() {
        Window shown;
        QVERIFY(shown.openSample("linear-algebra/gemm.ks"));
        shown.window.setBudgetSeconds(2.0);
        shown.trigger("run");
        QVERIFY(shown.openSample("teaching/factor.ks"));
        QVERIFY2(shown.message().contains(QLatin1String("the search continues in the background")),
                 qPrintable(shown.message()));
        QVERIFY2(shown.programs().at(1)->text().contains(QLatin1String("searching")),
                 qPrintable(shown.programs().at(1)->text()));
        shown.child<QToolButton>("programTitle")->menu()->adjustSize();
        QVERIFY(test::takePictures(*shown.child<QToolButton>("programTitle")->menu(), QStringLiteral("switcher")));
        QVERIFY(shown.settle());
        QVERIFY2(shown.message().startsWith(QLatin1String("gemm, today ")), qPrintable(shown.message()));
        QVERIFY2(shown.message().contains(QLatin1String(" ended in the background: ")), qPrintable(shown.message()));
        QVERIFY(!shown.programs().at(1)->text().contains(QLatin1String("searching")));
        // Nothing of it is in the program shown.
        QCOMPARE(shown.document().history().size(), std::size_t(1));
        QVERIFY(shown.document().runs().empty());
        shown.pressOffer();
        QVERIFY(shown.shows("gemm"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.document().runs().size(), std::size_t(1));
        const Run& run = shown.document().runs().front();
        QCOMPARE(run.state, search::RunState::Finished);
        QVERIFY(run.resultState.isValid() && run.bestCost < run.initialCost);
        QCOMPARE(shown.document().history().state(run.resultState).cost, run.bestCost);
        QVERIFY(run.verdict && run.verdict->values == rewrite::Values::Same);
    }

    void oneComesBackToASearchThatRuns() {
        Window shown;
        QVERIFY(shown.openSample("linear-algebra/gemm.ks"));
        shown.applyOne();
        shown.window.setBudgetSeconds(60.0);
        shown.trigger("run");
        QTRY_VERIFY(shown.document().runs().front().events.size() > 3);
        QVERIFY(shown.openSample("teaching/factor.ks"));
        shown.trigger("nextProgram");
        QVERIFY(shown.shows("gemm"));
        QCOMPARE(shown.document().runs().size(), std::size_t(1));
        QCOMPARE(shown.document().runningSearches(), 1);
        const std::size_t events = shown.document().runs().front().events.size();
        QVERIFY(events > 3);
        QTRY_VERIFY(shown.document().runs().front().events.size() > events);
        QTRY_VERIFY(shown.document().runs().front().bestCost < shown.document().runs().front().initialCost);
        // Steps taken by hand meanwhile are stored, too.
        shown.document().undo();
        shown.trigger("stop");
        QVERIFY(shown.settle());
        const Run& run = shown.document().runs().front();
        QCOMPARE(run.state, search::RunState::Finished);
        QVERIFY(run.resultState.isValid());
        QVERIFY(shown.message().isEmpty() || !shown.message().contains(QLatin1String("no longer")));
        const std::size_t states = shown.document().history().size();
        const QString session = shown.document().sessionPath();
        QVERIFY(shown.openSample("teaching/factor.ks"));
        shown.window.openSession(session);
        QVERIFY(shown.shows("gemm"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.document().history().size(), states);
        QCOMPARE(shown.document().runs().size(), std::size_t(1));
        QVERIFY(!shown.document().runs().front().recovered);
    }

    void closingGoesBackToTheProgramBefore() {
        Window shown;
        QVERIFY(shown.openSample("teaching/factor.ks"));
        shown.applyOne();
        QVERIFY(shown.openSample("linear-algebra/gemm.ks"));
        shown.window.setBudgetSeconds(60.0);
        shown.trigger("run");
        QTRY_VERIFY(!shown.document().runs().empty() &&
                    shown.document().runs().front().bestCost < shown.document().runs().front().initialCost);
        const QString gemm = shown.document().sessionPath();
        shown.trigger("closeProgram");
        QVERIFY(shown.shows("factor"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.programNames(), QStringList{QStringLiteral("factor")});
        // The search was stopped and keeps what it had found.
        const auto summary = storage::summaryOf(gemm.toStdString());
        QVERIFY(summary.ok());
        QCOMPARE(summary->runs, std::size_t(1));
        QVERIFY(summary->bestCost < summary->initialCost);
        QVERIFY(!summary->isInUse && !summary->wasCutOff);
        shown.trigger("closeProgram");
        QTRY_COMPARE(shown.child<QStackedWidget>("pages")->currentIndex(), 0);
        QVERIFY(!shown.document().isOpen());
        QCOMPARE(shown.window.windowTitle(), QStringLiteral("Mitos"));
        QVERIFY(shown.programNames().isEmpty());
        QVERIFY(shown.settle());
        shown.trigger("closeProgram");
        QTRY_VERIFY(!shown.window.isVisible());
    }

    void aProgramOnlyLookedAtLeavesNoSession() {
        QString first;
        QString second;
        {
            Window shown;
            QVERIFY(shown.openSample("teaching/factor.ks"));
            first = shown.document().sessionPath();
            QVERIFY(shown.openSample("teaching/cancel.ks"));
            second = shown.document().sessionPath();
            QVERIFY(shown.settle());
            shown.trigger("nextProgram");
            QVERIFY(shown.shows("factor"));
            QVERIFY(shown.settle());
            QCOMPARE(shown.document().sessionPath(), first);
            shown.trigger("closeProgram");
            QVERIFY(shown.shows("cancel"));
            QTRY_VERIFY(!QFile::exists(first));
            QVERIFY(shown.openSample("teaching/polynomial.ks"));
            QVERIFY(QFile::exists(second));
        }
        QVERIFY(!QFile::exists(second));
        QVERIFY(QDir(Document::sessionFolder()).entryList(QDir::Files).isEmpty());
    }

    void aSessionDeletedFromOutsideIsReported() {
        Window shown;
        QVERIFY(shown.openSample("teaching/factor.ks"));
        shown.applyOne();
        const QString session = shown.document().sessionPath();
        QVERIFY(shown.openSample("teaching/cancel.ks"));
        QVERIFY(shown.settle());
        QVERIFY(QFile::remove(session));
        shown.trigger("nextProgram");
        QVERIFY2(shown.message().startsWith(QLatin1String("factor, today ")) &&
                     shown.message().endsWith(QLatin1String(" is gone")),
                 qPrintable(shown.message()));
        QVERIFY(shown.document().title().startsWith(QLatin1String("cancel")));
        QCOMPARE(shown.programNames(), QStringList{QStringLiteral("cancel")});
        QVERIFY(!shown.child<QAction>("nextProgram")->isEnabled());
    }

    void theSessionShownIsDeletedFromOutside() {
        Window shown;
        QVERIFY(shown.openSample("teaching/factor.ks"));
        shown.applyOne();
        QVERIFY(shown.settle());
        QVERIFY(QFile::remove(shown.document().sessionPath()));
        shown.document().undo();
        QTRY_COMPARE(shown.message(), QStringLiteral("The session is no longer being saved"));
        // It is shown all the same, until another program is opened.
        QCOMPARE(shown.programNames(), QStringList{QStringLiteral("factor")});
        QVERIFY(shown.programs().front()->isChecked());
        shown.programs().front()->trigger();
        QVERIFY(shown.document().isOpen());
        QVERIFY(shown.openSample("teaching/cancel.ks"));
        QCOMPARE(shown.programNames(), QStringList{QStringLiteral("cancel")});
        shown.trigger("closeProgram");
        QVERIFY(shown.settle());
        QVERIFY(!shown.document().isOpen());
    }

    /// Where no session can be written, a program cannot be left and continued; it is not in the list.
    void withoutAFolderForSessionsNothingIsLost() {
        QDir().mkpath(QFileInfo(Document::sessionFolder()).path());
        QFile inTheWay(Document::sessionFolder());
        QVERIFY(inTheWay.open(QIODevice::WriteOnly));
        inTheWay.close();
        {
            Window shown;
            QVERIFY(shown.openSample("teaching/factor.ks"));
            QTRY_COMPARE(shown.message(), QStringLiteral("The session is no longer being saved"));
            shown.applyOne();
            QCOMPARE(shown.document().history().size(), std::size_t(2));
            QVERIFY(shown.openSample("teaching/cancel.ks"));
            QTRY_VERIFY(shown.document().sessionPath().isEmpty());
            QCOMPARE(shown.programNames(), QStringList{QStringLiteral("cancel")});
            shown.trigger("closeProgram");
            QVERIFY(!shown.document().isOpen());
        }
        QVERIFY(QFile::remove(Document::sessionFolder()));
    }

    // --- several windows ---

    void aProgramMovesToANewWindow() {
        Window shown;
        QVERIFY(shown.openSample("teaching/factor.ks"));
        shown.applyOne();
        const QString session = shown.document().sessionPath();
        QVERIFY(shown.openSample("teaching/cancel.ks"));
        shown.window.openInNewWindow(session);
        MainWindow* other = nullptr;
        for (QWidget* widget : QApplication::topLevelWidgets()) {
            auto* window = qobject_cast<MainWindow*>(widget);
            if (window != nullptr && window != &shown.window) other = window;
        }
        QVERIFY(other != nullptr);
        QVERIFY(QTest::qWaitFor([&] { return other->document().isOpen() && other->isSettled(); }, 10'000));
        QCOMPARE(other->document().title(), QStringLiteral("factor.ks"));
        QCOMPARE(other->document().history().size(), std::size_t(2));
        QCOMPARE(shown.programNames(), QStringList{QStringLiteral("cancel")});
        // Both extend their own history.
        other->document().undo();
        shown.applyOne();
        QVERIFY(shown.settle());
        QCOMPARE(other->document().sessionPath(), session);
        QCOMPARE(shown.document().history().size(), std::size_t(2));
        // The menu lists both; opening the session here goes there.
        QMenu* windows = nullptr;
        for (QAction* menu : shown.window.menuBar()->actions()) {
            if (menu->text() == QLatin1String("&Window")) windows = menu->menu();
        }
        QVERIFY(windows != nullptr);
        Q_EMIT windows->aboutToShow();
        int listed = 0;
        for (const QAction* action : windows->actions()) listed += action->isCheckable() ? 1 : 0;
        QCOMPARE(listed, 2);
        shown.window.openPath(session);
        QTRY_VERIFY(other->isActiveWindow());
        QVERIFY(shown.document().title().startsWith(QLatin1String("cancel")));
        // One window ends, the other goes on.
        const QPointer<MainWindow> guard(other);
        other->close();
        QTRY_VERIFY(guard.isNull());
        shown.document().undo();
        QVERIFY(shown.settle());
        shown.window.openPath(session);
        QVERIFY(shown.shows("factor"));
    }

    void aProgramThatSearchesStays() {
        Window shown;
        QVERIFY(shown.openSample("linear-algebra/gemm.ks"));
        shown.window.setBudgetSeconds(60.0);
        shown.trigger("run");
        const QString session = shown.document().sessionPath();
        shown.window.openInNewWindow(session);
        QVERIFY2(shown.message().startsWith(QLatin1String("A search of this program runs in this window")),
                 qPrintable(shown.message()));
        QVERIFY(shown.document().isOpen());
        shown.trigger("stop");
        QVERIFY(shown.settle());
    }

    // --- labels ---

    void aSessionIsLabelled() {
        QString session;
        {
            Window shown;
            QVERIFY(shown.openSample("teaching/factor.ks"));
            shown.trigger("labels");
            QDialog* dialog = shown.dialog("labelsDialog");
            QVERIFY(dialog != nullptr);
            dialog->findChild<QLineEdit*>(QStringLiteral("sessionName"))->setText(QStringLiteral(" Factoring "));
            dialog->findChild<QLineEdit*>(QStringLiteral("sessionTags"))
                ->setText(QStringLiteral("paper, draft #paper"));
            dialog->findChild<QPlainTextEdit*>(QStringLiteral("sessionNote"))
                ->setPlainText(QStringLiteral("First line\nSecond line: ü ∂"));
            QVERIFY(test::takePictures(*dialog, QStringLiteral("labels")));
            dialog->accept();
            QCOMPARE(shown.window.windowTitle(), QStringLiteral("Factoring"));
            QCOMPARE(shown.programNames(), QStringList{QStringLiteral("Factoring")});
            session = shown.document().sessionPath();
        }
        // A session with labels is worth keeping, even without changes.
        QVERIFY(QFile::exists(session));
        Window shown;
        shown.window.openSession(session);
        QVERIFY(shown.isOpen());
        const storage::SessionLabels& labels = shown.document().labels();
        QCOMPARE(labels.name, std::string("Factoring"));
        QCOMPARE(labels.note, std::string("First line\nSecond line: ü ∂"));
        QCOMPARE(labels.tags, (std::vector<std::string>{"paper", "draft"}));
        // Another program has none of it.
        QVERIFY(shown.openSample("teaching/cancel.ks"));
        QCOMPARE(shown.document().labels(), storage::SessionLabels());
        // A copy keeps them.
        shown.trigger("nextProgram");
        QVERIFY(shown.shows("factor"));
        const QTemporaryDir folder;
        const QString copy = folder.filePath(QStringLiteral("copy.mitos"));
        shown.document().saveSessionAs(copy);
        QVERIFY(shown.settle());
        QTRY_VERIFY(storage::summaryOf(copy.toStdString()).ok());
        QCOMPARE(storage::summaryOf(copy.toStdString())->labels.name, std::string("Factoring"));
    }

    // --- all sessions ---

    void sessionsAreSearchedAndOrdered() {
        const QString factor = makeSession("teaching/factor.ks");
        const QString cancel = makeSession("teaching/cancel.ks");
        {
            Window shown;
            QVERIFY(shown.openSample("teaching/polynomial.ks"));
            QVERIFY(shown.document().startSearch(
                        {.strategy = QStringLiteral("phases"), .parameters = {}, .budget = {.evaluations = 1000}}) > 0);
            QVERIFY(shown.settle());
        }
        QVERIFY(storage::storeLabels(cancel.toStdString(), {"", "compare with the paper", {"paper", "class"}}).ok());
        {
            QFile damaged(Document::sessionFolder() + QStringLiteral("/damaged.mitos"));
            QVERIFY(damaged.open(QIODevice::WriteOnly));
            damaged.write("no session");
        }
        Window shown;
        QVERIFY(shown.settle());
        shown.child<QPushButton>("allSessions")->click();
        QDialog* browser = shown.dialog("sessionBrowser");
        QVERIFY(browser != nullptr);
        QVERIFY(shown.settle());
        auto* list = browser->findChild<EntryList*>(QStringLiteral("sessionList"));
        auto* search = browser->findChild<QLineEdit*>(QStringLiteral("sessionSearch"));
        auto* order = browser->findChild<QComboBox*>(QStringLiteral("sessionOrder"));
        const auto* count = browser->findChild<QLabel*>(QStringLiteral("sessionCount"));
        QCOMPARE(count->text(), QStringLiteral("4"));
        // By gain: the search saved 90.7 %.
        order->setCurrentIndex(1);
        Q_EMIT order->activated(1);
        QCOMPARE(shownNames(*list).front(), QStringLiteral("polynomial"));
        search->setText(QStringLiteral("tag:pap"));
        QCOMPARE(shownNames(*list), QStringList{QStringLiteral("cancel")});
        QCOMPARE(count->text(), QStringLiteral("1 of 4"));
        QVERIFY(browser->findChild<QLabel*>(QStringLiteral("sessionDetails"))
                    ->text()
                    .startsWith(QLatin1String("#paper #class\ncompare with the paper")));
        QTRY_VERIFY(!browser->findChild<ProgramThumbnail*>(QStringLiteral("sessionPicture"))->isEmpty());
        search->setText(QStringLiteral("compare cancel"));
        QCOMPARE(shownNames(*list), QStringList{QStringLiteral("cancel")});
        search->setText(QStringLiteral("PHASES"));
        QCOMPARE(shownNames(*list), QStringList{QStringLiteral("polynomial")});
        search->setText(QStringLiteral("tag:poly"));
        QVERIFY(shownNames(*list).isEmpty());
        QVERIFY(!browser->findChild<QPushButton*>(QStringLiteral("openSession"))->isEnabled());
        search->setText(QStringLiteral("damaged"));
        QCOMPARE(shownItems(*list).front()->data(EntryList::DetailRole).toString(),
                 QStringLiteral("is not a Mitos session"));
        search->clear();
        list->setCurrentItem(shownItems(*list).front());
        QTRY_VERIFY(!browser->findChild<ProgramThumbnail*>(QStringLiteral("sessionPicture"))->isEmpty());
        QVERIFY(test::takePictures(*browser, QStringLiteral("session-browser")));
        search->setText(QStringLiteral("factor"));
        QTest::keyClick(search, Qt::Key_Return);
        QVERIFY(shown.shows("factor"));
        QCOMPARE(shown.document().sessionPath(), factor);
    }

    void aSessionGoesToTheTrashAndBack() {
        const QString path = makeSession("teaching/factor.ks");
        Window shown;
        QVERIFY(shown.settle());
        shown.trigger("sessions");
        QDialog* browser = shown.dialog("sessionBrowser");
        QVERIFY(shown.settle());
        auto* list = browser->findChild<EntryList*>(QStringLiteral("sessionList"));
        QCOMPARE(list->count(), 1);
        browser->findChild<QPushButton*>(QStringLiteral("trashSession"))->click();
        QVERIFY(!QFile::exists(path));
        QCOMPARE(list->count(), 0);
        QVERIFY(recentEntries().isEmpty() || !recentEntries().front().session);
        auto* undo = browser->findChild<QPushButton*>(QStringLiteral("undoTrash"));
        QVERIFY(undo->isVisible());
        undo->click();
        QVERIFY(shown.settle());
        QVERIFY(QFile::exists(path));
        QCOMPARE(shownNames(*list), QStringList{QStringLiteral("factor")});
        // Labelled from here.
        browser->findChild<QPushButton*>(QStringLiteral("editLabels"))->click();
        auto* labels = browser->findChild<QDialog*>(QStringLiteral("labelsDialog"));
        labels->findChild<QLineEdit*>(QStringLiteral("sessionName"))->setText(QStringLiteral("Mine"));
        labels->accept();
        QVERIFY(shown.settle());
        QCOMPARE(shownNames(*list), QStringList{QStringLiteral("Mine")});
        browser->reject();
    }

    void theSessionThatIsOpenIsNotDeleted() {
        Window shown;
        QVERIFY(shown.openSample("teaching/factor.ks"));
        shown.applyOne();
        QVERIFY(shown.settle());
        shown.trigger("sessions");
        QDialog* browser = shown.dialog("sessionBrowser");
        QVERIFY(shown.settle());
        QCOMPARE(browser->findChild<EntryList*>(QStringLiteral("sessionList"))->count(), 1);
        QVERIFY(!browser->findChild<QPushButton*>(QStringLiteral("trashSession"))->isEnabled());
        QVERIFY(!browser->findChild<QPushButton*>(QStringLiteral("editLabels"))->isEnabled());
        QVERIFY(browser->findChild<QPushButton*>(QStringLiteral("openSession"))->isEnabled());
    }

    /// The writer may not have begun the file yet when the list is read.
    void aSessionIsOpenBeforeItsFileSaysSo() {
        const QString path = Document::sessionFolder() + QStringLiteral("/begun.mitos");
        QVERIFY(QDir().mkpath(Document::sessionFolder()));
        QVERIFY(QFile(path).open(QIODevice::WriteOnly));
        JobRunner jobs;
        for (const bool isOpen : {true, false}) {
            const SessionBrowser browser(jobs, isOpen ? QStringList{path} : QStringList());
            const auto* list = browser.findChild<EntryList*>(QStringLiteral("sessionList"));
            QTRY_VERIFY(jobs.isIdle() && list->count() == 1);
            QCOMPARE(browser.findChild<QPushButton*>(QStringLiteral("trashSession"))->isEnabled(), !isOpen);
            const QString details = browser.findChild<QLabel*>(QStringLiteral("sessionDetails"))->text();
            QCOMPARE(details == QStringLiteral("It is open in a window."), isOpen);
        }
    }

    void aThousandSessionsAreListed() {
        const QString path = makeSession("teaching/factor.ks");
        for (int i = 1; i < 1000; ++i) {
            QVERIFY(QFile::copy(path, QStringLiteral("%1/copy-%2.mitos").arg(Document::sessionFolder()).arg(i)));
        }
        Window shown;
        QVERIFY(shown.settle());
        QElapsedTimer longest;
        qint64 worst = 0;
        shown.trigger("sessions");
        QDialog* browser = shown.dialog("sessionBrowser");
        const auto* list = browser->findChild<EntryList*>(QStringLiteral("sessionList"));
        while (list->count() < 1000 || !shown.window.isSettled()) {
            longest.restart();
            QCoreApplication::processEvents();
            worst = std::max(worst, longest.elapsed());
        }
        auto* search = browser->findChild<QLineEdit*>(QStringLiteral("sessionSearch"));
        longest.restart();
        search->setText(QStringLiteral("tag:none"));
        search->clear();
        worst = std::max(worst, longest.elapsed());
        QVERIFY2(worst < 500, qPrintable(QString::number(worst)));
        qInfo("longest event: %lld ms", static_cast<long long>(worst));
    }

    // --- a crash ---

    void aSessionThatWasCutOffIsOffered() {
        const QTemporaryDir home;
        const QString session = home.filePath(QStringLiteral("a.mitos"));
        {
            Window shown;
            QVERIFY(shown.openSample("linear-algebra/gemm.ks"));
            shown.applyOne();
            shown.document().saveSessionAs(session);
            QVERIFY(shown.settle());
        }
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME"})
            environment.insert(QLatin1String(name), home.path());
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos"),
                      {QStringLiteral("--session"), session, QStringLiteral("--run"), QStringLiteral("600")});
        QVERIFY(process.waitForStarted());
        QVERIFY(QTest::qWaitFor(
            [&] {
                const auto summary = storage::summaryOf(session.toStdString());
                return summary && summary->isInUse && summary->runs == 1 && summary->bestCost < summary->initialCost;
            },
            60'000));
        process.kill();
        QVERIFY(process.waitForFinished());
        const auto summary = storage::summaryOf(session.toStdString());
        QVERIFY(summary->wasCutOff && !summary->isInUse);
        addRecent({session, QStringLiteral("gemm.ks · gemm"), true});
        Window shown;
        QVERIFY(shown.settle());
        const QString text = shown.message();
        QVERIFY2(text.startsWith(QStringLiteral("Mitos did not close properly. “gemm, today ")), qPrintable(text));
        QVERIFY2(text.contains(costText(summary->bestCost)) && text.contains(QStringLiteral(", found by ")),
                 qPrintable(text));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("restore")));
        shown.pressOffer();
        QVERIFY(shown.shows("gemm"));
        QVERIFY(shown.settle());
        const Run& run = shown.document().runs().front();
        QCOMPARE(run.state, search::RunState::Interrupted);
        QVERIFY(run.resultState.isValid());
        QCOMPARE(shown.document().history().state(run.resultState).cost, run.bestCost);
        QVERIFY(run.verdict && run.verdict->values == rewrite::Values::Same);
        // Offered once, and no longer when it was closed.
        shown.trigger("closeProgram");
        QVERIFY(shown.settle());
        QVERIFY(!storage::summaryOf(session.toStdString())->wasCutOff);
        Window next;
        QVERIFY(next.settle());
        QVERIFY(!next.child<MessageBar>("messageBar")->isVisible());
    }

    // --- layouts ---

    void layoutsAreNamed() {
        {
            Window shown;
            shown.window.resize(1600, 1000);
            QVERIFY(shown.openSample("teaching/factor.ks"));
            QVERIFY(shown.settle());
            shown.child<QDockWidget>("dockHistory")->hide();
            shown.child<QDockWidget>("dockRewrites")->show();
            shown.trigger("layouts");
            QDialog* dialog = shown.dialog("layoutDialog");
            QVERIFY(!dialog->findChild<QPushButton*>(QStringLiteral("saveLayout"))->isEnabled());
            dialog->findChild<QLineEdit*>(QStringLiteral("layoutName"))->setText(QStringLiteral("a/b & wide"));
            dialog->findChild<QPushButton*>(QStringLiteral("saveLayout"))->click();
            QCOMPARE(dialog->findChild<QListWidget*>(QStringLiteral("layoutList"))->count(), 1);
            QVERIFY(test::takePictures(*dialog, QStringLiteral("layouts")));
            dialog->reject();
            shown.trigger("resetLayout");
            QVERIFY(shown.child<QDockWidget>("dockHistory")->isVisible());
        }
        Window shown;
        shown.window.resize(1024, 640);
        QVERIFY(shown.openSample("teaching/factor.ks"));
        QVERIFY(shown.settle());
        QMenu* layouts = nullptr;
        for (QMenu* menu : shown.window.findChildren<QMenu*>()) {
            if (menu->title() == QLatin1String("La&youts")) layouts = menu;
        }
        QVERIFY(layouts != nullptr);
        Q_EMIT layouts->aboutToShow();
        QCOMPARE(layouts->actions().front()->text(), QStringLiteral("a/b && wide"));
        layouts->actions().front()->trigger();
        QVERIFY(!shown.child<QDockWidget>("dockHistory")->isVisible());
        QVERIFY(shown.child<QDockWidget>("dockRewrites")->isVisible());
        QCoreApplication::processEvents();
        QCOMPARE(shown.window.size(), QSize(1024, 640));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("layout-1024")));
        // Renamed, then deleted.
        shown.trigger("layouts");
        QDialog* dialog = shown.dialog("layoutDialog");
        auto* list = dialog->findChild<QListWidget*>(QStringLiteral("layoutList"));
        list->setCurrentRow(0);
        dialog->findChild<QLineEdit*>(QStringLiteral("layoutName"))->setText(QStringLiteral("narrow"));
        dialog->findChild<QPushButton*>(QStringLiteral("renameLayout"))->click();
        QCOMPARE(list->count(), 1);
        QCOMPARE(list->item(0)->text(), QStringLiteral("narrow"));
        dialog->findChild<QPushButton*>(QStringLiteral("deleteLayout"))->click();
        QCOMPARE(list->count(), 0);
        dialog->reject();
        // Those of another version are refused with a reason.
        QSettings().setValue(QStringLiteral("layouts/step/old"), QByteArray("old"));
        Q_EMIT layouts->aboutToShow();
        layouts->actions().front()->trigger();
        QCOMPARE(shown.message(), QStringLiteral("The layout “old” cannot be used"));
    }
};

MITOS_TEST(TestSessions)

}  // namespace tst_sessions

#include "tst_sessions.moc"
