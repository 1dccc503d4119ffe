// SPDX-License-Identifier: GPL-3.0-or-later
// From a search to a result: judging, keeping what holds, recording; and results that are no programs.
#include "search/parallel.h"
#include "tests/search/comparison_job.h"
#include "tests/search/graph_world.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_outcome.h"

#include <QObject>
#include <QTest>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tst_judged_run {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

/// The calls that a record received, in order.
struct Told {
    std::vector<std::string> calls;
    std::size_t events = 0;
    Run finished;
    bool fails = false;
};

class TellingRecord final : public RunLog, Observer {
public:
    TellingRecord(Told& told, Observer* next) : m_told(told), m_next(next) { m_told.calls.emplace_back("begin"); }
    [[nodiscard]] RunId id() const override { return RunId(7); }
    [[nodiscard]] Observer& observer() override { return *this; }
    [[nodiscard]] Status flush() override {
        m_told.calls.emplace_back("flush");
        if (m_told.fails) return Error{ErrorCode::Io, "the disk is full"};
        return Success{};
    }
    [[nodiscard]] Status finish(Run run) override {
        m_told.calls.emplace_back("finish");
        m_told.finished = std::move(run);
        return Success{};
    }

private:
    void onEvent(const SearchEvent& event) override {
        ++m_told.events;
        m_next->onEvent(event);
    }

    Told& m_told;
    Observer* m_next;
};

BeginLog recordIn(Told& told) {
    return [&told](const Run& /*run*/, Observer* next) -> Result<std::unique_ptr<RunLog>> {
        return std::unique_ptr<RunLog>(std::make_unique<TellingRecord>(told, next));
    };
}

/// One of the paper's expressions.
struct Subject {
    ComparisonJob job{{First}};

    [[nodiscard]] SearchTask task(std::shared_ptr<const Strategy> strategy) const {
        const ComparisonPlan::Subject& subject = job.plan.programs.front();
        SearchTask task{.strategy = std::move(strategy),
                        .problem = {*subject.bank,
                                    subject.program,
                                    job.plan.rules.directions,
                                    job.plan.cost,
                                    job.plan.budgets.back(),
                                    1,
                                    {}},
                        .judging = {.rules = std::make_shared<const eval::TrustedRules>(job.plan.rules)}};
        task.run = requestedRun(task.strategy->info().name, task.problem, "ks-simple");
        return task;
    }
};

std::shared_ptr<const eval::TrustedRules> insisting(bool insists) {
    eval::TrustedRules rules;
    rules.insisted = insists;
    return std::make_shared<const eval::TrustedRules>(std::move(rules));
}

}  // namespace

class TestJudgedRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aResultHasItsVerdictAndIsRecorded();
    void aRecordThatFailsDoesNotEndTheSearch();
    void aSearchThatFailsIsRecordedAsFailed();
    void whatHasOtherValuesIsLeftOut_data();
    void whatHasOtherValuesIsLeftOut();
    void timeForComparingIsPartOfTheSearch();
    void whatIsAbandonedIsNotCompared();
    void anOutcomeIsJudgedByItsChecker();
    void anOutcomeThatIsNotValidIsLeftOut();
    void outcomesAreComparedAndReported();
    void verdictsOnOutcomesComeBack();
};

void TestJudgedRun::aResultHasItsVerdictAndIsRecorded() {
    const Subject subject;
    Told told;
    SearchTask task = subject.task(*findStrategy("astar"));
    task.record = recordIn(told);
    Recorder seen;
    const JudgedRun over = runJudged(task, {}, seen);
    QVERIFY(over.result && !over.error && !over.refused && over.isRecorded());
    QVERIFY(over.run.verdict->isGood());
    QCOMPARE(over.run.verdict->steps, over.result->thread.steps.size());
    QVERIFY(over.run.bestCost < over.run.initialCost);
    QCOMPARE(over.run.bestCost, over.result->costs.back());
    QVERIFY(over.run.thread.find("verdict: " + over.run.verdict->toString()) != std::string::npos);
    QCOMPARE(told.calls, (std::vector<std::string>{"begin", "flush", "finish"}));
    QCOMPARE(told.events, seen.events.size());
    QCOMPARE(told.finished.verdict->toString(), over.run.verdict->toString());
    QCOMPARE(over.run.id, RunId(7));
}

void TestJudgedRun::aRecordThatFailsDoesNotEndTheSearch() {
    const Subject subject;
    Told told;
    told.fails = true;
    SearchTask task = subject.task(*findStrategy("astar"));
    task.record = recordIn(told);
    Recorder seen;
    const JudgedRun over = runJudged(task, {}, seen);
    QVERIFY(over.result && over.run.verdict->isGood() && !over.isRecorded());
    QCOMPARE(over.recordError->message, std::string("the disk is full"));
    task.record = [](const Run&, Observer*) -> Result<std::unique_ptr<RunLog>> {
        return Error{ErrorCode::Io, "no such folder"};
    };
    const JudgedRun unrecorded = runJudged(task, {}, seen);
    QVERIFY(unrecorded.result && !unrecorded.isRecorded());
    QCOMPARE(unrecorded.recordError->message, std::string("no such folder"));
}

void TestJudgedRun::aSearchThatFailsIsRecordedAsFailed() {
    const Subject subject;
    Told told;
    SearchTask task = subject.task(*findStrategy("astar"));
    task.problem.parameters["depth"] = std::string("not a number");
    task.record = recordIn(told);
    Recorder seen;
    const JudgedRun over = runJudged(task, {}, seen);
    QVERIFY(!over.result && over.error);
    QCOMPARE(told.finished.state, RunState::Failed);
    QCOMPARE(told.finished.stop, over.error->oneLine());
}

void TestJudgedRun::whatHasOtherValuesIsLeftOut_data() {
    QTest::addColumn<bool>("insists");
    QTest::newRow("left out") << false;
    QTest::newRow("kept by who insists") << true;
}

/// An edge between numbers does not keep the value.
void TestJudgedRun::whatHasOtherValuesIsLeftOut() {
    QFETCH(bool, insists);
    const GraphWorld world(
        5, [](std::int64_t n) -> std::vector<std::int64_t> { return {n - 1}; },
        [](std::int64_t n) { return n < 0 ? 100.0 : static_cast<double>(n); });
    Budget budget;
    budget.evaluations = 20;
    SearchTask task{.strategy = *findStrategy("greedy"),
                    .problem = world.problem(budget),
                    .judging = {.rules = insisting(insists)}};
    Recorder seen;
    const JudgedRun over = runJudged(task, {}, seen);
    QVERIFY(over.result);
    QCOMPARE(over.run.initialCost, 5.0);
    if (insists) {
        QVERIFY(!over.refused && over.run.verdict->isRefuted());
        QCOMPARE(over.run.bestCost, 0.0);
        QCOMPARE(over.result->thread.steps.size(), std::size_t(5));
        return;
    }
    QVERIFY(over.run.verdict->isGood());
    QCOMPARE(over.run.bestCost, 5.0);
    QVERIFY(over.result->thread.steps.empty());
    QCOMPARE(over.refused->cost, 0.0);
    QCOMPARE(over.refused->verdict.values, rewrite::Values::Different);
}

void TestJudgedRun::timeForComparingIsPartOfTheSearch() {
    const auto left = [](double seconds, bool isPart, std::optional<double> limit, double spent) {
        Judging judging{.seconds = seconds, .isPartOfSearch = isPart};
        judging.limitTo(limit, spent);
        return judging.seconds;
    };
    QCOMPARE(left(120.0, false, 2.0, 2.0), 120.0);
    QCOMPARE(left(120.0, true, {}, 2.0), 120.0);
    QCOMPARE(left(120.0, true, 20.0, 5.0), 17.0);
    QCOMPARE(left(120.0, true, 20.0, 20.0), 2.0);
    QCOMPARE(left(120.0, true, 20.0, 30.0), 1.0);
    QCOMPARE(left(1.0, true, 20.0, 5.0), 1.0);
}

/// After a stop values are still compared, in a shorter time, until the user does not wait for that either.
void TestJudgedRun::whatIsAbandonedIsNotCompared() {
    std::stop_source stop;
    std::stop_source abandoned;
    const Judging judging{.abandoned = abandoned.get_token()};
    QCOMPARE(judging.options(1, stop.get_token()).sampling.seconds, judging.seconds);
    stop.request_stop();
    QVERIFY(!judging.options(1, stop.get_token()).sampling.limits.stop.stop_requested());
    QVERIFY(judging.options(1, stop.get_token()).sampling.seconds < judging.seconds);
    abandoned.request_stop();
    QVERIFY(judging.options(1, stop.get_token()).sampling.limits.stop.stop_requested());
}

void TestJudgedRun::anOutcomeIsJudgedByItsChecker() {
    const Subject subject;
    Told told;
    SearchTask task = subject.task(std::make_shared<tests::OrderStrategy>());
    task.record = recordIn(told);
    Recorder seen;
    const JudgedRun over = runJudged(task, {}, seen);
    QVERIFY(over.result && over.result->outcome && !over.refused);
    QCOMPARE(over.run.verdict->toString(), std::string("order checked"));
    QVERIFY(over.run.verdict->isGood());
    QCOMPARE(over.run.bestCost, 1.0);
    QCOMPARE(told.finished.outcomeKind, std::string("order"));
    QCOMPARE(told.finished.outcomeSummary, std::string("9 nodes"));
    QCOMPARE(told.finished.outcome, std::string("order 8 7 6 5 4 3 2 1 0"));
}

void TestJudgedRun::anOutcomeThatIsNotValidIsLeftOut() {
    const Subject subject;
    SearchTask task = subject.task(std::make_shared<tests::OrderStrategy>(2));
    Recorder seen;
    const JudgedRun over = runJudged(task, {}, seen);
    QVERIFY(over.result && !over.result->outcome);
    QCOMPARE(over.refused->verdict.toString(), std::string("order NOT VALID: 7 of 9 nodes"));
    QCOMPARE(over.refused->cost, 1.0);
    QVERIFY(over.refused->verdict.isRefuted() && !over.run.verdict->isRefuted());
    QCOMPARE(over.run.bestCost, over.run.initialCost);
    QVERIFY(over.run.outcomeKind.empty());
    task.judging.rules = insisting(true);
    const JudgedRun kept = runJudged(task, {}, seen);
    QVERIFY(kept.run.verdict->isRefuted() && !kept.refused);
    QCOMPARE(kept.run.bestCost, 1.0);
}

void TestJudgedRun::outcomesAreComparedAndReported() {
    ComparisonJob job({First, Fourth});
    job.plan.strategies = {{*findStrategy("astar"), {}}, {std::make_shared<tests::OrderStrategy>(), {}}};
    job.plan.seeds = {1};
    job.plan.budgets.resize(1);
    const Result<Comparison> comparison = compare(job.plan, {});
    QVERIFY(comparison.ok());
    QCOMPARE(comparison->runs.size(), std::size_t(4));
    const ComparedRun& order = comparison->run(0, 1, 0, 0);
    QVERIFY(order.done() && order.run.verdict->isGood());
    QCOMPARE(order.best, std::string("order 8 7 6 5 4 3 2 1 0"));
    const std::string page = job.report(*comparison);
    QVERIFY(page.find("<b>order</b>: 9 nodes") != std::string::npos);
    QVERIFY(page.find("order 8 7 6 5 4 3 2 1 0") != std::string::npos);
    QVERIFY(page.find("order checked") != std::string::npos);
    const std::vector<TableRun> runs = tableRunsOf(*comparison);
    const std::string csv = writeTable(groupedRuns(runs), TableFormat::Csv, "units", {});
    QVERIFY(csv.find(",order: 9 nodes,") != std::string::npos);
}

void TestJudgedRun::verdictsOnOutcomesComeBack() {
    rewrite::Verdict verdict;
    verdict.isThreadChecked = true;
    verdict.values = rewrite::Values::Same;
    verdict.outcome = {"schedule", "two nodes at one time on device 1"};
    const auto read = rewrite::verdictFromJson(rewrite::toJson(verdict));
    QVERIFY(read.has_value());
    QCOMPARE(read->outcome, verdict.outcome);
    QVERIFY(read->isRefuted() && !read->isGood());
    QCOMPARE(read->toString(), std::string("schedule NOT VALID: two nodes at one time on device 1"));
}

MITOS_TEST(TestJudgedRun)

}  // namespace tst_judged_run

#include "tst_judged_run.moc"
