// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window on task graphs: open, look, price, save, reopen.
#include "core/dialects/dialects.h"
#include "core/tasks/program.h"
#include "tests/gui/pictures.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/egraph/egraph_view.h"
#include "views/main_window/internal/message_bar.h"
#include "views/search_dialog/training_dialog.h"

#include <QComboBox>
#include <QDockWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>

namespace tst_task_graphs_desktop {

using namespace mitos;
using namespace mitos::views;

namespace {

/// Two chains between the first and the last task.
const QByteArray Stg = "4\n0 0 0\n1 4 1 0\n2 7 1 0\n3 5 1 1\n4 2 1 2\n5 0 2 3 4\n";

QString written(const QTemporaryDir& folder, const char* name, const QByteArray& text) {
    const QString path = folder.filePath(QLatin1String(name));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
    return path;
}

}  // namespace

class TestTaskGraphsDesktop : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void aGraphIsOpenedSavedAndReopened() {
        const QTemporaryDir folder;
        const QString path = written(folder, "two-chains.stg", Stg);
        QString session;
        QString text;
        {
            test::ShownWindow shown;
            QVERIFY(shown.open(path));
            Document& document = shown.window.document();
            QCOMPARE(document.dialect().name, std::string("tasks"));
            QCOMPARE(document.history().state(document.history().start()).cost, 18.0);
            QCOMPARE(shown.child<QComboBox>("costModel")->currentText(), QStringLiteral("task-time"));
            for (const char* rendering : {"tree", "graph", "text"}) {
                shown.window.showProgramAs(QLatin1String(rendering));
                QVERIFY(shown.settle());
                QVERIFY(test::takePictures(shown.window, QStringLiteral("task-graph-") + QLatin1String(rendering)));
            }
            for (const char* dock : {"dockMatch", "dockCost", "dockHistory", "dockCostCurve"}) {
                shown.child<QDockWidget>(dock)->raise();
                QVERIFY(shown.settle());
            }
            shown.window.selection().setSubterm(ir::Path{0});
            QVERIFY(shown.settle());
            QCOMPARE(shown.child<QTableView>("rewritesTable")->model()->rowCount(), 0);
            text = QString::fromStdString(dialects::printProgram(document.bank(), document.current()));
            session = document.sessionPath();
            // A session without changes or labels is not kept.
            document.setLabels({.name = "chains", .note = {}, .tags = {}});
            QVERIFY(shown.settle());
        }
        QVERIFY(!session.isEmpty());
        test::ShownWindow again;
        again.window.openSession(session);
        QVERIFY(again.isOpen());
        const Document& document = again.window.document();
        QCOMPARE(document.dialect().name, std::string("tasks"));
        QCOMPARE(QString::fromStdString(dialects::printProgram(document.bank(), document.current())), text);
        QCOMPARE(document.history().state(document.history().start()).cost, 18.0);
        QCOMPARE(document.labels().name, std::string("chains"));
    }

    void jsonIsATaskGraphOrAnEGraph() {
        const QTemporaryDir folder;
        const QString path = written(folder, "two.json", R"({"operations": [{"duration": 1}, {"duration": 2}]})");
        test::ShownWindow shown;
        QVERIFY(shown.open(path));
        QCOMPARE(shown.window.document().dialect().name, std::string("tasks"));
        QVERIFY(EGraphDocument::isEGraphFile(written(folder, "graph.json", R"({"nodes": {}})")));
        QVERIFY(!EGraphDocument::isEGraphFile(path));
    }

    void aSearchSaysThatThereAreNoRules() {
        const QTemporaryDir folder;
        test::ShownWindow shown;
        QVERIFY(shown.open(written(folder, "two-chains.stg", Stg)));
        Document& document = shown.window.document();
        shown.trigger("run");
        QVERIFY(shown.settle());
        QCOMPARE(document.runningSearches(), 0);
        const QString message = shown.child<MessageBar>("messageBar")->text();
        QVERIFY2(message.contains(QStringLiteral("There are no rules for tasks programs")), qPrintable(message));
        QVERIFY(test::takePictures(shown.window, QStringLiteral("task-graph-search")));
        QCOMPARE(document.history().size(), std::size_t{1});
    }

    /// One dialog, however often it is asked for; it stays usable when another program is opened and when it is closed and asked for again.
    void trainingsAreAskedForInTheMenu() {
        const QTemporaryDir folder;
        test::ShownWindow shown;
        QVERIFY(shown.open(written(folder, "two-chains.stg", Stg)));
        const auto dialogs = [&] { return shown.window.findChildren<TrainingDialog*>(); };
        shown.trigger("train");
        shown.trigger("train");
        QCOMPARE(dialogs().size(), 1);
        TrainingDialog* const dialog = dialogs().front();
        QVERIFY(dialog->isVisible());
        QVERIFY(shown.settle());
        QVERIFY(test::takePictures(*dialog, QStringLiteral("training-asked-for")));
        QVERIFY(shown.open(written(folder, "again.stg", Stg)));
        dialog->findChild<QTabWidget*>(QStringLiteral("trainingPages"))->setCurrentIndex(1);
        QVERIFY(shown.settle());
        dialog->close();
        QVERIFY(QTest::qWaitFor([&] { return dialogs().isEmpty(); }));
        shown.trigger("train");
        QCOMPARE(dialogs().size(), 1);
    }

    /// Searches for schedules apply no rules.
    void aScheduleNeedsNoRules() {
        const QTemporaryDir folder;
        test::ShownWindow shown;
        QVERIFY(shown.open(written(folder, "two-chains.stg", Stg)));
        Document& document = shown.window.document();
        QVERIFY(document.startSearch({.strategy = QStringLiteral("schedule-brkga"),
                                      .parameters = {{"devices", std::int64_t{2}}},
                                      .budget = {.evaluations = 50},
                                      .seed = 1}) != 0);
        QVERIFY(shown.settle());
        const Run& run = document.runs().back();
        QVERIFY2(run.state == search::RunState::Finished, run.stop.c_str());
        QCOMPARE(QString::fromStdString(run.outcomeKind), QStringLiteral("schedule"));
    }
};

MITOS_TEST(TestTaskGraphsDesktop)

}  // namespace tst_task_graphs_desktop

#include "tst_task_graphs_desktop.moc"
