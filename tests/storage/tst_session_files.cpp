// SPDX-License-Identifier: GPL-3.0-or-later
// Files a session can meet: new, old, newer, foreign, damaged, read-only. What is refused stays as it was.
#include "storage/internal/database.h"
#include "storage/session_summary.h"
#include "tests/storage/scratch.h"
#include "tests/support/test_program.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <QDir>
#include <QObject>
#include <cmath>
#include <filesystem>

namespace tst_session_files {

using namespace mitos;
using namespace mitos::storage;
using namespace mitos::storage::test;

namespace {

constexpr Migration First{1, "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)"};
constexpr Migration Second{2, "ALTER TABLE notes ADD COLUMN stars INTEGER DEFAULT 5"};
constexpr Migration Third{3, "UPDATE notes SET stars = 6; CREATE TABLE notes (id INTEGER)"};  // fails half-way

void makeSession(const std::string& path) {
    Result<Session> session = Session::open(path);
    QVERIFY(session.ok());
    for (int i = 0; i < 50; ++i) QVERIFY(session->addProgram("p", "", std::string(5000, 'x')).ok());
}

void makeDatabase(const std::string& path, const std::string& sql) {
    SQLite::Database database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(sql);
}

void openWith(const std::string& path, std::span<const Migration> steps, const char* sql = "") {
    const Result<OpenedDatabase> opened = openDatabase(path, steps);
    QVERIFY2(opened.ok(), messageOf(opened).c_str());
    opened->database->exec(sql);
}

std::vector<std::string> filesBeside(const Scratch& scratch) {
    std::vector<std::string> names;
    for (const QString& name : QDir(QString::fromStdString(scratch.folder())).entryList(QDir::Files, QDir::Name)) {
        names.push_back(name.toStdString());
    }
    return names;
}

}  // namespace

class TestSessionFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void createsASessionThatIsRecognisable();
    void refusesWhatIsNoSession_data();
    void refusesWhatIsNoSession();
    void refusesPlacesThatCannotHoldASession();
    void refusesDamagedFiles();
    void noticesThatItsFileIsGone();
    void refusesNewerSchemas();
    void migratesOlderFilesAndKeepsABackup();
    void leavesTheFileAsItWasWhenAMigrationFails();
    void opensSessionsOfVersionOne();
    void opensSealedRunsOfVersionFour();
    void summarizesASessionAndChangesNothing();
    void summarizesGainsAgainstTheStart();
    void summarizesASessionThatIsOpen();
    void summarizesLabels();
    void reportsSessionsThatWereCutOff();
    void saysWhyThereIsNoSummary();
    void severalProcessesMigrateOneFile();
    void opensReadOnlyFiles();
    void showsOldReadOnlyFilesAndTheirLogs();
    void copiesTheWholeSession();
    void replacesASessionWithItsLog();
    void doesNotHideChangesThatAreStillInTheLog();
    void saysWhatWentWrong();
};

void TestSessionFiles::createsASessionThatIsRecognisable() {
    const Scratch scratch;
    const std::string path = scratch.path("odd name %3F?#.mitos");
    makeSession(path);
    const QByteArray bytes = bytesOf(path);
    QCOMPARE(bytes.mid(68, 4), QByteArray("Mito"));
    QCOMPARE(bytes.mid(60, 4), QByteArray("\0\0\0\10", 4));
    QCOMPARE(filesBeside(scratch),
             std::vector<std::string>{"odd name %3F?#.mitos"});  // the log is folded in at the end
    SQLite::Database database(path);
    QCOMPARE(database.execAndGet("PRAGMA journal_mode").getString(), std::string("wal"));

    const std::string empty = scratch.path("empty.mitos");
    writeBytes(empty, "");
    QVERIFY(Session::open(empty)->report().created);
}

void TestSessionFiles::refusesWhatIsNoSession_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("text") << QByteArray("(def f Float (x : Float) x)\n");
    QTest::newRow("one byte") << QByteArray("S");
    QTest::newRow("binary") << QByteArray(5000, '\xfe');
    QTest::newRow("cut behind the signature") << QByteArray("SQLite format 3\0", 16);
    const Scratch scratch;
    const std::string other = scratch.path("other.db");
    makeDatabase(other, "CREATE TABLE bookmarks (url TEXT); PRAGMA application_id = 12345");
    QTest::newRow("another program's database") << bytesOf(other);
    const std::string plain = scratch.path("plain.db");
    makeDatabase(plain, "CREATE TABLE programs (id INTEGER)");
    QTest::newRow("a database without application id") << bytesOf(plain);
}

void TestSessionFiles::refusesWhatIsNoSession() {
    QFETCH(const QByteArray, content);
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    writeBytes(path, content);
    const Result<Session> session = Session::open(path);
    QVERIFY(!session.ok());
    QCOMPARE(session.error().code, ErrorCode::Incompatible);
    QCOMPARE(session.error().message, path + " is not a Mitos session");
    QVERIFY(!session.error().hint.empty());
    QCOMPARE(bytesOf(path), content);
    QCOMPARE(filesBeside(scratch), std::vector<std::string>{"a.mitos"});
}

void TestSessionFiles::refusesPlacesThatCannotHoldASession() {
    const Scratch scratch;
    const std::string folder = scratch.folder();
    const std::string absent = scratch.path("no/such/folder.mitos");
    for (const std::string& path :
         {std::string(), folder, absent, std::string("/dev/null"), std::string("/dev/full")}) {
        const Result<Session> session = Session::open(path);
        QVERIFY2(!session.ok(), path.c_str());
        QVERIFY2(session.error().code == ErrorCode::Io || path.empty(), path.c_str());
    }
    QVERIFY(filesBeside(scratch).empty());
}

void TestSessionFiles::noticesThatItsFileIsGone() {
    const Scratch scratch;
    for (const bool moved : {false, true}) {
        const std::string path = scratch.path(moved ? "moved.mitos" : "deleted.mitos");
        Session session = *Session::open(path);
        QVERIFY(session.setValue("count", "1").ok());
        if (moved) {
            std::filesystem::rename(path, path + ".elsewhere");
        } else {
            std::filesystem::remove(path);
        }
        const Status lost = session.setValue("count", "2");
        QVERIFY(!lost.ok());
        QVERIFY2(QByteArray::fromStdString(lost.error().message).contains("is gone"), lost.error().message.c_str());
        QVERIFY(!lost.error().hint.empty());
        // What it knows can still be saved.
        const std::string rescued = scratch.path(moved ? "rescued-1.mitos" : "rescued-2.mitos");
        QVERIFY(session.copyTo(rescued).ok());
        QCOMPARE(Session::open(rescued)->value("count")->value_or(""), std::string("1"));
    }
}

void TestSessionFiles::refusesDamagedFiles() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    makeSession(path);
    const QByteArray whole = bytesOf(path);
    QVERIFY(whole.size() > 100'000);
    QByteArray overwritten = whole;
    for (int i = 4096; i < 60'000; ++i) overwritten[i] = static_cast<char>(i * 31);
    for (const QByteArray& damaged : {overwritten, whole.left(whole.size() / 2), whole.left(100)}) {
        writeBytes(path, damaged);
        const Result<Session> session = Session::open(path);
        QVERIFY(!session.ok());
        QCOMPARE(session.error().code, ErrorCode::Io);
        QVERIFY2(session.error().message.find("is damaged") != std::string::npos, session.error().message.c_str());
        QCOMPARE(bytesOf(path), damaged);
    }
}

void TestSessionFiles::refusesNewerSchemas() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    makeSession(path);
    makeDatabase(path, "PRAGMA user_version = 4711");
    const QByteArray before = bytesOf(path);
    const Result<Session> session = Session::open(path);
    QVERIFY(!session.ok());
    QCOMPARE(session.error().code, ErrorCode::Incompatible);
    QVERIFY2(session.error().message.find("version 4711") != std::string::npos, session.error().message.c_str());
    QCOMPARE(bytesOf(path), before);
}

void TestSessionFiles::migratesOlderFilesAndKeepsABackup() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    openWith(path, std::array{First}, "INSERT INTO notes VALUES (1, 'kept')");

    const Result<OpenedDatabase> opened = openDatabase(path, std::array{First, Second});
    QVERIFY2(opened.ok(), messageOf(opened).c_str());
    QCOMPARE(opened->report.migratedFrom, 1);
    QVERIFY(!opened->report.created);
    QCOMPARE(opened->database->execAndGet("SELECT text FROM notes WHERE stars = 5").getString(), std::string("kept"));
    QCOMPARE(opened->database->execAndGet("PRAGMA user_version").getInt(), 2);

    SQLite::Database backup(path + ".bak");
    QCOMPARE(backup.execAndGet("PRAGMA user_version").getInt(), 1);
    QCOMPARE(backup.execAndGet("SELECT text FROM notes").getString(), std::string("kept"));
    QCOMPARE(openDatabase(path, std::array{First, Second})->report.migratedFrom, 0);
}

void TestSessionFiles::leavesTheFileAsItWasWhenAMigrationFails() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    openWith(path, std::array{First}, "INSERT INTO notes VALUES (1, 'kept')");
    QVERIFY(!openDatabase(path, std::array{First, Second, Third}).ok());
    SQLite::Database database(path);
    QCOMPARE(database.execAndGet("PRAGMA user_version").getInt(), 1);  // the second had worked
    QCOMPARE(database.execAndGet("SELECT count(*) FROM pragma_table_info('notes')").getInt(), 2);
    QCOMPARE(database.execAndGet("SELECT text FROM notes").getString(), std::string("kept"));
}

namespace {

/// What a Mitos of schema version 1 left, by that schema's own SQL.
void makeVersionOne(const std::string& path) {
    openWith(path, migrations().first(1),
             "INSERT INTO programs VALUES (1, 'gemm.ks', '/gemm.ks', '(add x y)', '2026-11-20T12:00:00Z');"
             "INSERT INTO states VALUES (1, 0, NULL, '', '', 0, 17, 3.0, '', '');"
             "INSERT INTO states VALUES (1, 1, 0, 'commute_add', '/', 0, 18, 3.0, 'astar #1', 'turned');"
             "INSERT INTO runs VALUES (1, 1, 0, 'astar', '{}', 'ks-simple', 'ks-2021', '{}', 7, '2026-11-20T12:00:01Z',"
             " 'finished', 1, '', 'depth', 3.0, 3.0, 1, '', '{}');"
             "INSERT INTO events VALUES (1, 0, 0, 0.0, 1, 1, 1, 0, 3.0, 3.0, 0, NULL, NULL);"
             "INSERT INTO session_values VALUES ('current-state', '1')");
}

}  // namespace

void TestSessionFiles::opensSessionsOfVersionOne() {
    const Scratch scratch;
    const std::string path = scratch.path("old.mitos");
    makeVersionOne(path);
    Result<Session> session = Session::open(path);
    QVERIFY2(session.ok(), messageOf(session).c_str());
    QCOMPARE(session->report().migratedFrom, 1);
    QCOMPARE(session->programs()->front().title, std::string("gemm.ks"));
    const std::vector<StoredState> states = *session->states(ProgramId(1));
    QCOMPARE(states.size(), std::size_t{2});
    QVERIFY(states[0].marks == rewrite::Marks{});
    const rewrite::Marks turned{.name = "turned", .note = {}};
    QVERIFY(states[1].marks == turned);
    QCOMPARE(session->runs()->front().stop, std::string("depth"));
    QCOMPARE(session->runs()->front().integrity, Integrity::Unknown);
    QCOMPARE(session->events(RunId(1))->size(), std::size_t{1});
    QCOMPARE(**session->value("current-state"), std::string("1"));
    const rewrite::Marks marks{.name = "turned", .note = "why", .pinned = true, .color = 2};
    QVERIFY(session->markState(ProgramId(1), 1, marks).ok());
    QVERIFY(session->claimHistory(ProgramId(1)).ok());
    QVERIFY(session->states(ProgramId(1))->at(1).marks == marks);
    QCOMPARE(filesBeside(scratch).front(), std::string("old.mitos"));
    SQLite::Database backup(path + ".bak");
    QCOMPARE(backup.execAndGet("PRAGMA user_version").getInt(), 1);
    QCOMPARE(backup.execAndGet("SELECT name FROM states WHERE id = 1").getString(), std::string("turned"));
}

namespace {

/// A run of `mitos-cli optimize`, as the Mitos of schema version 4 stored and sealed it.
constexpr const char* RunOfVersionFour = R"sql(
INSERT INTO programs VALUES (1, 'one.ks — expression', 'one.ks', '(add (mul x 1.0) 0.0)' || char(10), '2026-11-23T03:21:15Z');
INSERT INTO runs VALUES (1, 1, 0, 'greedy', '{}', 'ks-simple', 'ks-2021', '{"evaluations":5000,"memory_bytes":4294967296}', 1,
 '2026-11-23T03:21:15Z', 'finished', 31924, '', 'evaluations', 3.0, 0.0, 1, 'mitos-thread 1
; verdict: 4 of 4 steps checked; same values on 92 random inputs (largest difference 0)
rules ks-simple
costs ks-2021
steps 4
start  cost 3  state 39c20c7b80b59f30
program
(add (mul x 1.0) 0.0)
end program
1. commute_add at / #1  cost 3  state 50069c20138d245c
;      (add (mul x 1.0) 0.0)
;   => (add 0.0 (mul x 1.0))
2. add_zero at / #1  cost 2  state f744e97e4fc2606a
;      (add 0.0 (mul x 1.0))
;   => (mul x 1.0)
3. commute_mul at / #1  cost 2  state 6008197d831a8818
;      (mul x 1.0)
;   => (mul 1.0 x)
4. mul_one at / #1  cost 0  state 77a766e505abbbc9
;      (mul 1.0 x)
;   => x
end
', '{"equivalent":true,"evaluations":5000,"expansions":3526,"memory_bytes":1372675,"rewrites":41222,"seconds":0.551243452,"states":5000,"verdict":{"assumptions":[],"counterexample":"","good":true,"inputs":92,"max_deviation":0.0,"note":"","rules":{"approximate":[],"backwards":[],"failed":[],"real_only":[],"untested":[]},"step_by_step":false,"steps":4,"steps_checked":4,"text":"4 of 4 steps checked; same values on 92 random inputs (largest difference 0)","thread_checked":true,"thread_note":"","values":"same"},"verdict_rules":"cad4ae7c2416be2e"}',
 '1c91322be234ad93');
INSERT INTO events VALUES (1, 0, 0, 5.9279e-05, 1, 1, 0, 114836, 3.0, 3.0, 0, NULL, NULL);
INSERT INTO events VALUES (1, 1, 2, 0.000907953, 6, 6, 3, 115648, 2.0, 2.0, 2, 'add_zero', NULL);
INSERT INTO events VALUES (1, 2, 2, 0.016145156, 12, 12, 7, 115776, 0.0, 0.0, 4, 'mul_one', NULL);
INSERT INTO events VALUES (1, 3, 1, 0.116206041, 1094, 1094, 337, 367719, 2.7, 0.0, 4, NULL, NULL);
INSERT INTO events VALUES (1, 4, 1, 0.216263411, 2088, 2088, 602, 578399, 0.7, 0.0, 4, NULL, NULL);
INSERT INTO events VALUES (1, 5, 1, 0.318898581, 3064, 3064, 919, 827491, 0.7999999999999999, 0.0, 4, NULL, NULL);
INSERT INTO events VALUES (1, 6, 1, 0.419113025, 3922, 3922, 1153, 1025379, 2.8000000000000003, 0.0, 4, NULL, NULL);
INSERT INTO events VALUES (1, 7, 1, 0.51914677, 4802, 4802, 1416, 1241343, 2.8, 0.0, 4, NULL, NULL);
INSERT INTO events VALUES (1, 8, 3, 0.551244243, 5000, 5000, 1473, 1372675, 0.0, 0.0, 4, NULL, 'evaluations');
)sql";

}  // namespace

/// Events become JSON; a run that was intact stays so, and one that was changed does not become intact.
void TestSessionFiles::opensSealedRunsOfVersionFour() {
    for (const bool isChanged : {false, true}) {
        const Scratch scratch;
        const std::string path = scratch.path("old.mitos");
        openWith(path, migrations().first(4), RunOfVersionFour);
        const std::string infinite = "UPDATE events SET cost = 9e999, best = NULL WHERE number = 7";
        if (isChanged) SQLite::Database(path, SQLite::OPEN_READWRITE).exec(infinite);
        Result<Session> session = Session::open(path);
        QVERIFY2(session.ok(), messageOf(session).c_str());
        QCOMPARE(session->report().migratedFrom, 4);
        QCOMPARE(session->runs()->front().integrity, isChanged ? Integrity::Changed : Integrity::Intact);
        const std::vector<search::SearchEvent> events = *session->events(RunId(1));
        QCOMPARE(events.size(), std::size_t{9});
        QVERIFY(events[0].is<search::Started>());
        QCOMPARE(events[1].as<search::Improved>()->rule, std::string("add_zero"));
        QVERIFY(events[6].is<search::Progress>());
        QCOMPARE(events[6].seconds, 0.419113025);
        QCOMPARE(events[6].evaluations, std::uint64_t{3922});
        QCOMPARE(events[6].states, std::uint64_t{3922});
        QCOMPARE(events[6].frontier, std::uint64_t{1153});
        QCOMPARE(events[6].memoryBytes, std::uint64_t{1025379});
        QCOMPARE(events[6].cost, 2.8000000000000003);
        QCOMPARE(events[6].pathLength, 4U);
        QCOMPARE(events[8].as<search::Finished>()->reason, search::StopReason::Evaluations);
        QCOMPARE(std::isinf(events[7].cost) && std::isnan(events[7].best), isChanged);
    }
}

void TestSessionFiles::summarizesASessionAndChangesNothing() {
    const Scratch scratch;
    const std::string path = scratch.path("old.mitos");
    openWith(path, migrations().first(4), RunOfVersionFour);
    SQLite::Database(path, SQLite::OPEN_READWRITE)
        .exec(
            "INSERT INTO states (program, id, rule, position, match, hash, cost, origin, name) VALUES "
            "(1, 0, '', '', 0, 17, 3.0, '', ''), (1, 1, 'add_zero', '/', 0, 18, 2.0, 'greedy #1', '')");
    const QByteArray before = bytesOf(path);
    const Result<SessionSummary> summary = summaryOf(path);
    QVERIFY2(summary.ok(), messageOf(summary).c_str());
    QCOMPARE(summary->title, std::string("one.ks — expression"));
    QCOMPARE(summary->states, std::size_t{2});
    QCOMPARE(summary->runs, std::size_t{1});
    QCOMPARE(summary->initialCost, 3.0);
    QCOMPARE(summary->bestCost, 0.0);
    // The start, two improvements, and the last evaluation.
    std::vector<std::pair<std::uint64_t, double>> curve;
    for (const search::Improvement& point : summary->curve) curve.emplace_back(point.evaluations, point.best);
    const std::vector<std::pair<std::uint64_t, double>> expected{{1, 3.0}, {6, 2.0}, {12, 0.0}, {5000, 0.0}};
    QCOMPARE(curve, expected);
    QCOMPARE(bytesOf(path), before);
    QCOMPARE(filesBeside(scratch), std::vector<std::string>{"old.mitos"});
}

/// A run from a later, more expensive state saved more of that state's cost, but the summary is about the program.
void TestSessionFiles::summarizesGainsAgainstTheStart() {
    const Scratch scratch;
    const std::string path = scratch.path("old.mitos");
    openWith(path, migrations().first(4), RunOfVersionFour);
    SQLite::Database(path, SQLite::OPEN_READWRITE)
        .exec(
            "UPDATE runs SET best_cost = 2.0; CREATE TEMP TABLE later AS SELECT * FROM runs; "
            "UPDATE later SET id = 2, start_state = 7, strategy = 'mcts', initial_cost = 30.0, best_cost = 1.5; "
            "INSERT INTO runs SELECT * FROM later");
    const Result<SessionSummary> summary = summaryOf(path);
    QVERIFY2(summary.ok(), messageOf(summary).c_str());
    QCOMPARE(summary->runs, std::size_t{2});
    QCOMPARE(summary->bestStrategy, std::string("mcts"));
    QCOMPARE(summary->initialCost, 3.0);
    QCOMPARE(summary->bestCost, 1.5);
}

void TestSessionFiles::summarizesASessionThatIsOpen() {
    const Scratch scratch;
    const std::string path = scratch.path("open.mitos");
    Result<Session> session = Session::open(path);
    QVERIFY(session.ok());
    const ProgramId program = *session->addProgram("first.ks", "", "x");
    StoredState start;
    start.cost = 8.0;
    StoredState cheaper;
    cheaper.id = 1;
    cheaper.parent = 0;
    cheaper.cost = 6.0;
    QVERIFY(session->addStates(program, {start, cheaper}).ok());
    Result<SessionSummary> summary = summaryOf(path);
    QVERIFY2(summary.ok(), messageOf(summary).c_str());
    QCOMPARE(summary->title, std::string("first.ks"));
    QCOMPARE(summary->states, std::size_t{2});
    QCOMPARE(summary->initialCost, 8.0);
    QCOMPARE(summary->bestCost, 6.0);
    // Without a run, the states are the curve.
    QCOMPARE(summary->curve.size(), std::size_t{2});
    QCOMPARE(summary->curve.front().best, 8.0);
    QCOMPARE(summary->curve.back().evaluations, std::uint64_t{2});
    QCOMPARE(summary->curve.back().best, 6.0);
    // Of two runs the one that saved more counts, and of several programs the last one.
    Run run = aRun(program);
    for (const double best : {4.0, 7.0}) {
        run.initialCost = 8.0;
        run.bestCost = best;
        run.id = *session->beginRun(run);
        QVERIFY(session->finishRun(run).ok());
    }
    summary = summaryOf(path);
    QVERIFY2(summary.ok(), messageOf(summary).c_str());
    QCOMPARE(summary->runs, std::size_t{2});
    QCOMPARE(summary->bestCost, 4.0);
    QVERIFY(session->addProgram("second.ks", "", "y").ok());
    QCOMPARE(summaryOf(path)->title, std::string("second.ks"));
    QVERIFY(std::isnan(summaryOf(path)->initialCost));
    QVERIFY(session->setValue("count", "1").ok());
}

void TestSessionFiles::summarizesLabels() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    const SessionLabels labels{.name = "GEMM", .note = "first\nsecond \"quoted\" ü", .tags = {"paper", "draft"}};
    QVERIFY2(messageOf(storeLabels(path, labels)).ends_with(" is gone"), "a label makes no session");
    QVERIFY(filesBeside(scratch).empty());
    makeSession(path);
    QCOMPARE(summaryOf(path)->labels, SessionLabels());
    QVERIFY(storeLabels(path, labels).ok());
    const Result<SessionSummary> summary = summaryOf(path);
    QCOMPARE(summary->labels, labels);
    QCOMPARE(summary->openedAt.size(), std::size_t{20});
    QCOMPARE(QString::fromStdString(*programTextOf(path)), QString(5000, QLatin1Char('x')));
    // What cannot be read is left out.
    QCOMPARE(labelsFromJson("no json"), SessionLabels());
    QCOMPARE(labelsFromJson(R"({"name": 3, "note": "n", "tags": ["a", 1, "b"]})"),
             (SessionLabels{.name = "", .note = "n", .tags = {"a", "b"}}));
    Result<Session> session = Session::open(path);
    QCOMPARE(*session->value(LabelsKey), std::optional(toJson(labels)));
}

void TestSessionFiles::reportsSessionsThatWereCutOff() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    WaitingChild child([&path](const auto& waitForTheEnd) {
        Result<Session> session = Session::open(path);
        const ProgramId program = *session->addProgram("first.ks", "", "x");
        Run run = aRun(program);
        run.bestCost = 4.0;
        static_cast<void>(session->beginRun(run));
        waitForTheEnd();
    });
    QVERIFY(child.isReady());
    Result<SessionSummary> summary = summaryOf(path);
    QVERIFY2(summary.ok(), messageOf(summary).c_str());
    QVERIFY(summary->isInUse && !summary->wasCutOff);
    child.kill();
    summary = summaryOf(path);
    QVERIFY(!summary->isInUse && summary->wasCutOff);
    QCOMPARE(summary->bestCost, 4.0);
    QCOMPARE(summary->bestStrategy, std::string("astar"));
    QCOMPARE(summary->strategies, std::vector<std::string>{"astar"});
    // A copy belongs to no process; a session that is closed properly is not cut off.
    writeBytes(scratch.path("copy.mitos"), bytesOf(path));
    writeBytes(scratch.path("copy.mitos-wal"), bytesOf(path + "-wal"));
    const Result<SessionSummary> copy = summaryOf(scratch.path("copy.mitos"));
    QVERIFY2(copy.ok(), messageOf(copy).c_str());
    QVERIFY(!copy->isInUse && !copy->wasCutOff);
    {
        Result<Session> session = Session::open(path);
        QVERIFY(session->claimHistory(session->programs()->back().id).ok());
        QVERIFY(summaryOf(path)->isInUse);
    }
    summary = summaryOf(path);
    QVERIFY(!summary->isInUse && !summary->wasCutOff);
}

void TestSessionFiles::saysWhyThereIsNoSummary() {
    const Scratch scratch;
    const auto messageFor = [&](const char* name) {
        return QString::fromStdString(messageOf(summaryOf(scratch.path(name))));
    };
    QVERIFY2(messageFor("absent.mitos").endsWith(QLatin1String("is gone")), qPrintable(messageFor("absent.mitos")));
    QVERIFY(filesBeside(scratch).empty());
    writeBytes(scratch.path("text.mitos"), "no session");
    QVERIFY(messageFor("text.mitos").endsWith(QLatin1String("is not a Mitos session")));
    writeBytes(scratch.path("empty.mitos"), "");
    QVERIFY(messageFor("empty.mitos").endsWith(QLatin1String("holds no program")));
    QCOMPARE(bytesOf(scratch.path("empty.mitos")), QByteArray());

    const std::string path = scratch.path("a.mitos");
    makeSession(path);
    const QByteArray whole = bytesOf(path);
    writeBytes(path, whole.left(whole.size() / 2));
    QVERIFY2(messageFor("a.mitos").contains(QLatin1String("is damaged")), qPrintable(messageFor("a.mitos")));
    QByteArray overwritten = whole;
    for (int i = 4096; i < 60'000; ++i) overwritten[i] = static_cast<char>(i * 31);
    writeBytes(path, overwritten);
    QVERIFY2(messageFor("a.mitos").contains(QLatin1String("is damaged")), qPrintable(messageFor("a.mitos")));

    writeBytes(path, whole);
    makeDatabase(path, "PRAGMA user_version = 4711");
    QVERIFY(messageFor("a.mitos").contains(QLatin1String("was written by a newer Mitos")));

    writeBytes(path, whole);
    {
        SQLite::Database other(path, SQLite::OPEN_READWRITE);
        other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; INSERT INTO session_values VALUES ('a', 'b')");
        QVERIFY2(messageFor("a.mitos").endsWith(QLatin1String("is locked by another program")),
                 qPrintable(messageFor("a.mitos")));
    }
    QVERIFY(summaryOf(path).ok());
}

void TestSessionFiles::severalProcessesMigrateOneFile() {
    for (int round = 0; round < 3; ++round) {
        const Scratch scratch;
        const std::string path = scratch.path("old.mitos");
        makeVersionOne(path);
        std::array<pid_t, 4> children{};
        for (pid_t& child : children) {
            child = fork();
            if (child == 0) {
                const bool done = Session::open(path).ok();  // and closed again
                _exit(done ? 0 : 1);
            }
        }
        for (const pid_t child : children) {
            int status = 0;
            waitpid(child, &status, 0);
            QVERIFY(WIFEXITED(status));
            QCOMPARE(WEXITSTATUS(status), 0);
        }
        // Two that close at the same moment may each take the other for the last one: the log then waits for the next.
        QVERIFY(Session::open(path).ok());
        QCOMPARE(filesBeside(scratch), (std::vector<std::string>{"old.mitos", "old.mitos.bak"}));
        SQLite::Database backup(path + ".bak", SQLite::OPEN_READONLY);
        QCOMPARE(backup.execAndGet("PRAGMA user_version").getInt(), 1);
    }
}

void TestSessionFiles::opensReadOnlyFiles() {
    const Scratch scratch;
    chmod(scratch.folder().c_str(), 0755);
    const std::string path = scratch.path("a?b.mitos");
    makeSession(path);
    const auto outcome = [&] {
        return asOrdinaryUser([&] {
            Result<Session> session = Session::open(path);
            if (!session) return 1;
            if (!session->report().readOnly) return 2;
            const Result<std::vector<StoredProgram>> programs = session->programs();
            if (!programs || programs->size() != 50) return 3;
            const Result<ProgramId> added = session->addProgram("x", "", "x");
            if (added || added.error().code != ErrorCode::Io) return 4;
            if (added.error().message.find("open for reading only") == std::string::npos) return 5;
            if (session->setValue("a", "b").ok() || session->beginRun(aRun(ProgramId(1))).ok()) return 6;
            return 0;
        });
    };
    const QByteArray before = bytesOf(path);
    chmod(path.c_str(), 0444);
    QCOMPARE(outcome(), 0);  // the file
    chmod(scratch.folder().c_str(), 0555);
    chmod(path.c_str(), 0666);
    QCOMPARE(outcome(), 0);  // the folder
    chmod(scratch.folder().c_str(), 0755);
    QCOMPARE(bytesOf(path), before);
    QCOMPARE(filesBeside(scratch), std::vector<std::string>{"a?b.mitos"});

    chmod(path.c_str(), 0000);
    const int unreadable = asOrdinaryUser([&] {
        const Result<Session> session = Session::open(path);
        return !session && session.error().message.find("cannot be read") != std::string::npos ? 0 : 1;
    });
    QCOMPARE(unreadable, 0);
    const std::string fresh = scratch.path("fresh.mitos");
    chmod(scratch.folder().c_str(), 0555);
    const int uncreatable = asOrdinaryUser([&] {
        const Result<Session> session = Session::open(fresh);
        return !session && session.error().code == ErrorCode::Io ? 0 : 1;
    });
    chmod(scratch.folder().c_str(), 0755);
    QCOMPARE(uncreatable, 0);
}

void TestSessionFiles::showsOldReadOnlyFilesAndTheirLogs() {
    const Scratch scratch;
    chmod(scratch.folder().c_str(), 0755);
    const std::string path = scratch.path("a.mitos");
    openWith(path, std::array{First});
    chmod(path.c_str(), 0444);
    const int outcome = asOrdinaryUser([&] {
        const Result<OpenedDatabase> opened = openDatabase(path, std::array{First, Second});
        if (!opened) return 1;
        if (!opened->report.readOnly) return 2;
        return opened->database->execAndGet("PRAGMA user_version").getInt() == Second.version ? 0 : 3;
    });
    QCOMPARE(outcome, 0);
    QCOMPARE(filesBeside(scratch), std::vector<std::string>{"a.mitos"});

    // A session that was killed, in a folder that cannot be written: its last changes are in its log.
    const Scratch mount;
    const std::string killed = mount.path("killed.mitos");
    WaitingChild child([&killed](const auto& waitForTheEnd) {
        Session session = *Session::open(killed);
        if (session.addProgram("last", "", "x").ok()) waitForTheEnd();
    });
    QVERIFY(child.isReady());
    child.kill();
    std::filesystem::remove(killed + "-shm");
    QVERIFY(std::filesystem::file_size(killed + "-wal") > 0);
    for (const char* suffix : {"", "-wal"}) chmod((killed + suffix).c_str(), 0444);
    const QByteArray log = bytesOf(killed + "-wal");
    chmod(mount.folder().c_str(), 0555);
    const int shown = asOrdinaryUser([&] {
        Result<Session> session = Session::open(killed);
        if (!session) return 1;
        if (!session->report().readOnly) return 2;
        const Result<std::vector<StoredProgram>> programs = session->programs();
        return programs && programs->size() == 1 && programs->front().title == "last" ? 0 : 3;
    });
    chmod(mount.folder().c_str(), 0755);
    QCOMPARE(shown, 0);
    QCOMPARE(bytesOf(killed + "-wal"), log);
}

void TestSessionFiles::copiesTheWholeSession() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    const std::string copy = scratch.path("it's a copy.mitos");
    makeSession(path);
    Result<Session> session = Session::open(path);
    QVERIFY(session->addProgram("latest", "", "y").ok());
    QVERIFY(session->copyTo(copy).ok());
    QCOMPARE(session->copyTo(copy).error().code, ErrorCode::Io);
    QCOMPARE(session->copyTo(scratch.path("no/folder.mitos")).error().code, ErrorCode::Io);
    QCOMPARE(filesBeside(scratch).size(), std::size_t{4});  // both sessions, and the log of the one that is open
    Result<Session> other = Session::open(copy);
    QVERIFY2(other.ok(), messageOf(other).c_str());
    QCOMPARE(other->programs()->back().title, std::string("latest"));
    QVERIFY(!other->report().created);
}

/// What is replaced may have been killed: its log must not be taken for one of the copy.
void TestSessionFiles::replacesASessionWithItsLog() {
    const Scratch scratch;
    const std::string old = scratch.path("old.mitos");
    WaitingChild child([&old](const auto& waitForTheEnd) {
        Session session = *Session::open(old);
        for (int i = 0; i < 20; ++i) {
            if (!session.addProgram("killed", "", std::string(3000, 'k'))) return;
        }
        waitForTheEnd();
    });
    QVERIFY(child.isReady());
    child.kill();
    QVERIFY(QFile::exists(QString::fromStdString(old + "-wal")));

    Result<Session> session = Session::open(scratch.path("new.mitos"));
    QVERIFY(session->addProgram("new", "", "x").ok());
    QVERIFY(session->copyTo(old, Session::Existing::Replace).ok());
    Result<Session> copy = Session::open(old);
    QVERIFY2(copy.ok(), messageOf(copy).c_str());
    QCOMPARE(copy->programs()->size(), std::size_t{1});
    QCOMPARE(copy->programs()->front().title, std::string("new"));
}

void TestSessionFiles::doesNotHideChangesThatAreStillInTheLog() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    const std::string copy = scratch.path("copy.mitos");
    {
        Result<Session> session = Session::open(path);
        QVERIFY(session->addProgram("late", "", "x").ok());
        writeBytes(copy, bytesOf(path));
        writeBytes(copy + "-wal", bytesOf(path + "-wal"));
    }
    chmod(scratch.folder().c_str(), 0555);
    const int outcome = asOrdinaryUser([&] {
        Result<Session> session = Session::open(copy);
        if (!session || !session->report().readOnly) return 1;
        const Result<std::vector<StoredProgram>> programs = session->programs();
        return programs && programs->size() == 1 && programs->front().title == "late" ? 0 : 2;
    });
    chmod(scratch.folder().c_str(), 0755);
    QCOMPARE(outcome, 0);
    QCOMPARE(Session::open(copy)->programs()->size(), std::size_t{1});
}

void TestSessionFiles::saysWhatWentWrong() {
    const auto message = [](int code) { return translated(SQLite::Exception("detail", code), "a.mitos").message; };
    QCOMPARE(message(SQLITE_FULL), std::string("a.mitos cannot be written: the disk is full"));
    QCOMPARE(message(SQLITE_BUSY), std::string("a.mitos is locked by another program"));
    QCOMPARE(message(SQLITE_READONLY), std::string("a.mitos cannot be written"));
    QCOMPARE(message(SQLITE_CORRUPT), std::string("a.mitos is damaged: detail"));
    QCOMPARE(message(SQLITE_IOERR), std::string("a.mitos cannot be read or written (detail)"));
}

MITOS_TEST(TestSessionFiles)

}  // namespace tst_session_files

#include "tst_session_files.moc"
