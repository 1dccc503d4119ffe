// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop itself, in a process of its own, is killed or asked to end in the middle of a search, and its session is restored.
#include "storage/session.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/shown_window.h"
#include "tests/support/test_program.h"
#include "views/document/verdicts.h"

#include <QDirIterator>
#include <QProcess>
#include <csignal>

namespace tst_closing {

using namespace mitos;
using namespace mitos::views;

namespace {

/// The program with its data in a folder of its own.
struct Desktop {
    QTemporaryDir home;
    QProcess process;

    void start(const QStringList& arguments) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME"}) {
            environment.insert(QLatin1String(name), home.path());
        }
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos"), arguments);
    }
    /// The only session there is; empty: none.
    [[nodiscard]] QString session() const {
        QDirIterator files(home.path(), {QStringLiteral("*.mitos")}, QDir::Files, QDirIterator::Subdirectories);
        return files.hasNext() ? files.next() : QString();
    }
    /// The last run in the session as another process sees it.
    [[nodiscard]] static std::optional<search::Run> lastRun(const QString& path) {
        if (path.isEmpty()) return std::nullopt;
        Result<storage::Session> session = storage::Session::open(path.toStdString());
        if (!session) return std::nullopt;
        const Result<std::vector<search::Run>> runs = session->runs();
        return runs && !runs->empty() ? std::optional(runs->back()) : std::nullopt;
    }
    /// Whether a running search has kept the thread of something cheaper.
    [[nodiscard]] bool waitForThread() const {
        return QTest::qWaitFor(
            [this] {
                const std::optional<search::Run> run = lastRun(session());
                return run && run->state == search::RunState::Running && !run->thread.empty() &&
                       run->bestCost < run->initialCost;
            },
            60'000);
    }
    [[nodiscard]] bool isRunning() const { return process.state() == QProcess::Running; }
    void signal(int number) const { ::kill(static_cast<pid_t>(process.processId()), number); }
};

/// The session shows the program, a step by hand and the thread of the search, which begins after that step.
void verifyReopened(const QString& session, search::RunState state) {
    test::ShownWindow shown;
    shown.window.openSession(session);
    QVERIFY(shown.isOpen());
    Document& document = shown.window.document();
    QVERIFY2(document.title().contains(QLatin1String("gemm")), qPrintable(document.title()));
    const rewrite::History& history = document.history();
    QCOMPARE(QString::fromStdString(history.state(rewrite::StateId(1)).marks.name), QStringLiteral("by hand"));
    QCOMPARE(document.runs().size(), std::size_t(1));
    const Run& run = document.runs().front();
    QCOMPARE(run.state, state);
    QCOMPARE(run.startState, 1U);
    // A search that was asked to stop may deliver its result while the windows close: the history has it then. One that was killed cannot.
    if (state == search::RunState::Interrupted) QVERIFY(run.recovered);
    QVERIFY2(verdictText(run).contains(QStringLiteral(" checked; same values on ")), qPrintable(verdictText(run)));
    QVERIFY(run.resultState.isValid() && history.size() > 2);
    QVERIFY(history.state(run.resultState).cost < run.initialCost);
    QCOMPARE(history.state(run.resultState).cost, run.bestCost);
    const std::vector<rewrite::StateId> way = history.pathTo(run.resultState);
    QCOMPARE(way.at(1), rewrite::StateId(1));
    QVERIFY(!run.events.empty());
}

}  // namespace

class TestClosing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::forgetEverything(); }

    void whatWasFoundComesBack_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("killed") << SIGKILL;
        QTest::newRow("terminated") << SIGTERM;
        QTest::newRow("interrupted") << SIGINT;
        QTest::newRow("hung up") << SIGHUP;
    }

    void whatWasFoundComesBack() {
        QFETCH(int, signal);
        Desktop desktop;
        const QString session = desktop.home.filePath(QStringLiteral("a.mitos"));
        {
            test::ShownWindow shown;
            QVERIFY(shown.open(test::sample("linear-algebra/gemm.ks")));
            Document& document = shown.window.document();
            document.apply(*test::anyStep(document));
            document.mark(rewrite::StateId(1), {.name = "by hand", .note = {}});
            document.saveSessionAs(session);
            QVERIFY(shown.settle());
        }
        desktop.start({QStringLiteral("--session"), session, QStringLiteral("--run"), QStringLiteral("600")});
        QVERIFY(desktop.process.waitForStarted());
        const bool isKept = desktop.waitForThread();
        QVERIFY2(isKept && desktop.isRunning(), desktop.process.readAllStandardError().constData());
        desktop.signal(signal);
        if (signal == SIGHUP) desktop.signal(signal);  // terminals do so twice
        QVERIFY(desktop.process.waitForFinished(30'000));
        QCOMPARE(desktop.process.exitStatus(), signal == SIGKILL ? QProcess::CrashExit : QProcess::NormalExit);
        if (signal != SIGKILL) QCOMPARE(desktop.process.exitCode(), 128 + signal);
        verifyReopened(session, signal == SIGKILL ? search::RunState::Interrupted : search::RunState::Finished);
    }

    void aWindowWithoutASearchCloses() {
        Desktop desktop;
        desktop.start({test::sample("linear-algebra/gemm.ks")});
        QVERIFY(desktop.process.waitForStarted());
        QVERIFY(QTest::qWaitFor([&] { return !desktop.session().isEmpty(); }, 30'000));
        desktop.signal(SIGTERM);
        QVERIFY(desktop.process.waitForFinished(30'000));
        QCOMPARE(desktop.process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(desktop.process.exitCode(), 128 + SIGTERM);
        // The program was only looked at.
        QCOMPARE(desktop.session(), QString());
    }
};

MITOS_TEST(TestClosing)

}  // namespace tst_closing

#include "tst_closing.moc"
