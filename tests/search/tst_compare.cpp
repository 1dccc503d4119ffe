// SPDX-License-Identifier: GPL-3.0-or-later
// Searches side by side: the parallel runner, comparisons as data, their summaries, the report.
#include "core/rewrite/stated_thread.h"
#include "search/compare/alignment.h"
#include "search/compare/run_table.h"
#include "search/parallel.h"
#include "tests/search/comparison_job.h"
#include "tests/search/graph_world.h"
#include "tests/support/test_program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QObject>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <set>

namespace tst_compare {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

class Results final : public TaskObserver {
public:
    explicit Results(std::size_t count) : costs(count, -1.0), events(count) {}
    void onEvent(std::size_t task, const SearchEvent& event) override { events[task].push_back(event); }
    void onResult(std::size_t task, JudgedRun over) override {
        costs[task] = over.result ? over.result->bestCost : -2.0;
        ++finished;
    }
    std::vector<double> costs;
    std::vector<std::vector<SearchEvent>> events;
    std::atomic<int> finished = 0;
};

/// An edge of a graph does not keep the value, so results are kept by insisting.
SearchTask taskOf(std::shared_ptr<const Strategy> strategy, const SearchProblem& problem) {
    eval::TrustedRules rules;
    rules.insisted = true;
    return {.strategy = std::move(strategy),
            .problem = problem,
            .judging = {.rules = std::make_shared<const eval::TrustedRules>(std::move(rules))}};
}

std::vector<SearchTask> tasksOf(const GraphWorld& world, std::size_t count, std::uint64_t evaluations) {
    std::vector<SearchTask> tasks;
    Budget budget;
    budget.evaluations = evaluations;
    for (std::size_t i = 0; i < count; ++i) {
        tasks.push_back(taskOf(*findStrategy(i % 2 == 0 ? "random" : "mcts"), world.problem(budget, {}, i + 1)));
    }
    return tasks;
}

/// Counts nodes, but an exponential at the root has no cost.
class NoCostOfExp final : public cost::CostModel {
public:
    [[nodiscard]] const cost::CostModelInfo& info() const override { return m_size->info(); }
    [[nodiscard]] std::unique_ptr<cost::CostEvaluator> evaluator(const ir::TermBank& bank,
                                                                 ir::FunctionId function) const override {
        return std::make_unique<Evaluator>(bank, m_size->evaluator(bank, function));
    }

private:
    class Evaluator final : public cost::CostEvaluator {
    public:
        Evaluator(const ir::TermBank& bank, std::unique_ptr<cost::CostEvaluator> size)
            : m_bank(bank),
              m_size(std::move(size)) {}
        Result<double> cost(ir::TermId root, const std::stop_token& stop) override {
            if (m_bank.opName(root) != "exp") return m_size->cost(root, stop);
            return Error{ErrorCode::InvalidInput, "exp has no cost"};
        }
        Result<std::vector<cost::CostPart>> explain(ir::TermId root, const std::stop_token& stop) override {
            return m_size->explain(root, stop);
        }

    private:
        const ir::TermBank& m_bank;
        std::unique_ptr<cost::CostEvaluator> m_size;
    };
    std::shared_ptr<const cost::CostModel> m_size = *cost::findCostModel("size");
};

}  // namespace

class TestCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheSameWithAnyNumberOfJobs();
    void runsEveryTaskOnceAndAtMostSoManyAtATime();
    void aStopEndsWhatRunsAndBeginsNothing();
    void anExceptionComesOut();
    void comparesEveryCombination();
    void aComparisonDoesNotDependOnJobs();
    void aStoppedComparisonKeepsWhatThereIs();
    void aProgramWithoutACostDoesNotLoseTheOthers();
    void parametersThatDoNotFitAreAnError();
    void spreads();
    void bandsAreStepFunctions();
    void bandsAreThinnedOut();
    void bandsOverIterations();
    void gainsOfSeveralResults();
    void totalsAreOverWhatEverybodyFinished();
    void groupsRunsOverTheirSeeds();
    void tablesHaveEveryRun();
    void tablesHaveMeasuredTimes();
    void tablesEscapeWhatTheyShow();
};

void TestCompare::findsTheSameWithAnyNumberOfJobs() {
    const GraphWorld world = endlessTree();
    const std::vector<SearchTask> tasks = tasksOf(world, 12, 12);
    Results alone(tasks.size());
    runAll(tasks, 1, {}, alone);
    for (const unsigned jobs : {2U, 5U, 64U}) {
        Results together(tasks.size());
        runAll(tasks, jobs, {}, together);
        QCOMPARE(together.costs, alone.costs);
        QCOMPARE(together.finished.load(), 12);
    }
    QVERIFY(std::set<double>(alone.costs.begin(), alone.costs.end()).size() > 3);
    for (const auto& events : alone.events) {
        QVERIFY(events.front().is<Started>());
        QVERIFY(events.back().is<Finished>());
    }
    Results none(0);
    runAll({}, 3, {}, none);
}

void TestCompare::runsEveryTaskOnceAndAtMostSoManyAtATime() {
    class Counting final : public Strategy {
    public:
        [[nodiscard]] const StrategyInfo& info() const override { return m_inner->info(); }
        [[nodiscard]] Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                               Observer& observer) const override {
            {
                const std::scoped_lock lock(m_mutex);
                m_most = std::max(m_most, ++m_running);
                ++m_begun;
            }
            Result<SearchResult> result = m_inner->run(problem, std::move(stop), observer);
            const std::scoped_lock lock(m_mutex);
            --m_running;
            return result;
        }
        [[nodiscard]] int most() const { return m_most; }
        [[nodiscard]] int begun() const { return m_begun; }

    private:
        std::unique_ptr<Strategy> m_inner = makeRandom();
        mutable std::mutex m_mutex;
        mutable int m_running = 0;
        mutable int m_most = 0;
        mutable int m_begun = 0;
    };
    const auto strategy = std::make_shared<Counting>();
    const GraphWorld world = endlessTree();
    Budget budget;
    budget.seconds = 0.03;
    std::vector<SearchTask> tasks;
    for (std::uint64_t i = 0; i < 9; ++i) tasks.push_back(taskOf(strategy, world.problem(budget, {}, i)));
    Results results(tasks.size());
    runAll(tasks, 3, {}, results);
    QCOMPARE(strategy->most(), 3);
    QCOMPARE(strategy->begun(), 9);
}

void TestCompare::aStopEndsWhatRunsAndBeginsNothing() {
    std::stop_source stop;
    class StopsAll final : public TaskObserver {
    public:
        explicit StopsAll(std::stop_source& source) : m_source(source) {}
        void onEvent(std::size_t, const SearchEvent& event) override {
            if (event.is<Improved>()) m_source.request_stop();
        }
        void onResult(std::size_t task, JudgedRun over) override {
            const std::scoped_lock lock(m_mutex);
            finished.insert(task);
            reasons.insert(over.result->reason);
        }
        std::set<std::size_t> finished;
        std::set<StopReason> reasons;

    private:
        std::stop_source& m_source;
        std::mutex m_mutex;
    } observer(stop);
    const GraphWorld world = endlessTree();
    Budget budget;
    budget.seconds = 60.0;
    std::vector<SearchTask> tasks;
    for (std::uint64_t i = 0; i < 20; ++i)
        tasks.push_back(taskOf(*findStrategy("random"), world.problem(budget, {}, i)));
    runAll(tasks, 2, stop.get_token(), observer);
    QVERIFY(!observer.finished.empty() && observer.finished.size() <= 2);
    QCOMPARE(observer.reasons, std::set<StopReason>{StopReason::Stopped});
    Results none(tasks.size());
    runAll(tasks, 2, stop.get_token(), none);
    QCOMPARE(none.finished.load(), 0);
}

void TestCompare::anExceptionComesOut() {
    const GraphWorld world{0,
                           [](std::int64_t n) -> std::vector<std::int64_t> {
                               if (n == 3) throw std::bad_alloc();
                               return {n + 1};
                           },
                           [](std::int64_t n) { return 100.0 - static_cast<double>(n); }};
    Results results(2);
    QVERIFY_THROWS_EXCEPTION(std::bad_alloc, runAll(tasksOf(world, 2, 50), 2, {}, results));
}

void TestCompare::comparesEveryCombination() {
    const ComparisonJob job({First, Fourth});
    int finished = 0;
    const Result<Comparison> result = compare(job.plan, {}, [&finished](const ComparedRun&) { ++finished; });
    QVERIFY(result.ok());
    const Comparison& comparison = *result;
    QCOMPARE(comparison.runs.size(), std::size_t{2 * 3 * 2 * 3});
    QCOMPARE(finished, 36);
    for (std::size_t p = 0; p < 2; ++p) {
        for (std::size_t s = 0; s < 3; ++s) {
            for (std::size_t b = 0; b < 2; ++b) {
                for (std::size_t k = 0; k < 3; ++k) {
                    const ComparedRun& compared = comparison.run(p, s, b, k);
                    QCOMPARE(std::tuple(compared.program, compared.strategy, compared.budget, compared.seed),
                             std::tuple(p, s, b, k));
                    const Run& run = compared.run;
                    QVERIFY(compared.done() && run.verdict->isThreadChecked);
                    QVERIFY(run.verdict->values == rewrite::Values::Same);
                    QCOMPARE(run.initialCost, p == 0 ? 7.0 : 6.0);
                    QVERIFY(run.statistics.evaluations <= *comparison.budgets[b].evaluations);
                    QCOMPARE(compared.costs.size(), compared.steps.size() + 1);
                    QCOMPARE(compared.costs.front(), run.initialCost);
                    QCOMPARE(compared.costs.back(), run.bestCost);
                    const std::vector<Improvement> curve = curveOf(run);
                    QCOMPARE(curve.front().best, run.initialCost);
                    QCOMPARE(curve.back().best, run.bestCost);
                    QVERIFY(run.events.back().is<Finished>());
                    // The run says by itself what was asked, and its thread is a whole thread file.
                    QCOMPARE(std::tuple(run.strategy, run.seed), std::tuple(job.names()[s], k + 1));
                    QVERIFY(run.budget == comparison.budgets[b] &&
                            run.parameters == comparison.strategies[s].parameters);
                    const auto stated = rewrite::statedThread(SourceText("thread", run.thread));
                    QVERIFY(stated.ok() && stated->states.size() == compared.costs.size());
                    QCOMPARE(stated->costModel, std::string("ks-2021"));
                }
            }
        }
        // The seed makes no difference to A*; a larger budget goes on where the smaller ended.
        QCOMPARE(comparison.run(p, 0, 1, 0).costs, comparison.run(p, 0, 1, 2).costs);
        QVERIFY(comparison.run(p, 0, 1, 0).run.bestCost <= comparison.run(p, 0, 0, 0).run.bestCost);
    }
    QCOMPARE(comparison.strategies[1].name, std::string("mcts"));
    QCOMPARE(parameterText(comparison.strategies[1].parameters.at("alpha")), std::string("5"));
    QCOMPARE(toString(comparison.budgets[0]), std::string("30 evaluations"));
}

void TestCompare::aComparisonDoesNotDependOnJobs() {
    ComparisonJob job({First, Fourth});
    const Comparison together = *compare(job.plan, {});
    job.plan.jobs = 1;
    const Comparison alone = *compare(job.plan, {});
    for (std::size_t i = 0; i < alone.runs.size(); ++i) {
        QCOMPARE(together.runs[i].costs, alone.runs[i].costs);
        QCOMPARE(together.runs[i].best, alone.runs[i].best);
        QCOMPARE(curveOf(together.runs[i].run).size(), curveOf(alone.runs[i].run).size());
        QCOMPARE(together.runs[i].run.statistics.rewrites, alone.runs[i].run.statistics.rewrites);
    }
}

void TestCompare::aStoppedComparisonKeepsWhatThereIs() {
    ComparisonJob job({First, Fourth});
    job.plan.jobs = 1;
    std::stop_source stop;
    int finished = 0;
    const Comparison comparison = *compare(job.plan, stop.get_token(), [&](const ComparedRun&) {
        if (++finished == 5) stop.request_stop();
    });
    const auto done = std::ranges::count_if(comparison.runs, &ComparedRun::done);
    QCOMPARE(done, 5);
    QCOMPARE(comparison.runs.size(), std::size_t{36});
    QVERIFY(comparison.runs.back().run.state == RunState::NotRun);
    QVERIFY(totalsOf(comparison).empty());
    const std::string html = job.report(comparison);
    QVERIFY(html.find("31 searches were not run") != std::string::npos);
}

void TestCompare::aProgramWithoutACostDoesNotLoseTheOthers() {
    ComparisonJob job({"(exp x)", Fourth});
    job.plan.cost = std::make_shared<NoCostOfExp>();
    const Comparison comparison = *compare(job.plan, {});
    const Run& bad = comparison.runs.front().run;
    QVERIFY(bad.state == RunState::Failed);
    QVERIFY(bad.stop.find("exp has no cost") != std::string::npos);
    QVERIFY(comparison.run(1, 0, 0, 0).done());
    QCOMPARE(completePrograms(comparison), std::vector<std::size_t>{1});
    QCOMPARE(totalsOf(comparison).front().programs, std::size_t{1});
    const std::string html = job.report(comparison);
    QVERIFY(html.find("18 searches failed") != std::string::npos);
}

void TestCompare::parametersThatDoNotFitAreAnError() {
    ComparisonJob job({First});
    job.plan.strategies[0].parameters = {{"no-such", true}};
    const Result<Comparison> result = compare(job.plan, {});
    QVERIFY(!result.ok());
    QVERIFY(result.error().message.find("no-such") != std::string::npos);
}

void TestCompare::spreads() {
    const Spread five = spreadOf({5, 1, 4, 2, 3});
    QCOMPARE(five.least, 1.0);
    QCOMPARE(five.lower, 2.0);
    QCOMPARE(five.median, 3.0);
    QCOMPARE(five.upper, 4.0);
    QCOMPARE(five.most, 5.0);
    const Spread four = spreadOf({1, 2, 3, 4});
    QCOMPARE(four.lower, 1.75);
    QCOMPARE(four.median, 2.5);
    QCOMPARE(four.upper, 3.25);
    QCOMPARE(spreadOf({7}).lower, 7.0);
}

void TestCompare::bandsAreStepFunctions() {
    const ComparedRun a = recordOf(10, {{1, 0, 10}, {5, 0, 6}, {20, 0, 2}}, 100);
    const ComparedRun b = recordOf(10, {{1, 0, 10}, {10, 0, 4}}, 50);
    const std::vector<BandPoint> band = bandOf({{&a.run}, {&b.run}}, Axis::Evaluations);
    std::vector<double> places;
    std::vector<double> medians;
    for (const BandPoint& point : band) {
        places.push_back(point.x);
        medians.push_back(point.y.median);
    }
    QCOMPARE(places, (std::vector<double>{1, 5, 10, 20, 50, 100}));
    QCOMPARE(medians, (std::vector<double>{10, 8, 5, 3, 3, 3}));
    QCOMPARE(band[1].y.least, 6.0);
    QCOMPARE(band[1].y.most, 10.0);
    // Two programs of one seed add up.
    const std::vector<BandPoint> sum = bandOf({{&a.run, &b.run}}, Axis::Evaluations);
    QCOMPARE(sum.front().y.median, 20.0);
    QCOMPARE(sum[2].y.median, 10.0);
    QCOMPARE(sum.back().y.median, 6.0);
}

/// What an iteration finds is reported before the iteration; what the extraction at the end finds, after the last one.
void TestCompare::bandsOverIterations() {
    const auto eventOf = [](EventBody body, double best) {
        SearchEvent event;
        event.what = std::move(body);
        event.best = best;
        return event;
    };
    Run run;
    run.state = RunState::Finished;
    run.bestCost = 4.0;
    run.events = {eventOf(Started{}, 10), eventOf(GrowthStarted{}, 10), eventOf(Iteration{}, 10),
                  eventOf(Improved{}, 7), eventOf(Iteration{}, 7),      eventOf(Iteration{}, 7),
                  eventOf(Improved{}, 4), eventOf(GrowthEnded{}, 4)};
    QCOMPARE(iterationsOf(run), std::uint64_t{3});
    std::vector<double> places;
    std::vector<double> medians;
    for (const BandPoint& point : bandOf({{&run}}, Axis::Iterations)) {
        places.push_back(point.x);
        medians.push_back(point.y.median);
    }
    QCOMPARE(places, (std::vector<double>{0, 2, 3}));
    QCOMPARE(medians, (std::vector<double>{10, 7, 4}));
    QCOMPARE(iterationsOf(recordOf(10, {{1, 0, 10}}, 5).run), std::uint64_t{0});
}

/// A result that does not use the rule gains nothing by it.
void TestCompare::gainsOfSeveralResults() {
    const std::vector<RuleGainSpread> gains = gainSpreads({{{"a", 1, 4.0}, {"b", 2, -1.0}}, {{"a", 3, 8.0}}, {}});
    QCOMPARE(gains.size(), std::size_t{2});
    QCOMPARE(gains[0].rule, std::string("a"));
    QCOMPARE(gains[0].gain.median, 4.0);
    QCOMPARE(gains[0].gain.lower, 2.0);
    QCOMPARE(gains[0].gain.upper, 6.0);
    QCOMPARE(gains[0].uses, std::size_t{2});
    QCOMPARE(gains[0].steps, std::size_t{4});
    QCOMPARE(gains[0].results, std::size_t{3});
    QCOMPARE(gains[1].gain.median, 0.0);
    QCOMPARE(gains[1].gain.least, -1.0);
}

void TestCompare::bandsAreThinnedOut() {
    std::vector<Improvement> curve;
    for (std::uint64_t i = 1; i <= 5000; ++i) curve.push_back({i, 0.0, 10000.0 - static_cast<double>(i)});
    const ComparedRun run = recordOf(10000, curve, 6000);
    const std::vector<BandPoint> band = bandOf({{&run.run}}, Axis::Evaluations, 50);
    QVERIFY(band.size() <= 52 && band.size() > 25);
    QCOMPARE(band.front().x, 1.0);
    QCOMPARE(band.back().x, 6000.0);
    QCOMPARE(band.back().y.median, 5000.0);
    for (std::size_t i = 1; i < band.size(); ++i) QVERIFY(band[i].y.median <= band[i - 1].y.median);
}

void TestCompare::totalsAreOverWhatEverybodyFinished() {
    const ComparisonJob job({First, Fourth});
    const Comparison comparison = *compare(job.plan, {});
    const std::vector<Total> totals = totalsOf(comparison);
    QCOMPARE(totals.size(), std::size_t{6});
    for (const Total& total : totals) {
        QCOMPARE(total.programs, std::size_t{2});
        QCOMPARE(total.initial, 13.0);
        std::vector<double> sums;
        double best = 0.0;
        for (std::size_t k = 0; k < 3; ++k) {
            sums.push_back(comparison.run(0, total.strategy, total.budget, k).run.bestCost +
                           comparison.run(1, total.strategy, total.budget, k).run.bestCost);
        }
        for (std::size_t p = 0; p < 2; ++p) {
            double least = 100.0;
            for (std::size_t k = 0; k < 3; ++k) {
                least = std::min(least, comparison.run(p, total.strategy, total.budget, k).run.bestCost);
            }
            best += least;
        }
        std::ranges::sort(sums);
        QCOMPARE(total.cost.median, sums[1]);
        QCOMPARE(total.best, best);
    }
}

void TestCompare::groupsRunsOverTheirSeeds() {
    const auto asked = [](ComparedRun compared, const char* strategy, std::int64_t depth, std::uint64_t seed) {
        compared.run.strategy = strategy;
        compared.run.parameters = {{"depth", depth}, {"alpha", 5.0}};
        compared.run.seed = seed;
        compared.run.stop = "evaluations";
        return std::move(compared.run);
    };
    const std::vector<Improvement> curve{{1, 0.0, 100}, {5, 0.5, 50.4}, {20, 2.0, 50}};
    std::vector<Run> runs{asked(recordOf(100, curve, 90), "mcts", 10, 1),
                          asked(recordOf(100, {{1, 0.0, 100}, {7, 0.1, 60}}, 30), "mcts", 10, 2),
                          asked(recordOf(100, {{1, 0.0, 100}, {7, 0.3, 80}}, 60), "mcts", 20, 1),
                          asked(recordOf(100, {{1, 0.0, 100}}, 10), "mcts", 10, 3)};
    for (Run* judged : {&runs[0], &runs[1]}) judged->verdict.emplace().isThreadChecked = true;
    runs[0].verdict->values = rewrite::Values::Same;
    runs[1].verdict->values = rewrite::Values::Different;
    runs[3].stop = "exhausted";
    std::vector<TableRun> table;
    for (const Run& run : runs) table.push_back({"p", &run});
    const std::vector<RunGroup> groups = groupedRuns(table);
    QCOMPARE(groups.size(), std::size_t{2});
    const RunGroup& three = groups.front();
    QCOMPARE(three.runs.size(), std::size_t{3});
    QVERIFY(three.best == &runs[0]);
    QCOMPARE(three.cost.median, 60.0);
    QCOMPARE(three.cost.upper, 80.0);
    QCOMPARE(three.evaluations, 30.0);
    QCOMPARE(three.nearBestSeconds, 0.1);  // 0.5 (50.4 is within 1 % of 50), 0.1, 0
    QCOMPARE(three.stops, (std::vector<std::string>{"evaluation limit", "nothing left to try"}));
    QCOMPARE(verdictsText(three), std::string("1 of 3 WRONG, 1 of 3 checked"));
    QCOMPARE(verdictsText(groups.back()), std::string("not judged"));
    StrategyInfo info = (*findStrategy("mcts"))->info();
    info.parameters.resize(2);
    for (ParameterInfo& parameter : info.parameters) parameter.defaultValue = 5.0;
    info.parameters[0].name = "alpha";
    info.parameters[1].name = "depth";
    info.parameters[1].defaultValue = std::int64_t{10};
    const std::vector<StrategyInfo> infos{info};
    QCOMPARE(ownParameters(runs[0], infos), std::string());
    QCOMPARE(ownParameters(runs[2], infos), std::string("depth = 20"));
    QCOMPARE(ownParameters(runs[2], {}), std::string("alpha = 5, depth = 20"));
}

void TestCompare::tablesHaveEveryRun() {
    ComparisonJob job({"(exp x)", Fourth});
    job.plan.cost = std::make_shared<NoCostOfExp>();
    const Comparison comparison = *compare(job.plan, {});
    std::vector<TableRun> table;
    std::vector<StrategyInfo> infos;
    for (const ComparedRun& one : comparison.runs) table.push_back({comparison.programs[one.program].name, &one.run});
    for (const auto& contestant : job.plan.strategies) infos.push_back(contestant.strategy->info());
    const std::vector<RunGroup> groups = groupedRuns(table);
    QCOMPARE(groups.size(), std::size_t{2 * 3 * 2});

    const QStringList lines =
        QString::fromStdString(writeTable(groups, TableFormat::Csv, "units", infos)).split(QStringLiteral("\r\n"));
    QCOMPARE(lines.size(), qsizetype{1 + 36 + 1});
    const QStringList titles = lines.front().split(QLatin1Char(','));
    QCOMPARE(titles.mid(0, 4), (QStringList{QStringLiteral("program"), QStringLiteral("strategy"),
                                            QStringLiteral("parameters"), QStringLiteral("seed")}));
    QVERIFY(lines[1].contains(QLatin1String("exp has no cost")));

    const QJsonArray rows =
        QJsonDocument::fromJson(QByteArray::fromStdString(writeTable(groups, TableFormat::Json, "units", infos)))
            .array();
    QCOMPARE(rows.size(), qsizetype{36});
    for (qsizetype i = 0; i < rows.size(); ++i) {
        const QJsonObject row = rows[i].toObject();
        QCOMPARE(row.keys().size(), titles.size());
        const Run& run = comparison.runs[static_cast<std::size_t>(i)].run;
        QCOMPARE(row[QLatin1String("seed")].toInt(), static_cast<int>(run.seed));
        QCOMPARE(row[QLatin1String("best_cost")].isNull(), run.state != RunState::Finished);
        if (run.state != RunState::Finished) continue;
        QCOMPARE(row[QLatin1String("best_cost")].toDouble(), run.bestCost);
        QCOMPARE(row[QLatin1String("change_percent")].toDouble(), 100.0 * (run.bestCost / run.initialCost - 1.0));
        QCOMPARE(row[QLatin1String("thread_checked")].toBool(), true);
        QCOMPARE(row[QLatin1String("values")].toString(), QStringLiteral("same"));
    }
    // A row for each group, its title and the line below it; each row has as many cells as there are titles.
    const QString markdown = QString::fromStdString(writeTable(groups, TableFormat::Markdown, "units", infos));
    const QStringList marked = markdown.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(marked.size(), qsizetype{2 + 12});
    const QString latex = QString::fromStdString(writeTable(groups, TableFormat::Latex, "units", infos));
    const qsizetype columns = latex.section(QLatin1Char('\n'), 2, 2).count(QLatin1String(" & "));
    for (const QString& line : marked) QCOMPARE(line.count(QLatin1Char('|')), columns + 2);
    QCOMPARE(latex.count(QLatin1String(" \\\\\n")), qsizetype{1 + 12});
    QVERIFY(marked.back().contains(QString::fromStdString("| " + infos.back().label + " |")));
    QVERIFY(marked.back().contains(QLatin1String("3 of 3 checked")));
}

void TestCompare::tablesHaveMeasuredTimes() {
    std::vector<ComparedRun> records{recordOf(100, {{1, 0.0, 100}, {7, 0.1, 60}}, 30),
                                     recordOf(100, {{1, 0.0, 100}, {7, 0.1, 50}}, 30),
                                     recordOf(100, {{1, 0.0, 100}, {7, 0.1, 50}}, 30)};
    records[0].run.strategy = records[1].run.strategy = "mcts";
    records[2].run.strategy = "greedy";
    const WholeTime time{.seconds = 0.0018, .startSeconds = 0.002, .ratio = {0.9, 0.88, 0.92}, .runtime = "R 1"};
    std::vector<TableRun> table;
    for (const ComparedRun& record : records) table.push_back({"p", &record.run});
    // Without times there are no columns for them.
    QVERIFY(writeTable(groupedRuns(table), TableFormat::Csv, "units", {}).find("measured") == std::string::npos);
    QVERIFY(writeTable(groupedRuns(table), TableFormat::Markdown, "units", {}).find("Measured") == std::string::npos);
    table[0].time = time;
    const std::vector<RunGroup> groups = groupedRuns(table);
    QCOMPARE(groups[0].time()->seconds, 0.0018);  // the best run was not timed, but the first one was
    QVERIFY(!groups[1].time());
    const QStringList lines =
        QString::fromStdString(writeTable(groups, TableFormat::Csv, "units", {})).split(QStringLiteral("\r\n"));
    QVERIFY(
        lines[0].endsWith(u"measured_seconds,measured_start_seconds,measured_ratio,measured_ratio_low,measured_ratio_"
                          u"high,measured_with"));
    QVERIFY2(lines[1].endsWith(u",0.0018,0.002,0.9,0.88,0.92,R 1"), qPrintable(lines[1]));
    QVERIFY2(lines[2].endsWith(u",,,,,,"), qPrintable(lines[2]));
    const QJsonArray rows =
        QJsonDocument::fromJson(QByteArray::fromStdString(writeTable(groups, TableFormat::Json, "units", {}))).array();
    QCOMPARE(rows[0].toObject()[QLatin1String("measured_ratio_high")].toDouble(), 0.92);
    QVERIFY(rows[1].toObject()[QLatin1String("measured_ratio")].isNull());
    const QStringList marked = QString::fromStdString(writeTable(groups, TableFormat::Markdown, "units", {}))
                                   .split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QVERIFY2(marked[0].contains(u"| Measured (ms) | Measured, ratio to the start | Ended by |"), qPrintable(marked[0]));
    QVERIFY2(marked[2].contains(u"| 1.8 | 0.900 (0.880 to 0.920) |"), qPrintable(marked[2]));
    for (const QString& line : marked) QCOMPARE(line.count(QLatin1Char('|')), marked[0].count(QLatin1Char('|')));
    const std::string latex = writeTable(groups, TableFormat::Latex, "units", {});
    QVERIFY(latex.find("& 1.8 & 0.900 (0.880 to 0.920) &") != std::string::npos);
}

void TestCompare::tablesEscapeWhatTheyShow() {
    ComparedRun one = recordOf(10, {{1, 0, 10}}, 5);
    one.run.strategy = "a_b";
    one.run.stop = "a \"quoted\", reason\n& 5 % | \xff";
    one.run.state = RunState::Failed;
    const std::vector<TableRun> table{{"p,<b>|x_1", &one.run}, {"q", &one.run}};
    const std::vector<RunGroup> groups = groupedRuns(table);
    const std::string csv = writeTable(groups, TableFormat::Csv, "units", {});
    QVERIFY(csv.find("\r\n\"p,<b>|x_1\",a_b,") != std::string::npos);
    QVERIFY(csv.find("\"a \"\"quoted\"\", reason & 5 % | \\xff\"") != std::string::npos);
    const std::string json = writeTable(groups, TableFormat::Json, "units", {});
    QVERIFY(QJsonDocument::fromJson(QByteArray::fromStdString(json)).array().size() == 2);
    const std::string markdown = writeTable(groups, TableFormat::Markdown, "units", {});
    QVERIFY(markdown.find("| p,\\<b\\>\\|x\\_1 | a\\_b |") != std::string::npos);
    const std::string latex = writeTable(groups, TableFormat::Latex, "units", {});
    QVERIFY(latex.find("p,<b>|x\\_1 & a\\_b & ") != std::string::npos);
    QVERIFY(latex.find("\\& 5 \\% | \\textbackslash{}xff") != std::string::npos);
}

MITOS_TEST(TestCompare)

}  // namespace tst_compare

#include "tst_compare.moc"
