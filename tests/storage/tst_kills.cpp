// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that write a session are killed (SIGKILL) at different moments: the file stays whole, and nothing is lost but
// the last batch of events.
#include "core/schedule/files/schedule_files.h"
#include "core/schedule/timeline_check.h"
#include "tests/storage/scratch.h"
#include "tests/support/test_program.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <map>
#include <sstream>

namespace tst_kills {

using namespace mitos;
using namespace mitos::storage;
using namespace mitos::storage::test;

namespace {

constexpr std::uint64_t LargestBatch = 256;
constexpr int Kills = 20;

/// All data that the writers reported as kept.
struct Ledger {
    std::uint32_t programs = 0;
    std::map<std::uint32_t, std::uint32_t> states;  ///< of each program
    std::string value;
    std::map<std::uint32_t, std::uint64_t> handed;  ///< events of each run
    std::map<std::uint32_t, std::uint64_t> finished;

    /// A line that was cut by the kill counts for nothing.
    void take(const QByteArray& output) {
        for (const QByteArray& line : output.left(output.lastIndexOf('\n') + 1).split('\n')) {
            std::istringstream words(line.toStdString());
            std::string what;
            std::uint32_t id = 0;
            std::uint64_t number = 0;
            words >> what >> id;
            if (what == "program") programs = id;
            if (what == "value") value = std::to_string(id);
            if (what == "run") handed[id] = 0;
            if (!(words >> number)) continue;
            if (what == "state") states[id] = static_cast<std::uint32_t>(number) + 1;
            if (what == "handed") handed[id] = number;
            if (what == "finished") finished[id] = number;
        }
    }
};

void verifyWhole(const std::string& path) {
    SQLite::Database database(path);
    QCOMPARE(database.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
    SQLite::Statement broken(database, "PRAGMA foreign_key_check");
    QVERIFY(!broken.executeStep());
}

void verifyStates(Session& session, const Ledger& ledger) {
    const std::vector<StoredProgram> programs = *session.programs();
    // What was being written when the kill came may be there too, whole.
    QVERIFY(programs.size() == ledger.programs || programs.size() == ledger.programs + 1);
    for (const auto& [program, count] : ledger.states) {
        const std::vector<StoredState> states = *session.states(ProgramId(program));
        QVERIFY(states.size() == count || states.size() == count + 1);
        for (std::uint32_t i = 0; i < count; ++i) {
            QCOMPARE(states[i].id, i);
            QCOMPARE(states[i].marks.name, "state " + std::to_string(program) + " " + std::to_string(i));
            QCOMPARE(states[i].marks.color, i);
        }
    }
}

void verifyRuns(Session& session, const Ledger& ledger) {
    std::map<std::uint32_t, Run> runs;
    const std::vector<Run> stored = *session.runs();
    for (const Run& run : stored) runs.emplace(run.id.value, run);
    for (const auto& [id, handed] : ledger.handed) {
        QVERIFY(runs.contains(id));
        const std::vector<search::SearchEvent> events = *session.events(RunId(id));
        for (std::size_t i = 0; i < events.size(); ++i) QCOMPARE(events[i].evaluations, i + 1);
        QVERIFY2(events.size() + LargestBatch >= handed && events.size() <= handed + 1,
                 qPrintable(QStringLiteral("%1 of %2 events").arg(events.size()).arg(handed)));
        if (const auto ended = ledger.finished.find(id); ended != ledger.finished.end()) {
            QCOMPARE(events.size(), ended->second);
            QCOMPARE(runs.at(id).state, search::RunState::Finished);
        }
    }
    for (const auto& [id, run] : runs) QVERIFY(run.state != search::RunState::Running);
}

/// The events kept of the newest run, as another process sees them; nothing: there is no run.
std::optional<std::size_t> eventsOfLastRun(const std::string& path, std::size_t runsBefore) {
    if (!QFile::exists(QString::fromStdString(path))) return std::nullopt;
    Result<Session> session = Session::open(path);
    if (!session) return std::nullopt;
    const auto runs = session->runs();
    if (!runs || runs->size() <= runsBefore) return std::nullopt;
    return session->events(runs->back().id)->size();
}

/// The newest run, as another process sees it.
std::optional<Run> lastRun(const std::string& path) {
    if (!QFile::exists(QString::fromStdString(path))) return std::nullopt;
    Result<Session> session = Session::open(path);
    if (!session) return std::nullopt;
    const auto runs = session->runs();
    return runs && !runs->empty() ? std::optional(runs->back()) : std::nullopt;
}

}  // namespace

class TestKills : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWriterIsKilledTwentyTimes();
    void theCommandLineIsKilledTwentyTimes();
    void aKilledSearchKeepsItsBestThread_data();
    void aKilledSearchKeepsItsBestThread();
    void aKilledSearchKeepsItsBestSchedule();
};

void TestKills::aWriterIsKilledTwentyTimes() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    Ledger ledger;
    for (int kill = 0; kill < Kills; ++kill) {
        QProcess writer;
        writer.start(QStringLiteral(MITOS_BINARY_DIR "/tests/storage/session_writer"), {QString::fromStdString(path)});
        QVERIFY(writer.waitForStarted());
        // The first ones while they open the file, the others after so many lines: in each kind of write.
        const int lines = kill < 4 ? 0 : 1 + (kill - 4) * (kill - 4) * 4;
        QByteArray output;
        while (output.count('\n') < lines && writer.waitForReadyRead(20'000)) output += writer.readAllStandardOutput();
        QVERIFY2(output.count('\n') >= lines, writer.readAllStandardError().constData());
        if (kill < 4) QTest::qSleep(kill * 4);
        writer.kill();
        QVERIFY(writer.waitForFinished());
        QCOMPARE(writer.exitStatus(), QProcess::CrashExit);
        ledger.take(output + writer.readAllStandardOutput());

        Result<Session> session = Session::open(path);
        QVERIFY2(session.ok(), messageOf(session).c_str());
        verifyWhole(path);
        verifyStates(*session, ledger);
        verifyRuns(*session, ledger);
        const Result<std::optional<std::string>> value = session->value("count");
        QVERIFY(ledger.value.empty() || value->has_value());
        if (QTest::currentTestFailed()) return;
    }
    QVERIFY(ledger.programs > 5);
    QVERIFY(ledger.finished.size() > 2);
    QVERIFY(ledger.handed.size() > ledger.finished.size());  // some were killed in the middle of a run
}

/// A search of the command line, watched from this process through the session file: what was seen in it is still there.
void TestKills::theCommandLineIsKilledTwentyTimes() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    enum Moment { AtOnce, FileIsThere, RunHasBegun, EventsAreKept, MomentCount };
    std::size_t runs = 0;
    std::map<std::uint32_t, std::size_t> seen;
    for (int kill = 0; kill < Kills; ++kill) {
        QProcess cli;
        cli.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                  {QStringLiteral("optimize"), QStringLiteral(MITOS_SOURCE_DIR "/samples/teaching/factor.ks"),
                   QStringLiteral("--strategy"), QStringLiteral("random"), QStringLiteral("--seconds"),
                   QStringLiteral("600"), QStringLiteral("--seed"), QString::number(kill), QStringLiteral("--session"),
                   QString::fromStdString(path)});
        QVERIFY(cli.waitForStarted());
        const int moment = kill % MomentCount;
        std::size_t kept = 0;
        const bool reached = QTest::qWaitFor(
            [&] {
                if (moment == AtOnce) return true;
                if (moment == FileIsThere) return QFile::exists(QString::fromStdString(path));
                const auto events = eventsOfLastRun(path, runs);
                kept = events.value_or(0);
                return events && (moment == RunHasBegun || kept > 0);
            },
            20'000);
        QVERIFY2(reached, cli.readAllStandardError().constData());
        cli.kill();
        QVERIFY(cli.waitForFinished());
        QCOMPARE(cli.exitStatus(), QProcess::CrashExit);

        Result<Session> session = Session::open(path);
        QVERIFY2(session.ok(), messageOf(session).c_str());
        verifyWhole(path);
        const std::vector<Run> all = *session->runs();
        QVERIFY(all.size() >= runs + (moment >= RunHasBegun ? 1 : 0));
        if (moment >= RunHasBegun) seen[all.back().id.value] = kept;
        runs = all.size();
        for (const Run& run : all) {
            QCOMPARE(run.state, search::RunState::Interrupted);
            const std::vector<search::SearchEvent> events = *session->events(run.id);
            QVERIFY(events.size() >= seen[run.id.value]);
            if (events.empty()) continue;
            QVERIFY(events.front().is<search::Started>());
            for (std::size_t i = 1; i < events.size(); ++i) {
                QVERIFY(events[i].seconds >= events[i - 1].seconds);
                QVERIFY(!events[i].is<search::Finished>());
            }
            QCOMPARE(session->states(run.program)->size(), std::size_t{1});  // the start; the result was never there
        }
        if (QTest::currentTestFailed()) return;
    }
    QVERIFY(runs >= Kills / 2);
}

void TestKills::aKilledSearchKeepsItsBestThread_data() {
    QTest::addColumn<QStringList>("how");
    QTest::newRow("one search") << QStringList{QStringLiteral("--strategy"), QStringLiteral("random")};
    // The thread goes through the runs before the one that is killed.
    QTest::newRow("phases") << QStringList{QStringLiteral("--strategy"), QStringLiteral("phases"),
                                           QStringLiteral("--set"),
                                           QStringLiteral("schedule=all : greedy @ 1%; all : random @ 99%")};
    QTest::newRow("restarts") << QStringList{QStringLiteral("--strategy"), QStringLiteral("mcts"),
                                             QStringLiteral("--set"), QStringLiteral("restarts=9")};
    QTest::newRow("e-graph") << QStringList{QStringLiteral("--strategy"), QStringLiteral("saturation")};
}

void TestKills::aKilledSearchKeepsItsBestThread() {
    QFETCH(QStringList, how);
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    const QString program = QStringLiteral(MITOS_SOURCE_DIR "/samples/linear-algebra/gemm.ks");
    QProcess cli;
    cli.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
              QStringList{QStringLiteral("optimize"), program, QStringLiteral("--seconds"), QStringLiteral("600"),
                          QStringLiteral("--session"), QString::fromStdString(path)} +
                  how);
    QVERIFY(cli.waitForStarted());
    const bool isKept = QTest::qWaitFor([&] { return !lastRun(path).value_or(Run{}).thread.empty(); }, 30'000);
    const bool wasRunning = cli.state() == QProcess::Running;
    cli.kill();
    cli.waitForFinished();
    QVERIFY2(isKept && wasRunning, cli.readAllStandardError().constData());

    const Run run = *lastRun(path);
    QCOMPARE(run.state, search::RunState::Interrupted);
    QVERIFY(run.threadChecked);
    QVERIFY(run.bestCost < run.initialCost);
    // The thread leads from the program to one of that cost: said by another process, which checks costs and steps.
    QFile thread(QString::fromStdString(scratch.path("thread.txt")));
    QVERIFY(thread.open(QIODevice::WriteOnly));
    thread.write(QByteArray::fromStdString(run.thread));
    thread.close();
    QProcess apply;
    apply.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
                {QStringLiteral("apply"), program, QStringLiteral("--steps"), thread.fileName(),
                 QStringLiteral("--check"), QStringLiteral("--json")});
    QVERIFY(apply.waitForFinished(60'000));
    QVERIFY2(apply.exitCode() == 0, apply.readAllStandardError().constData());
    const QJsonObject report = QJsonDocument::fromJson(apply.readAllStandardOutput()).object();
    QVERIFY(report[QStringLiteral("valid")].toBool());
    QCOMPARE(report[QStringLiteral("final_cost")].toDouble(), run.bestCost);
}

/// Of layers of five operations, each of which uses all of the layer before. The peak of one device is that of two layers, of two devices less.
void TestKills::aKilledSearchKeepsItsBestSchedule() {
    const Scratch scratch;
    constexpr int Width = 5;
    constexpr int Layers = 12;
    QByteArray text = "tasks layers\n";
    for (int i = 0; i < Layers * Width; ++i) {
        QByteArrayList uses;
        for (int k = 0; k < Width && i >= Width; ++k) uses << "t" + QByteArray::number((i / Width - 1) * Width + k);
        text += "  t" + QByteArray::number(i) + "(" + uses.join(", ") + ") takes " + QByteArray::number(1 + i % 7) +
                ", makes " + QByteArray::number(10 + 3 * (i % 11)) + "\n";
    }
    const std::string program = scratch.path("layers.tasks");
    writeBytes(program, text);
    const std::string path = scratch.path("a.mitos");
    QProcess cli;
    cli.start(QStringLiteral(MITOS_BINARY_DIR "/app/mitos-cli"),
              {QStringLiteral("schedule"), QString::fromStdString(program), QStringLiteral("--objective"),
               QStringLiteral("memory"), QStringLiteral("--seconds"), QStringLiteral("600"),
               QStringLiteral("--session"), QString::fromStdString(path)});
    QVERIFY(cli.waitForStarted());
    const bool isKept = QTest::qWaitFor([&] { return !lastRun(path).value_or(Run{}).outcome.empty(); }, 30'000);
    const bool wasRunning = cli.state() == QProcess::Running;
    cli.kill();
    cli.waitForFinished();
    QVERIFY2(isKept && wasRunning, cli.readAllStandardError().constData());

    const Run run = *lastRun(path);
    QCOMPARE(run.state, search::RunState::Interrupted);
    QCOMPARE(run.outcomeKind, std::string("schedule"));
    QVERIFY(run.bestCost < run.initialCost);
    const Result<schedule::ReadSchedule> read = schedule::readSchedule(SourceText("the run", run.outcome));
    QVERIFY2(read.ok(), messageOf(read).c_str());
    QCOMPARE(static_cast<double>(read->timeline.highestPeak()), run.bestCost);
    QVERIFY(schedule::faultsOf(read->scheduled.graph, read->scheduled.machine, read->scheduled.options,
                               read->scheduled.schedule, read->timeline)
                .empty());
}

MITOS_TEST(TestKills)

}  // namespace tst_kills

#include "tst_kills.moc"
