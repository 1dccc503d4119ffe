// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept in a session comes back as it was; runs survive kills, full disks and other processes.
#include "tests/storage/scratch.h"

#include <sys/resource.h>

#include <QObject>
#include <atomic>
#include <cmath>
#include <csignal>
#include <limits>
#include <thread>

using namespace mitos;
using namespace mitos::storage;
using namespace mitos::storage::test;

namespace {

class Counter final : public search::Observer {
public:
    void onEvent(const search::SearchEvent&) override { ++count; }
    int count = 0;
};

ProgramId someProgram(Session& session) {
    const Result<ProgramId> program = session.addProgram("a.ks: f", "/tmp/a.ks", "(def f Float (x : Float) x)");
    return program ? *program : ProgramId();
}

}  // namespace

class TestSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsProgramsAndValues();
    void keepsHistoryStates();
    void refusesStatesThatDoNotFit();
    void keepsRunsAndTheirEvents();
    void removesARunWithItsEvents();
    void writesEventsInBatches();
    void losesAtMostTheLastBatchWhenKilled();
    void leavesRunsOfLivingProcessesAlone();
    void twoProcessesWriteOneFile();
    void survivesAFullDisk();
    void waitsForOtherWriters();
    void writesJson();
};

void TestSession::keepsProgramsAndValues() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    {
        Result<Session> session = Session::open(path);
        QVERIFY2(session.ok(), messageOf(session).c_str());
        QVERIFY(session->report().created);
        QVERIFY(!session->report().readOnly);
        QCOMPARE(session->path(), path);
        QCOMPARE(session->addProgram("ä € 𝄞", "", "(add x y)")->value, 1U);
        QCOMPARE(session->addProgram("b", "/b.ks", std::string(3'000'000, 'x'))->value, 2U);
        QVERIFY(session->setValue("current-state", "3").ok());
        QVERIFY(session->setValue("current-state", "4").ok());
    }
    Result<Session> session = Session::open(path);
    QVERIFY(!session->report().created);
    QCOMPARE(session->report().migratedFrom, 0);
    const std::vector<StoredProgram> programs = *session->programs();
    QCOMPARE(programs.size(), std::size_t{2});
    QCOMPARE(programs[0].title, std::string("ä € 𝄞"));
    QCOMPARE(programs[0].text, std::string("(add x y)"));
    QCOMPARE(programs[0].openedAt.size(), std::string("2026-11-20T12:00:00Z").size());
    QCOMPARE(programs[1].text.size(), std::size_t{3'000'000});
    QCOMPARE(**session->value("current-state"), std::string("4"));
    QVERIFY(!session->value("perspective")->has_value());
}

void TestSession::keepsHistoryStates() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    const StoredState start{.id = 0,
                            .parent = std::nullopt,
                            .rule = {},
                            .position = {},
                            .match = 0,
                            .hash = 0x8000000000000001ULL,
                            .cost = 7160405.25,
                            .origin = {},
                            .name = "start"};
    const StoredState second{.id = 1,
                             .parent = 0,
                             .rule = "distribute~",
                             .position = "/0/2",
                             .match = 3,
                             .hash = 17,
                             .cost = std::numeric_limits<double>::quiet_NaN(),
                             .origin = "astar #3",
                             .name = {}};
    const StoredState third{.id = 2,
                            .parent = 0,
                            .rule = "commute_add",
                            .position = "/",
                            .match = 0,
                            .hash = 18,
                            .cost = std::numeric_limits<double>::infinity(),
                            .origin = {},
                            .name = {}};
    {
        Result<Session> session = Session::open(path);
        const ProgramId program = someProgram(*session);
        QVERIFY(session->addState(program, start).ok());
        QVERIFY(session->addStates(program, {second, third}).ok());
        QVERIFY(session->renameState(program, 1, "after distributing").ok());
    }
    Result<Session> session = Session::open(path);
    const std::vector<StoredState> states = *session->states(ProgramId(1));
    QCOMPARE(states.size(), std::size_t{3});
    QVERIFY(!states[0].parent);
    QCOMPARE(states[0].hash, std::uint64_t{0x8000000000000001ULL});
    QCOMPARE(states[0].cost, 7160405.25);
    QCOMPARE(states[0].name, std::string("start"));
    QCOMPARE(*states[1].parent, 0U);
    QCOMPARE(states[1].rule, std::string("distribute~"));
    QCOMPARE(states[1].position, std::string("/0/2"));
    QCOMPARE(states[1].match, 3U);
    QVERIFY(std::isnan(states[1].cost));
    QCOMPARE(states[1].origin, std::string("astar #3"));
    QCOMPARE(states[1].name, std::string("after distributing"));
    QVERIFY(std::isinf(states[2].cost));
    QVERIFY(session->states(ProgramId(99))->empty());
}

void TestSession::refusesStatesThatDoNotFit() {
    Result<Session> session = Session::open(":memory:");
    const ProgramId program = someProgram(*session);
    QVERIFY(
        session
            ->addState(program, {.id = 0, .parent = std::nullopt, .rule = {}, .position = {}, .origin = {}, .name = {}})
            .ok());
    const StoredState orphan{.id = 1, .parent = 7, .rule = "r", .position = "/", .origin = {}, .name = {}};
    QVERIFY(!session->addState(program, orphan).ok());
    const StoredState twice{.id = 0, .parent = std::nullopt, .rule = {}, .position = {}, .origin = {}, .name = {}};
    QVERIFY(!session->addState(program, twice).ok());
    QVERIFY(!session->addState(ProgramId(9), twice).ok());
    QVERIFY(!session->renameState(program, 5, "x").ok());
    QCOMPARE(session->states(program)->size(), std::size_t{1});
}

void TestSession::keepsRunsAndTheirEvents() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    search::SearchEvent improved;
    improved.kind = search::EventKind::Improved;
    improved.seconds = 0.25;
    improved.evaluations = 12;
    improved.states = 11;
    improved.frontier = 9;
    improved.memoryBytes = 1ULL << 40U;
    improved.cost = 6.1;
    improved.best = 6.1;
    improved.pathLength = 4;
    improved.rule = "inline_let";
    search::SearchEvent finished;
    finished.kind = search::EventKind::Finished;
    finished.reason = search::StopReason::Evaluations;
    {
        Result<Session> session = Session::open(path);
        StoredRun run = aRun(someProgram(*session));
        run.id = *session->beginRun(run);
        QCOMPARE(session->runs()->front().status, std::string("running"));
        QVERIFY(session
                    ->appendEvents(run.id,
                                   {search::SearchEvent{.kind = search::EventKind::Started, .rule = {}, .reason = {}}})
                    .ok());
        QVERIFY(session->appendEvents(run.id, {improved, finished}).ok());
        run.stop = "evaluations";
        run.bestCost = 6.1;
        run.threadChecked = true;
        run.thread = "thread text";
        run.statistics = R"({"evaluations":12})";
        QVERIFY(session->finishRun(run).ok());
    }
    Result<Session> session = Session::open(path);
    QCOMPARE(session->report().interruptedRuns, 0);
    const std::vector<StoredRun> runs = *session->runs(ProgramId(1));
    QCOMPARE(runs.size(), std::size_t{1});
    const StoredRun& run = runs.front();
    QCOMPARE(run.status, std::string("finished"));
    QCOMPARE(run.startState, 2U);
    QCOMPARE(run.strategy, std::string("astar"));
    QCOMPARE(run.parameters, std::string(R"({"depth":10})"));
    QCOMPARE(run.rules, std::string("ks-simple"));
    QCOMPARE(run.costModel, std::string("ks-2021"));
    QCOMPARE(run.budget, std::string(R"({"evaluations":5000})"));
    QCOMPARE(run.seed, std::uint64_t{0xFFFFFFFFFFFFFFFFULL});
    QCOMPARE(run.startedAt, std::string("2026-11-20T12:00:00Z"));
    QCOMPARE(run.stop, std::string("evaluations"));
    QCOMPARE(run.initialCost, 7.0);
    QCOMPARE(run.bestCost, 6.1);
    QVERIFY(run.threadChecked);
    QCOMPARE(run.thread, std::string("thread text"));
    QCOMPARE(run.statistics, std::string(R"({"evaluations":12})"));

    const std::vector<search::SearchEvent> events = *session->events(run.id);
    QCOMPARE(events.size(), std::size_t{3});
    QCOMPARE(events[0].kind, search::EventKind::Started);
    QCOMPARE(events[1].kind, search::EventKind::Improved);
    QCOMPARE(events[1].seconds, 0.25);
    QCOMPARE(events[1].evaluations, std::uint64_t{12});
    QCOMPARE(events[1].states, std::uint64_t{11});
    QCOMPARE(events[1].frontier, std::uint64_t{9});
    QCOMPARE(events[1].memoryBytes, std::uint64_t{1} << 40U);
    QCOMPARE(events[1].cost, 6.1);
    QCOMPARE(events[1].pathLength, 4U);
    QCOMPARE(events[1].rule, std::string("inline_let"));
    QVERIFY(!events[1].reason);
    QCOMPARE(events[2].kind, search::EventKind::Finished);
    QCOMPARE(*events[2].reason, search::StopReason::Evaluations);
    QVERIFY(session->runs(ProgramId(2))->empty());
}

void TestSession::removesARunWithItsEvents() {
    Result<Session> session = Session::open(":memory:");
    const StoredRun run = aRun(someProgram(*session));
    const RunId first = *session->beginRun(run);
    QVERIFY(session->appendEvents(first, {progress(1, 1)}).ok());
    QVERIFY(session->removeRun(first).ok());
    QVERIFY(session->events(first)->empty());
    QVERIFY(!session->removeRun(first).ok());
    QVERIFY(!session->appendEvents(first, {progress(1, 1)}).ok());
    QVERIFY(*session->beginRun(run) != first);  // ids are not given out again
}

void TestSession::writesEventsInBatches() {
    Result<Session> session = Session::open(":memory:");
    const RunId run = *session->beginRun(aRun(someProgram(*session)));
    Counter counter;
    {
        RunWriter writer(*session, run, &counter, 0.5);
        writer.onEvent(progress(0.1, 1));
        writer.onEvent(progress(0.4, 2));
        QCOMPARE(session->events(run)->size(), std::size_t{0});
        writer.onEvent(progress(0.5, 3));
        QCOMPARE(session->events(run)->size(), std::size_t{3});
        for (int i = 0; i < 255; ++i) writer.onEvent(progress(0.6, 4));
        QCOMPARE(session->events(run)->size(), std::size_t{3});
        writer.onEvent(progress(0.6, 4));
        QCOMPARE(session->events(run)->size(), std::size_t{259});
        writer.onEvent(progress(0.7, 5));
        search::SearchEvent finished = progress(0.7, 6);
        finished.kind = search::EventKind::Finished;
        writer.onEvent(finished);
        QCOMPARE(session->events(run)->size(), std::size_t{261});
        writer.onEvent(progress(0.8, 7));
    }
    QCOMPARE(session->events(run)->size(), std::size_t{262});  // written when the writer goes
    QCOMPARE(counter.count, 262);

    RunWriter lost(*session, RunId(77), nullptr);
    lost.onEvent(progress(9.0, 1));
    lost.onEvent(progress(18.0, 1));
    QVERIFY(!lost.flush().ok());
}

void TestSession::losesAtMostTheLastBatchWhenKilled() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    WaitingChild child([&path](const auto& waitForTheEnd) {
        Session session = *Session::open(path);
        const RunId run = *session.beginRun(aRun(someProgram(session)));
        RunWriter writer(session, run, nullptr, 0.5);
        for (int i = 1; i <= 1007; ++i) writer.onEvent(progress(i * 0.1, static_cast<std::uint64_t>(i)));
        waitForTheEnd();
    });
    QVERIFY(child.isReady());
    child.kill();

    Result<Session> session = Session::open(path);
    QVERIFY2(session.ok(), messageOf(session).c_str());
    QCOMPARE(session->report().interruptedRuns, 1);
    const StoredRun run = session->runs()->front();
    QCOMPARE(run.status, std::string("interrupted"));
    const std::vector<search::SearchEvent> events = *session->events(run.id);
    QVERIFY2(events.size() >= 1002 && events.size() <= 1007, std::to_string(events.size()).c_str());
    for (std::size_t i = 0; i < events.size(); ++i) QCOMPARE(events[i].evaluations, i + 1);
    QCOMPARE(Session::open(path)->report().interruptedRuns, 0);  // said once
}

void TestSession::leavesRunsOfLivingProcessesAlone() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    WaitingChild child([&path](const auto& waitForTheEnd) {
        Session session = *Session::open(path);
        if (!session.beginRun(aRun(someProgram(session)))) return;
        waitForTheEnd();
    });
    QVERIFY(child.isReady());
    Result<Session> session = Session::open(path);
    QCOMPARE(session->report().interruptedRuns, 0);
    QCOMPARE(session->runs()->front().status, std::string("running"));
    QVERIFY(session->beginRun(aRun(ProgramId(1))).ok());
    child.kill();
    const Result<Session> again = Session::open(path);  // this process lives
    QCOMPARE(again->report().interruptedRuns, 1);
    QCOMPARE(session->runs()->front().status, std::string("interrupted"));
    QCOMPARE(session->runs()->back().status, std::string("running"));
}

void TestSession::twoProcessesWriteOneFile() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    constexpr int Writers = 3;
    constexpr int Batches = 40;
    std::array<pid_t, Writers> children{};
    for (pid_t& child : children) {
        child = fork();
        if (child == 0) {
            Result<Session> session = Session::open(path);  // they race to create it, too
            if (!session) _exit(1);
            const Result<RunId> run = session->beginRun(aRun(someProgram(*session)));
            if (!run) _exit(2);
            for (int i = 0; i < Batches; ++i) {
                if (!session->appendEvents(*run, {progress(i, 1), progress(i, 2)})) _exit(3);
            }
            _exit(session->finishRun(session->runs()->at(run->value - 1)) ? 0 : 4);
        }
    }
    for (const pid_t child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }
    Result<Session> session = Session::open(path);
    const std::vector<StoredRun> runs = *session->runs();
    QCOMPARE(runs.size(), std::size_t{Writers});
    for (const StoredRun& run : runs) {
        QCOMPARE(session->events(run.id)->size(), std::size_t{2 * Batches});
    }
}

/// A limit on the size of files stands for a disk that is full and has room again later.
void TestSession::survivesAFullDisk() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    Result<Session> session = Session::open(path);
    const ProgramId program = someProgram(*session);
    const RunId run = *session->beginRun(aRun(program));
    RunWriter writer(*session, run, nullptr, 0.5);
    writer.onEvent(progress(1.0, 1));

    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
    const rlimit small{static_cast<rlim_t>(256 * 1024), old.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const Result<ProgramId> refused = session->addProgram("large", "", std::string(1'000'000, 'x'));
    const Status copied = session->copyTo(scratch.path("copy.mitos"));
    const rlimit none{static_cast<rlim_t>(0), old.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &none), 0);
    writer.onEvent(progress(2.0, 2));
    const Status lost = writer.flush();
    const Result<Session> unborn = Session::open(scratch.path("new.mitos"));
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &old), 0);
    std::signal(SIGXFSZ, handler);

    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().code, ErrorCode::Io);
    QVERIFY(copied.ok());
    QVERIFY(!lost.ok());
    QCOMPARE(lost.error().code, ErrorCode::Io);
    QVERIFY(!unborn.ok());
    QVERIFY(!QFile::exists(QString::fromStdString(scratch.path("new.mitos"))));
    QCOMPARE(session->programs()->size(), std::size_t{1});
    QCOMPARE(session->addProgram("small", "", "x")->value, 2U);  // still usable
    QVERIFY(!writer.flush().ok());                               // says that something went wrong, and writes the rest
    QCOMPARE(session->events(run)->size(), std::size_t{2});
}

void TestSession::waitsForOtherWriters() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    Result<Session> session = Session::open(path);
    const ProgramId program = someProgram(*session);
    // Sixteen threads with sessions of their own: each waits for the others.
    std::vector<std::thread> threads;
    std::atomic<int> failures = 0;
    for (int i = 0; i < 16; ++i) {
        threads.emplace_back([&] {
            Result<Session> mine = Session::open(path);
            if (!mine || !mine->addProgram("t", "", "x")) ++failures;
        });
    }
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(failures.load(), 0);
    QCOMPARE(session->programs()->size(), std::size_t{17});
    QCOMPARE(session->programs()->front().id, program);
}

void TestSession::writesJson() {
    QCOMPARE(toJson(search::ParameterValues{
                 {"depth", std::int64_t{10}}, {"scale", std::string("l\xff")}, {"x", 0.5}, {"y", true}}),
             std::string("{\"depth\":10,\"scale\":\"l\xEF\xBF\xBD\",\"x\":0.5,\"y\":true}"));
    QCOMPARE(toJson(search::ParameterValues{{"x", std::numeric_limits<double>::quiet_NaN()}}),
             std::string(R"({"x":null})"));
    QCOMPARE(
        toJson(search::Budget{.evaluations = 5, .seconds = std::nullopt, .states = std::nullopt, .memoryBytes = 7}),
        std::string(R"({"evaluations":5,"memory_bytes":7})"));
    QCOMPARE(toJson(search::Budget{}), std::string("{}"));
    QCOMPARE(toJson(search::SearchStatistics{1, 2, 3, 4, 5, 0.5}),
             std::string(R"({"evaluations":1,"expansions":3,"memory_bytes":5,"rewrites":4,"seconds":0.5,"states":2})"));
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
