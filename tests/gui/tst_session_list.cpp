// SPDX-License-Identifier: GPL-3.0-or-later
// The name of a session as a whole, and the list of all sessions.
#include "tests/gui/pictures.h"
#include "tests/gui/sample_window.h"
#include "tests/support/test_program.h"
#include "views/document/session_names.h"
#include "views/program/program_thumbnail.h"
#include "views/start_page/entry_list.h"
#include "views/start_page/recent.h"
#include "views/start_page/session_browser.h"

#include <QComboBox>
#include <QDialog>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <algorithm>

namespace tst_session_list {

using namespace mitos;
using namespace mitos::views;
using mitos::test::makeSession;
using Window = mitos::test::SampleWindow;

namespace {

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

class TestSessionList : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

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
};

MITOS_TEST(TestSessionList)

}  // namespace tst_session_list

#include "tst_session_list.moc"
