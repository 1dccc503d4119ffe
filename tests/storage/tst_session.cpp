// SPDX-License-Identifier: GPL-3.0-or-later
// Everything kept in a session comes back as it was.
#include "core/dialects/dialects.h"
#include "core/rewrite/stated_thread.h"
#include "storage/session_summary.h"
#include "tests/storage/scratch.h"
#include "tests/support/test_program.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QObject>
#include <cmath>
#include <limits>

namespace tst_session {

using namespace mitos;
using namespace mitos::storage;
using namespace mitos::storage::test;

namespace {

class Counter final : public search::Observer {
public:
    void onEvent(const search::SearchEvent&) override { ++count; }
    int count = 0;
};

}  // namespace

class TestSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsProgramsAndValues();
    void keepsHistoryStates();
    void refusesStatesThatDoNotFit();
    void keepsRunsAndTheirEvents();
    void keepsEventsOfAnyKind();
    void removesARunWithItsEvents();
    void runsKeepTheirNumbers();
    void writesEventsInBatches();
    void keepsWhatIsAskedOfARun();
    void keepsVerdicts();
    void keepsOutcomes();
    void keepsTrainings();
    void seesThatRunsWereChanged_data();
    void seesThatRunsWereChanged();
    void tellsWhoseVerdictItIs();
};

/// Searches that run side by side are stored in the order in which they begin to write.
void TestSession::runsKeepTheirNumbers() {
    const Scratch scratch;
    Result<Session> session = Session::open(scratch.path("a.mitos"));
    const ProgramId program = someProgram(*session);
    const auto store = [&](int number, ProgramId of) {
        Run run = aRun(of);
        run.number = number;
        return *session->beginRun(run);
    };
    const RunId third = store(3, program);
    const RunId first = store(1, program);
    const RunId unnumbered = store(0, program);
    const RunId taken = store(3, program);
    const RunId elsewhere = store(1, someProgram(*session));
    std::vector<std::pair<RunId, int>> found;
    const Result<std::vector<Run>> runs = session->runs();
    for (const Run& run : *runs) found.emplace_back(run.id, run.number);
    QVERIFY((found ==
             std::vector<std::pair<RunId, int>>{{first, 1}, {third, 3}, {unnumbered, 4}, {taken, 5}, {elsewhere, 1}}));
}

/// Results that are no programs.
void TestSession::keepsOutcomes() {
    const Scratch scratch;
    Result<Session> session = Session::open(scratch.path("a.mitos"));
    Run run = aRun(someProgram(*session));
    run.id = *session->beginRun(run);
    run.bestCost = 1.0;
    run.outcomeKind = "order";
    run.outcomeSummary = "3 nodes";
    run.outcome = "order 2 1 0";
    run.verdict = rewrite::Verdict();
    run.verdict->isThreadChecked = true;
    run.verdict->outcome = {"order", ""};
    QVERIFY(session->finishRun(run).ok());
    const Run read = session->runs()->front();
    QCOMPARE(read.bestCost, 1.0);
    QCOMPARE(read.outcomeKind, run.outcomeKind);
    QCOMPARE(read.outcomeSummary, run.outcomeSummary);
    QCOMPARE(read.outcome, run.outcome);
    QCOMPARE(read.verdict->toString(), std::string("order checked"));
    QCOMPARE(read.integrity, search::Integrity::Intact);
}

/// The costs are those of the program, the curve is in the events, and the seal covers it.
void TestSession::keepsTrainings() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    const search::CurvePoint first{.seconds = 0.5};
    const search::CurvePoint second{.step = 10,
                                    .seconds = 2.5,
                                    .improvement = 0.0231,
                                    .better = 9,
                                    .worse = 1,
                                    .reward = -0.97,
                                    .entropy = 2.908461140827987};
    {
        Result<Session> session = Session::open(path);
        Run run = aRun(someProgram(*session));
        run.strategy = "train-policy";
        run.bestCost = run.initialCost;
        run.id = *session->beginRun(run);
        const auto event = [&](const search::EventBody& what) {
            return search::SearchEvent{.what = what, .cost = run.initialCost, .best = run.initialCost};
        };
        QVERIFY(session
                    ->appendEvents(run.id, {event(search::Started{}), event(search::Validated{first, 40}),
                                            event(search::Validated{second, 40}),
                                            event(search::Finished{search::StopReason::Iterations})})
                    .ok());
        run.outcomeKind = "model";
        run.outcomeSummary = "a.model, +2.31 % at step 10; 9 better, 1 worse";
        run.outcome = R"({"file":"/tmp/a.model"})";
        run.verdict = rewrite::Verdict();
        run.verdict->outcome = {"model", ""};
        QVERIFY(session->finishRun(run).ok());
    }
    const auto stored = [&] { return Session::open(path)->runs()->front(); };
    const Run read = stored();
    QCOMPARE(read.bestCost, read.initialCost);
    QCOMPARE(read.outcomeKind, std::string("model"));
    QCOMPARE(read.outcome, std::string(R"({"file":"/tmp/a.model"})"));
    QCOMPARE(read.integrity, Integrity::Intact);
    const std::vector<search::SearchEvent> events = *Session::open(path)->events(read.id);
    QVERIFY((search::learningCurveIn(events) == std::vector<search::CurvePoint>{first, second}));
    QCOMPARE(events[1].as<search::Validated>()->graphs, std::uint32_t{40});
    // It is no search that found nothing.
    const Result<SessionSummary> summary = summaryOf(path);
    QCOMPARE(summary->runs, std::size_t{1});
    QCOMPARE(summary->strategies, std::vector<std::string>{"train-policy"});
    QVERIFY(summary->bestStrategy.empty() && summary->curve.empty());
    SQLite::Database(path, SQLite::OPEN_READWRITE)
        .exec("UPDATE events SET json = json_set(json, '$.improvement', 0.5) WHERE kind = 'validated'");
    QCOMPARE(stored().integrity, Integrity::Changed);
}

/// Of results of this version, and of those that earlier ones stored.
void TestSession::keepsVerdicts() {
    rewrite::Verdict verdict;
    verdict.steps = verdict.stepsChecked = 6;
    verdict.isThreadChecked = true;
    verdict.values = rewrite::Values::Same;
    verdict.inputs = 24;
    verdict.maxDeviation = 3e-16;
    verdict.rules = {{rewrite::RuleRemark::Kind::RealOnly, "associate_add", {}}};
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    Result<Session> session = Session::open(path);
    Run run = aRun(someProgram(*session));
    run.id = *session->beginRun(run);
    run.threadChecked = true;
    run.statistics.evaluations = 12;
    run.verdict = verdict;
    run.judgedRules = 0xab;
    QVERIFY(session->finishRun(run).ok());
    const auto stored = [&] { return session->runs()->front(); };
    QVERIFY(stored().verdict && stored().verdict->isGood());
    QCOMPARE(stored().judgedRules, std::uint64_t{0xab});
    QCOMPARE(stored().statistics.evaluations, std::uint64_t{12});
    QCOMPARE(stored().verdict->toString(),
             std::string("6 of 6 steps checked; same values on 24 random inputs (largest difference 3e-16); real-only: "
                         "associate_add"));
    const auto write = [&](const char* statistics) {
        SQLite::Database database(path, SQLite::OPEN_READWRITE);
        SQLite::Statement update(database, "UPDATE runs SET statistics = ?");
        update.bind(1, statistics);
        update.exec();
    };
    write(R"({"evaluations":12})");
    QVERIFY(!stored().verdict);
    write(R"({"equivalent":false,"counterexample":"x = 1","equivalent_samples":3})");
    QVERIFY(stored().verdict->isRefuted() && stored().verdict->counterexample == "x = 1");
    QCOMPARE(stored().verdict->inputs, 3);
    write(R"({"equivalent":null,"equivalent_note":"stopped"})");
    QVERIFY(!stored().verdict->isRefuted() && !stored().verdict->isGood());
    // The run can be read whatever another program wrote there.
    for (const char* const strange : {"", "[]", "{", "null", R"({"evaluations":-1,"seconds":"x","verdict":7})",
                                      R"({"rules_failed":[1,{"name":2}],"result_state":1e300,"part":[]})"}) {
        write(strange);
        QCOMPARE(stored().strategy, std::string("astar"));
        QCOMPARE(stored().statistics.evaluations, std::uint64_t{0});
        QVERIFY(!stored().resultState.isValid());
    }
    write(R"({"rules_failed":[{"name":"zero","set":"my","counterexample":"x = 1","left_out":true}],"result_state":4})");
    QCOMPARE(stored().failedRules.size(), std::size_t{1});
    QCOMPARE(stored().failedRules.front().name, std::string("zero"));
    QVERIFY(!stored().appliesFailedRules);
    QCOMPARE(stored().resultState, rewrite::StateId(4));
}

void TestSession::seesThatRunsWereChanged_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<int>("integrity");
    const auto row = [](const char* name, const char* change, Integrity integrity) {
        QTest::newRow(name) << QString::fromLatin1(change) << static_cast<int>(integrity);
    };
    row("nothing", "SELECT 1", Integrity::Intact);
    row("nothing that counts", "UPDATE session_values SET value = 'other'", Integrity::Intact);
    row("a cost", "UPDATE runs SET best_cost = 1.0", Integrity::Changed);
    row("a cost by very little", "UPDATE runs SET best_cost = best_cost + 1e-15", Integrity::Changed);
    row("the thread", "UPDATE runs SET thread = thread || ' '", Integrity::Changed);
    row("statistics", "UPDATE runs SET statistics = '{}'", Integrity::Changed);
    row("an event", "UPDATE events SET json = json_set(json, '$.best', 0.5) WHERE number = 1", Integrity::Changed);
    row("an event less", "DELETE FROM events WHERE number = 1", Integrity::Changed);
    row("the program", "UPDATE programs SET text = '(def f Float ((x : Float)) x)'", Integrity::Changed);
    row("the seal of an earlier version", "UPDATE runs SET seal = ''", Integrity::Unknown);
}

void TestSession::seesThatRunsWereChanged() {
    QFETCH(QString, change);
    QFETCH(int, integrity);
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    {
        Result<Session> session = Session::open(path);
        QVERIFY(session->setValue("current-state", "1").ok());
        Run run = aRun(someProgram(*session));
        run.id = *session->beginRun(run);
        QCOMPARE(session->runs()->front().integrity, Integrity::Unknown);
        QVERIFY(session->appendEvents(run.id, {progress(0.1, 1), progress(0.2, 2)}).ok());
        run.bestCost = 0.1;
        run.thread = "thread text";
        run.statistics.evaluations = 12;
        QVERIFY(session->finishRun(run).ok());
        QCOMPARE(session->runs()->front().integrity, Integrity::Intact);
    }
    SQLite::Database(path, SQLite::OPEN_READWRITE).exec(change.toStdString());
    QCOMPARE(static_cast<int>(Session::open(path)->runs()->front().integrity), integrity);
}

/// A verdict counts for the ends of its thread, under the rules as they were.
void TestSession::tellsWhoseVerdictItIs() {
    const auto bookOf = [](const char* text) {
        const Scratch scratch;
        const std::string path = scratch.path("my.rules");
        writeBytes(path, text);
        return *rules::RuleBook::load(path, dialects::makeRegistry());
    };
    const rules::RuleBook rules = bookOf("use ks\nrule one [exact]: a * 1.0 => a\nrule zero: a + 0.0 => a\n");
    Run run;
    run.integrity = Integrity::Intact;
    run.thread =
        "mitos-thread 1\nsteps 1\nstart  cost 2  state 00000000000000aa\nprogram\n(mul x 1.0)\nend program\n"
        "1. one at / #1  cost 0  state 00000000000000bb\nend\n";
    const Result<rewrite::StatedThread> thread = rewrite::statedThread(SourceText("t", run.thread));
    QVERIFY2(thread.ok(), messageOf(thread).c_str());
    run.verdict.emplace();
    run.judgedRules = *rewrite::rulesHash(*thread, rules);
    QVERIFY(isVerdictOf(run, 0xaa, 0xbb, rules));
    QVERIFY(!isVerdictOf(run, 0xab, 0xbb, rules));
    QVERIFY(!isVerdictOf(run, 0xaa, 0xaa, rules));
    // A rule that the thread does not use may change, and its place; one that it uses may not.
    QVERIFY(isVerdictOf(run, 0xaa, 0xbb, bookOf("use ks\n# Other.\nrule one [exact]: a * 1.0 => a\n")));
    QVERIFY(!isVerdictOf(run, 0xaa, 0xbb, bookOf("use ks\nrule one [real-only]: a * 1.0 => a\n")));
    QVERIFY(!isVerdictOf(run, 0xaa, 0xbb, bookOf("use ks\nrule other: a * 1.0 => a\n")));
    for (const Integrity integrity : {Integrity::Unknown, Integrity::Changed}) {
        Run other = run;
        other.integrity = integrity;
        QVERIFY(!isVerdictOf(other, 0xaa, 0xbb, rules));
    }
    run.verdict.reset();
    QVERIFY(!isVerdictOf(run, 0xaa, 0xbb, rules));
}

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
                            .marks = {.name = "start", .note = {}}};
    const StoredState second{.id = 1,
                             .parent = 0,
                             .rule = "distribute~",
                             .position = "/0/2",
                             .substitution = "x=./0 y=./1",
                             .hash = 17,
                             .cost = std::numeric_limits<double>::quiet_NaN(),
                             .origin = "astar #3",
                             .marks = {}};
    const StoredState third{.id = 2,
                            .parent = 0,
                            .rule = "commute_add",
                            .position = "/",
                            .match = 0,
                            .hash = 18,
                            .cost = std::numeric_limits<double>::infinity(),
                            .origin = {},
                            .marks = {}};
    const rewrite::Marks marks{.name = "after distributing", .note = "two\nlines", .pinned = true, .color = 7};
    {
        Result<Session> session = Session::open(path);
        const ProgramId program = someProgram(*session);
        QVERIFY(session->addStates(program, {start}).ok());
        QVERIFY(session->addStates(program, {second, third}).ok());
        QVERIFY(session->markState(program, 1, marks).ok());
    }
    Result<Session> session = Session::open(path);
    const std::vector<StoredState> states = *session->states(ProgramId(1));
    QCOMPARE(states.size(), std::size_t{3});
    QVERIFY(!states[0].parent);
    QCOMPARE(states[0].hash, std::uint64_t{0x8000000000000001ULL});
    QCOMPARE(states[0].cost, 7160405.25);
    QCOMPARE(states[0].marks.name, std::string("start"));
    QCOMPARE(*states[1].parent, 0U);
    QCOMPARE(states[1].rule, std::string("distribute~"));
    QCOMPARE(states[1].position, std::string("/0/2"));
    QVERIFY(!states[0].substitution);
    QCOMPARE(states[1].substitution.value_or(""), std::string("x=./0 y=./1"));
    QVERIFY(std::isnan(states[1].cost));
    QCOMPARE(states[1].origin, std::string("astar #3"));
    QVERIFY(states[1].marks == marks);
    QVERIFY(std::isinf(states[2].cost));
    QVERIFY(session->states(ProgramId(99))->empty());
}

void TestSession::refusesStatesThatDoNotFit() {
    Result<Session> session = Session::open(":memory:");
    const ProgramId program = someProgram(*session);
    QVERIFY(session
                ->addStates(program,
                            {{.id = 0, .parent = std::nullopt, .rule = {}, .position = {}, .origin = {}, .marks = {}}})
                .ok());
    const StoredState orphan{.id = 1, .parent = 7, .rule = "r", .position = "/", .origin = {}, .marks = {}};
    QVERIFY(!session->addStates(program, {orphan}).ok());
    const StoredState twice{.id = 0, .parent = std::nullopt, .rule = {}, .position = {}, .origin = {}, .marks = {}};
    QVERIFY(!session->addStates(program, {twice}).ok());
    QVERIFY(!session->addStates(ProgramId(9), {twice}).ok());
    QVERIFY(!session->markState(program, 5, {}).ok());
    QCOMPARE(session->states(program)->size(), std::size_t{1});
}

void TestSession::keepsRunsAndTheirEvents() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    search::SearchEvent improved;
    improved.what = search::Improved{"inline_let"};
    improved.seconds = 0.25;
    improved.evaluations = 12;
    improved.states = 11;
    improved.frontier = 9;
    improved.memoryBytes = 1ULL << 40U;
    improved.cost = 6.1;
    improved.best = 6.1;
    improved.pathLength = 4;
    search::SearchEvent finished;
    finished.what = search::Finished{search::StopReason::Evaluations};
    {
        Result<Session> session = Session::open(path);
        Run run = aRun(someProgram(*session));
        run.id = *session->beginRun(run);
        QCOMPARE(session->runs()->front().state, search::RunState::Running);
        QVERIFY(session->appendEvents(run.id, {search::SearchEvent{.what = search::Started{}}}).ok());
        QVERIFY(session->appendEvents(run.id, {improved, finished}).ok());
        run.stop = "evaluations";
        run.bestCost = 6.1;
        run.threadChecked = true;
        run.thread = "thread text";
        run.statistics.evaluations = 12;
        QVERIFY(session->finishRun(run).ok());
    }
    Result<Session> session = Session::open(path);
    QCOMPARE(session->report().interruptedRuns, 0);
    const std::vector<Run> runs = *session->runs(ProgramId(1));
    QCOMPARE(runs.size(), std::size_t{1});
    const Run& run = runs.front();
    QCOMPARE(run.state, search::RunState::Finished);
    QCOMPARE(run.startState, 2U);
    QCOMPARE(run.strategy, std::string("astar"));
    QVERIFY(run.parameters == aRun(ProgramId(1)).parameters);
    QCOMPARE(run.rules, std::string("ks-simple"));
    QCOMPARE(run.costModel, std::string("ks-2021"));
    QVERIFY(run.budget == aRun(ProgramId(1)).budget);
    QCOMPARE(run.seed, std::uint64_t{0xFFFFFFFFFFFFFFFFULL});
    QCOMPARE(run.startedAt, std::string("2026-11-20T12:00:00Z"));
    QCOMPARE(run.stop, std::string("evaluations"));
    QCOMPARE(run.initialCost, 7.0);
    QCOMPARE(run.bestCost, 6.1);
    QVERIFY(run.threadChecked);
    QCOMPARE(run.thread, std::string("thread text"));
    QCOMPARE(run.statistics.evaluations, std::uint64_t{12});

    const std::vector<search::SearchEvent> events = *session->events(run.id);
    QCOMPARE(events.size(), std::size_t{3});
    QVERIFY(events[0].is<search::Started>());
    QVERIFY(events[1].is<search::Improved>());
    QCOMPARE(events[1].seconds, 0.25);
    QCOMPARE(events[1].evaluations, std::uint64_t{12});
    QCOMPARE(events[1].states, std::uint64_t{11});
    QCOMPARE(events[1].frontier, std::uint64_t{9});
    QCOMPARE(events[1].memoryBytes, std::uint64_t{1} << 40U);
    QCOMPARE(events[1].cost, 6.1);
    QCOMPARE(events[1].pathLength, 4U);
    QCOMPARE(events[1].as<search::Improved>()->rule, std::string("inline_let"));
    QVERIFY(events[2].is<search::Finished>());
    QCOMPARE(events[2].as<search::Finished>()->reason, search::StopReason::Evaluations);
    QVERIFY(session->runs(ProgramId(2))->empty());
}

void TestSession::keepsEventsOfAnyKind() {
    egraph::SaturationReport begun;
    begun.rules = {"one", "two", "three"};
    begun.startNodes = 3;
    begun.startClasses = 2;
    begun.startCost = 7.5;
    egraph::IterationReport grown;
    grown.nodes = 9;
    grown.classes = 4;
    grown.filtered = 1;
    grown.bytes = 1ULL << 40U;
    grown.searchSeconds = 0.125;
    grown.applySeconds = 0.25;
    grown.rebuildSeconds = 0.1;
    grown.rules = {{.matches = 5, .applied = 4, .nodes = 3, .refused = 2, .seconds = 0.1, .banned = true, .gain = 1.5},
                   {},
                   {.matches = 1}};
    grown.cost = 6.0;
    grown.gain = 1.5;
    search::GuideTree tree;
    tree.nodes = {{.visits = 9, .value = 0.25, .cost = 100.0, .enodes = 40},
                  {.rule = 2, .visits = 8, .value = 0.5, .cost = 90.0, .enodes = 45, .isFull = true},
                  {.parent = 1, .rule = 1, .visits = 1, .cost = 80.0, .enodes = 46, .isSaturated = true}};
    tree.chosen = 1;
    tree.leftOut = 7;
    using search::SearchEvent;
    const std::vector<SearchEvent> events{
        {.what = search::GrowthStarted{begun}, .best = std::numeric_limits<double>::infinity()},
        {.what = search::Iteration{}, .part = "saturation"},
        {.what = search::Restarted{{.rule = "two", .reason = "0.0 and 1.0 became equal"}}},
        {.what = search::Iteration{grown}},
        {.what = search::GrowthEnded{egraph::StopReason::Nodes, "detail", "gain detail"}},
        {.what = search::RuleChosen{tree}}};
    Result<Session> session = Session::open(":memory:");
    const RunId run = *session->beginRun(aRun(someProgram(*session)));
    QVERIFY(session->appendEvents(run, events).ok());
    const std::vector<SearchEvent> read = *session->events(run);
    QCOMPARE(read.size(), events.size());
    QVERIFY(std::isinf(read[0].best));
    QCOMPARE(read[1].part, std::string("saturation"));
    QVERIFY(read.back().as<search::RuleChosen>() != nullptr);
    QVERIFY(read.back().as<search::RuleChosen>()->tree == tree);
    const std::optional<egraph::SaturationReport> report = search::growthIn(read);
    QVERIFY(report.has_value());
    QCOMPARE(report->rules, begun.rules);
    QCOMPARE(report->startNodes, std::uint64_t{3});
    QCOMPARE(report->startClasses, std::uint64_t{2});
    QCOMPARE(report->startCost, std::optional(7.5));
    QCOMPARE(report->leftOut.size(), std::size_t{1});
    QCOMPARE(report->leftOut[0].rule, std::string("two"));
    QCOMPARE(report->leftOut[0].reason, std::string("0.0 and 1.0 became equal"));
    QCOMPARE(report->stop, egraph::StopReason::Nodes);
    QCOMPARE(report->detail, std::string("detail"));
    QCOMPARE(report->gainDetail, std::string("gain detail"));
    QCOMPARE(report->iterations.size(), std::size_t{1});  // since the restart
    const egraph::IterationReport& last = report->iterations[0];
    QCOMPARE(last.nodes, std::uint64_t{9});
    QCOMPARE(last.classes, std::uint64_t{4});
    QCOMPARE(last.filtered, std::uint64_t{1});
    QCOMPARE(last.bytes, std::uint64_t{1} << 40U);
    QCOMPARE(last.seconds(), 0.475);
    QCOMPARE(last.cost, std::optional(6.0));
    QCOMPARE(last.gain, std::optional(1.5));
    QCOMPARE(last.rules.size(), std::size_t{3});
    QCOMPARE(last.rules[0].matches, std::uint64_t{5});
    QCOMPARE(last.rules[0].applied, std::uint64_t{4});
    QCOMPARE(last.rules[0].nodes, std::uint64_t{3});
    QCOMPARE(last.rules[0].refused, std::uint64_t{2});
    QVERIFY(last.rules[0].banned && !last.rules[2].banned);
    QCOMPARE(last.rules[0].gain, 1.5);
    QCOMPARE(last.rules[2].matches, std::uint64_t{1});
    QVERIFY(!search::eventFromJson("of a later version", "{}"));
    QVERIFY(!search::eventFromJson("progress", "{}"));
    QVERIFY(!search::eventFromJson("progress", "no JSON"));
}

void TestSession::removesARunWithItsEvents() {
    Result<Session> session = Session::open(":memory:");
    const Run run = aRun(someProgram(*session));
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
        finished.what = search::Finished{};
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

void TestSession::keepsWhatIsAskedOfARun() {
    const Scratch scratch;
    const std::string path = scratch.path("a.mitos");
    Result<Session> session = Session::open(path);
    Run run = aRun(someProgram(*session));
    run.parameters = {{"depth", std::int64_t{10}},
                      {"nan", std::numeric_limits<double>::quiet_NaN()},
                      {"scale", std::string("l\xff")},
                      {"x", 2.0},
                      {"y", true}};
    run.budget = {.evaluations = 5, .seconds = std::nullopt, .states = std::nullopt, .memoryBytes = 7};
    QVERIFY(session->beginRun(run).ok());
    SQLite::Database database(path, SQLite::OPEN_READWRITE);
    const auto column = [&](const char* name) {
        return database.execAndGet(std::string("SELECT ") + name + " FROM runs").getString();
    };
    QCOMPARE(column("parameters"),
             std::string("{\"depth\":10,\"nan\":null,\"scale\":\"l\xEF\xBF\xBD\",\"x\":2.0,\"y\":true}"));
    QCOMPARE(column("budget"), std::string(R"({"evaluations":5,"memory_bytes":7})"));
    const Run read = session->runs()->front();
    QVERIFY(read.parameters ==
            (ParameterValues{
                {"depth", std::int64_t{10}}, {"scale", std::string("l\xEF\xBF\xBD")}, {"x", 2.0}, {"y", true}}));
    QVERIFY(read.budget == run.budget);
    // What another program wrote there is left out where it is no value.
    for (const char* text : {"", "[1]", "{", R"({"evaluations":-5,"seconds":"long","depth":[1],"x":null})"}) {
        SQLite::Statement change(database, "UPDATE runs SET parameters = ?1, budget = ?1");
        change.bind(1, text);
        change.exec();
        const Run changed = session->runs()->front();
        QVERIFY(changed.budget == search::Budget());
        QVERIFY(!changed.parameters.contains("depth") && !changed.parameters.contains("x"));
    }
}

MITOS_TEST(TestSession)

}  // namespace tst_session

#include "tst_session.moc"
