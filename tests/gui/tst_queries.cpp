// SPDX-License-Identifier: GPL-3.0-or-later
// Questions that views ask in the background: newer ones supersede older ones, and a view may go before its answer comes. And the one
// dialog that asks where to save something.
#include "tests/gui/gui_support.h"
#include "tests/support/test_program.h"
#include "views/common/save_dialog.h"
#include "views/job_runner/query.h"
#include "views/match/match_view.h"

#include <QFileDialog>
#include <QSettings>
#include <QWidget>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>

namespace tst_queries {

using namespace mitos;
using namespace mitos::views;

namespace {

/// Work that goes on until it is let go or asked to stop; then it returns `answer`.
struct Gate {
    std::shared_ptr<std::atomic<bool>> isOpen = std::make_shared<std::atomic<bool>>(false);
    std::shared_ptr<std::atomic<int>> stops = std::make_shared<std::atomic<int>>(0);

    [[nodiscard]] auto work(int answer) const {
        return [isOpen = isOpen, stops = stops, answer](const std::stop_token& stop, const JobRunner::Report&) {
            while (!*isOpen && !stop.stop_requested()) std::this_thread::yield();
            if (stop.stop_requested()) ++*stops;
            return answer;
        };
    }
};

}  // namespace

class TestQueries : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QSettings().clear(); }

    void anAnswerIsDelivered() {
        JobRunner jobs;
        Query query(jobs);
        QVERIFY(!query.isRunning());
        std::optional<int> answer;
        bool wasRunning = true;
        Gate gate;
        query.ask(QStringLiteral("question"), gate.work(7), [&](int value) {
            answer = value;
            wasRunning = query.isRunning();
        });
        QVERIFY(query.isRunning());
        QCOMPARE(jobs.runningVisible(), 0);
        *gate.isOpen = true;
        QTRY_VERIFY(answer.has_value());
        QCOMPARE(*answer, 7);
        QVERIFY(!wasRunning && !query.isRunning());
    }

    void aNewerQuestionSupersedesAnOlderOne() {
        JobRunner jobs;
        Query query(jobs);
        QList<int> answers;
        const auto deliver = [&answers](int value) { answers << value; };
        Gate first;
        Gate second;
        query.ask(QStringLiteral("first"), first.work(1), deliver);
        query.ask(QStringLiteral("second"), second.work(2), deliver);
        QTRY_COMPARE(first.stops->load(), 1);  // work whose answer is superseded is asked to stop
        *second.isOpen = true;
        QTRY_VERIFY(jobs.isIdle());
        QCOMPARE(answers, QList<int>{2});
        QCOMPARE(second.stops->load(), 0);
    }

    /// Even if the older answer is there already and only waits for the GUI thread.
    void anAnswerThatWaitsIsSuperseded() {
        JobRunner jobs;
        Query query(jobs);
        QList<int> answers;
        const auto deliver = [&answers](int value) { answers << value; };
        auto isMade = std::make_shared<std::atomic<bool>>(false);
        query.ask(
            QStringLiteral("first"),
            [isMade](const std::stop_token&, const JobRunner::Report&) {
                *isMade = true;
                return 1;
            },
            deliver);
        while (!*isMade) std::this_thread::yield();
        query.ask(
            QStringLiteral("second"), [](const std::stop_token&, const JobRunner::Report&) { return 2; }, deliver);
        QTRY_VERIFY(jobs.isIdle());
        QCOMPARE(answers, QList<int>{2});
    }

    void askingAgainInTheAnswer() {
        JobRunner jobs;
        Query query(jobs);
        QList<int> answers;
        Gate gate;
        *gate.isOpen = true;
        query.ask(QStringLiteral("first"), gate.work(1), [&](int value) {
            answers << value;
            query.ask(QStringLiteral("second"), gate.work(2), [&](int next) { answers << next; });
        });
        QTRY_COMPARE(answers, (QList<int>{1, 2}));
    }

    void aViewThatIsGoneGetsNothing() {
        JobRunner jobs;
        struct View {
            explicit View(JobRunner& runner) : query(runner) {}
            int shown = 0;
            Query query;
        };
        auto view = std::make_unique<View>(jobs);
        Gate gate;
        view->query.ask(QStringLiteral("question"), gate.work(1),
                        [shown = &view->shown](int value) { *shown = value; });
        view.reset();
        QTRY_COMPARE(gate.stops->load(), 1);
        QTRY_VERIFY(jobs.isIdle());
    }

    /// A view that deletes itself when its answer comes.
    void goingInTheAnswer() {
        JobRunner jobs;
        auto query = std::make_unique<Query>(jobs);
        Gate gate;
        *gate.isOpen = true;
        query->ask(QStringLiteral("question"), gate.work(1), [&query](int) { query.reset(); });
        QTRY_VERIFY(query == nullptr);
        QTRY_VERIFY(jobs.isIdle());
    }

    void aQueryMayOutliveItsRunner() {
        auto jobs = std::make_unique<JobRunner>();
        Query query(*jobs);
        Gate gate;
        query.ask(QStringLiteral("question"), gate.work(1), [](int) { QFAIL("nobody waits"); });
        jobs.reset();
        QVERIFY(!query.isRunning());
        query.cancel();
    }

    void stoppedWorkStillAnswers() {
        JobRunner jobs;
        Query query(jobs);
        std::optional<int> answer;
        Gate gate;
        query.askInJobsView(
            QStringLiteral("question"), gate.work(3),
            [](int value) {
                return JobOutcome{JobInfo::State::Stopped, QString::number(value)};
            },
            [&](int value) { answer = value; });
        QCOMPARE(jobs.runningVisible(), 1);
        query.stop();
        QTRY_COMPARE(answer.value_or(0), 3);
        QCOMPARE(jobs.jobs().front().state, JobInfo::State::Stopped);
        QCOMPARE(jobs.jobs().front().id, query.job());
        QCOMPARE(jobs.jobs().front().status, QStringLiteral("3"));
    }

    /// Work that was let go ends in the Jobs view while the view that began it asks the next question, or is gone.
    void workIsLetGo() {
        JobRunner jobs;
        auto query = std::make_unique<Query>(jobs);
        QList<int> answers;
        const auto conclude = [](int value) { return JobOutcome{JobInfo::State::Finished, QString::number(value)}; };
        const auto deliver = [&answers](int value) { answers << value; };
        Gate first;
        Gate second;
        query->askInJobsView(QStringLiteral("first"), first.work(1), conclude, deliver);
        QVERIFY(query->letGo());
        QVERIFY(!query->isRunning());
        QVERIFY(!query->letGo());
        query->askInJobsView(QStringLiteral("second"), second.work(2), conclude, deliver);
        QCOMPARE(jobs.runningVisible(), 2);
        *second.isOpen = true;
        QTRY_COMPARE(answers, QList<int>{2});
        query.reset();
        *first.isOpen = true;
        QTRY_VERIFY(jobs.isIdle());
        QCOMPARE(answers, QList<int>{2});
        QCOMPARE(first.stops->load(), 0);
        QCOMPARE(jobs.jobs().size(), std::size_t(2));
        QCOMPARE(jobs.jobs().front().state, JobInfo::State::Finished);
        QCOMPARE(jobs.jobs().front().status, QStringLiteral("1"));
    }

    /// A question that is not in the Jobs view ends when it is let go.
    void aSmallQuestionIsNotLetGo() {
        JobRunner jobs;
        Query query(jobs);
        Gate gate;
        query.ask(QStringLiteral("question"), gate.work(1), [](int) { QFAIL("nobody waits"); });
        QVERIFY(!query.letGo());
        QTRY_COMPARE(gate.stops->load(), 1);
        QTRY_VERIFY(jobs.isIdle());
    }

    /// A real view, deleted while it asks which rules match.
    void aMatchViewDeletedInTheMiddle() {
        test::Desk desk;
        QVERIFY(desk.open(QString::fromLatin1(test::FactorText)));
        for (int round = 0; round < 3; ++round) {
            auto view = std::make_unique<MatchView>(desk.document, desk.selection, desk.jobs);
            view->show();
            QTRY_VERIFY(!view->isComplete());
            desk.selection.setSubterm(ir::Path{0});
            view.reset();
            desk.selection.setSubterm(std::nullopt);
            QVERIFY(desk.settle());
        }
    }

    // --- saving ---

    void asksWhereToSave() {
        QWidget parent;
        QString path;
        const SaveRequest request{.objectName = QStringLiteral("testSave"),
                                  .title = QStringLiteral("Save a Test"),
                                  .kinds = {{QStringLiteral("Tables"), QStringLiteral("csv")},
                                            {QStringLiteral("Pages"), QStringLiteral("html")}},
                                  .fileName = QStringLiteral("runs.csv")};
        QFileDialog* dialog = askWhereToSave(&parent, request, [&path](const QString& chosen) { path = chosen; });
        QCOMPARE(dialog->objectName(), QStringLiteral("testSave"));
        QCOMPARE(dialog->acceptMode(), QFileDialog::AcceptSave);
        QVERIFY(!dialog->testOption(QFileDialog::DontConfirmOverwrite));
        QCOMPARE(dialog->nameFilters().join(QLatin1Char('|')),
                 QStringLiteral("Tables (*.csv)|Pages (*.html)|All files (*)"));
        QCOMPARE(dialog->defaultSuffix(), QStringLiteral("csv"));
        QCOMPARE(QFileInfo(dialog->selectedFiles().value(0)).fileName(), QStringLiteral("runs.csv"));
        dialog->selectNameFilter(QStringLiteral("Pages (*.html)"));
        Q_EMIT dialog->filterSelected(QStringLiteral("Pages (*.html)"));
        QCOMPARE(dialog->defaultSuffix(), QStringLiteral("html"));
        QTemporaryDir folder;
        Q_EMIT dialog->fileSelected(folder.filePath(QStringLiteral("page.html")));
        QCOMPARE(path, folder.filePath(QStringLiteral("page.html")));
        dialog->close();
        // The next one begins there.
        QCOMPARE(lastFolder(), folder.path());
        QFileDialog* next = askWhereToSave(&parent, request, [](const QString&) {});
        QCOMPARE(next->directory().absolutePath(), folder.path());
        next->close();
    }

    /// A file with a folder of its own does not change where other files are saved.
    void anOwnFolderIsNotRemembered() {
        QTemporaryDir folder;
        rememberFolderOf(folder.filePath(QStringLiteral("any.ks")));
        QTemporaryDir own;
        QWidget parent;
        const SaveRequest request{.objectName = QStringLiteral("testSave"),
                                  .title = QStringLiteral("Save"),
                                  .kinds = {{QStringLiteral("Rule sets"), QStringLiteral("rules")}},
                                  .folder = own.path()};
        QFileDialog* dialog = askWhereToSave(&parent, request, [](const QString&) {});
        QCOMPARE(dialog->directory().absolutePath(), own.path());
        Q_EMIT dialog->fileSelected(own.filePath(QStringLiteral("my.rules")));
        dialog->close();
        QCOMPARE(lastFolder(), folder.path());
    }

    void saysWhatBecameOfIt() {
        QCOMPARE(savedText(QStringLiteral("/tmp/a.csv")), QStringLiteral("Saved to /tmp/a.csv"));
        QCOMPARE(savedText(QStringLiteral("/tmp/a.csv"), Success{}), QStringLiteral("Saved to /tmp/a.csv"));
        const QString failed = savedText(QStringLiteral("/tmp/a.csv"), inputError("the disk is full", {}));
        QVERIFY2(failed.startsWith(QStringLiteral("✗ ")) && failed.contains(QStringLiteral("the disk is full")),
                 qPrintable(failed));
    }
};

MITOS_TEST(TestQueries)

}  // namespace tst_queries

#include "tst_queries.moc"
