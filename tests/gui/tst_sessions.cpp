// SPDX-License-Identifier: GPL-3.0-or-later
// Several programs open in one window and in several, sessions that were cut off, and layouts.
#include "storage/session_summary.h"
#include "tests/gui/pictures.h"
#include "tests/gui/sample_window.h"
#include "tests/support/test_program.h"
#include "views/common/format.h"
#include "views/document/session_names.h"
#include "views/main_window/internal/message_bar.h"
#include "views/start_page/recent.h"

#include <QAbstractScrollArea>
#include <QDialog>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>
#include <QProcess>
#include <QPushButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <functional>
#include <initializer_list>

namespace tst_sessions {

using namespace mitos;
using namespace mitos::views;
using Window = mitos::test::SampleWindow;

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
        auto* warning = shown.child<MessageBar>("sessionWarning");
        QTRY_COMPARE(warning->text(), QStringLiteral("The session is no longer being saved"));
        // A search does not remove the warning, and closing asks first.
        shown.trigger("run");
        QVERIFY(shown.settle());
        QVERIFY(warning->isVisible());
        shown.window.close();
        QVERIFY(shown.window.isVisible());
        QVERIFY(shown.dialog("lossDialog") != nullptr);
        shown.dialog("lossDialog")->reject();
        QTRY_VERIFY(shown.dialog("lossDialog") == nullptr);
        // It is shown all the same, until another program is opened.
        QCOMPARE(shown.programNames(), QStringList{QStringLiteral("factor")});
        QVERIFY(shown.programs().front()->isChecked());
        shown.programs().front()->trigger();
        QVERIFY(shown.document().isOpen());
        // Opening another one asks too, in each way to open one.
        for (const auto& open : std::initializer_list<std::function<void()>>{
                 [&] { shown.window.openPath(test::sample("teaching/cancel.ks")); },
                 [&] { shown.window.openText(QStringLiteral("typed"), QStringLiteral("(def f Float (x : Float) x)")); },
                 [&] { shown.window.openNetwork(QStringLiteral("mlp"), false); },
                 [&] { shown.window.openSession(QStringLiteral("other.mitos")); }}) {
            open();
            auto* box = qobject_cast<QMessageBox*>(shown.dialog("lossDialog"));
            QVERIFY(box != nullptr);
            QVERIFY2(box->text().startsWith(QLatin1String("factor")), qPrintable(box->text()));
            QVERIFY2(box->text().endsWith(QLatin1String("states are lost when it is closed.")),
                     qPrintable(box->text()));
            box->button(QMessageBox::Cancel)->click();
            QTRY_VERIFY(shown.dialog("lossDialog") == nullptr);
            QVERIFY(!shown.document().isOpening());
            QCOMPARE(shown.document().title(), QStringLiteral("factor.ks"));
        }
        QVERIFY(warning->isVisible());
        shown.window.openPath(test::sample("teaching/cancel.ks"));
        qobject_cast<QMessageBox*>(shown.dialog("lossDialog"))->button(QMessageBox::Discard)->click();
        QTRY_COMPARE(shown.document().title(), QStringLiteral("cancel.ks"));
        QVERIFY(shown.settle());
        QCOMPARE(shown.programNames(), QStringList{QStringLiteral("cancel")});
        // Nothing is asked while sessions are saved.
        QVERIFY(shown.openSample("teaching/factor.ks"));
        QVERIFY(shown.dialog("lossDialog") == nullptr);
        shown.trigger("closeProgram");
        QTRY_COMPARE(shown.document().title(), QStringLiteral("cancel.ks"));
        QVERIFY(shown.settle());
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
            auto* warning = shown.child<MessageBar>("sessionWarning");
            QTRY_COMPARE(warning->text(), QStringLiteral("The session is no longer being saved"));
            shown.applyOne();
            QCOMPARE(shown.document().history().size(), std::size_t(2));
            shown.window.openPath(test::sample("teaching/cancel.ks"));
            qobject_cast<QMessageBox*>(shown.dialog("lossDialog"))->button(QMessageBox::Discard)->click();
            QTRY_COMPARE(shown.document().title(), QStringLiteral("cancel.ks"));
            QVERIFY(shown.settle());
            QTRY_VERIFY(shown.document().sessionPath().isEmpty());
            QCOMPARE(shown.programNames(), QStringList{QStringLiteral("cancel")});
            // The warning goes once the session is written to another place.
            QTRY_VERIFY(warning->isVisible());
            const QTemporaryDir folder;
            shown.document().saveSessionAs(folder.filePath(QStringLiteral("kept.mitos")));
            QVERIFY(!warning->isVisible());
            QVERIFY(shown.settle());
            QVERIFY(!warning->isVisible());
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
