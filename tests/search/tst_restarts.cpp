// SPDX-License-Identifier: GPL-3.0-or-later
// Restarts: several runs of a strategy within one budget, told and checked as one search.
#include "search/restarts.h"
#include "tests/search/graph_world.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <limits>
#include <set>

namespace tst_restarts {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

bool has(const StrategyInfo& info, std::string_view parameter) {
    return std::ranges::any_of(info.parameters, [&](const ParameterInfo& p) { return p.name == parameter; });
}

/// 0 -> 1 -> 2 -> …, cheaper at every step.
GraphWorld descent() {
    return {0, [](std::int64_t n) { return std::vector<std::int64_t>{n + 1}; },
            [](std::int64_t n) { return 1000.0 - static_cast<double>(n); }};
}

}  // namespace

class TestRestarts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goesOnFromTheBest();
    void beginsAgainAtTheStart();
    void keepsToTheBudget_data() { names(); }
    void keepsToTheBudget();
    void reportsOneSearch_data() { names(); }
    void reportsOneSearch();
    void repeatsItself_data() { names(); }
    void repeatsItself();
    void noRestartsIsThePlainSearch();
    void doesNotRepeatWhatTheSeedDoesNotChange();
    void doesNotRepeatWhatALimitOfItsOwnEnds();
    void stopsWithTheRunThatIsStopped();
    void aProblemWithoutACostIsAnError();

private:
    static void names() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("from");
        for (const auto& strategy : strategiesForGraphs()) {
            const StrategyInfo& info = strategy->info();
            if (!has(info, "restarts")) continue;
            for (const char* from : {"start", "best"}) {
                if (!has(info, "restart_from") && from == std::string("start")) continue;
                QTest::newRow((info.name + " " + from).c_str())
                    << QString::fromStdString(info.name) << QString::fromLatin1(from);
            }
        }
    }
    /// The row's strategy with three restarts, deep, and without an end of its own.
    static std::pair<std::shared_ptr<const Strategy>, ParameterValues> restarting(const QString& name,
                                                                                  const QString& from) {
        const auto strategy = *findStrategy(name.toStdString());
        ParameterValues values{{"restarts", std::int64_t{3}}};
        if (has(strategy->info(), "restart_from")) values.emplace("restart_from", from.toStdString());
        if (has(strategy->info(), "depth")) values.emplace("depth", std::int64_t{40});
        if (has(strategy->info(), "beta")) values.emplace("beta", 1e4);
        return {strategy, values};
    }
};

void TestRestarts::goesOnFromTheBest() {
    for (const char* name : {"random", "mcts", "astar"}) {
        ParameterValues values{{"depth", std::int64_t{5}}, {"restarts", std::int64_t{3}}};
        const auto strategy = *findStrategy(name);
        if (has(strategy->info(), "restart_from")) values.emplace("restart_from", std::string("best"));
        const SearchResult result = searched(*strategy, descent().problem({}, values));
        QCOMPARE(result.bestCost, 980.0);
        QCOMPARE(result.initialCost, 1000.0);
        QCOMPARE(result.thread.steps.size(), std::size_t{20});
        QCOMPARE(result.costs.size(), std::size_t{21});
        QCOMPARE(result.costs[7], 993.0);
        QCOMPARE(numberOf(*result.bank, result.thread.start.root), std::int64_t{0});
        QCOMPARE(numberOf(*result.bank, result.thread.end().root), std::int64_t{20});
        QVERIFY2(result.check.valid, result.check.reason.c_str());
        QCOMPARE(result.check.steps, std::size_t{20});
    }
}

void TestRestarts::beginsAgainAtTheStart() {
    const SearchResult result =
        searched(*findStrategy("random").value(),
                 descent().problem({}, {{"depth", std::int64_t{5}}, {"restarts", std::int64_t{3}}}));
    QCOMPARE(result.bestCost, 995.0);
    QCOMPARE(result.statistics.evaluations, std::uint64_t{4 * 6});  // each run costs its six programs anew
    // Other seeds look elsewhere: four short runs meet more first steps than the first of them alone.
    const GraphWorld wide{0,
                          [](std::int64_t n) {
                              std::vector<std::int64_t> next;
                              for (std::int64_t i = 1; n == 0 && i <= 1000; ++i) next.push_back(i);
                              return next;
                          },
                          [](std::int64_t n) { return n == 0 ? 5000.0 : static_cast<double>(n); }};
    Budget budget;
    budget.evaluations = 8;  // the start and one more in each run
    std::set<double> bests;
    for (const std::int64_t restarts : {0, 3}) {
        Recorder recorder;
        searched(*findStrategy("random").value(), wide.problem(budget, {{"restarts", restarts}}), recorder);
        bests.insert(recorder.events.back().best);
        QVERIFY(recorder.events.back().best < 5000.0);
    }
    QCOMPARE(bests.size(), std::size_t{2});
}

void TestRestarts::keepsToTheBudget() {
    QFETCH(const QString, name);
    QFETCH(const QString, from);
    const auto [strategy, values] = restarting(name, from);
    const GraphWorld world = endlessTree();
    for (const std::uint64_t limit : {1U, 2U, 3U, 10U, 500U}) {
        Budget budget;
        budget.evaluations = limit;
        const SearchResult result = searched(*strategy, world.problem(budget, values));
        QCOMPARE(result.statistics.evaluations, limit);
        QCOMPARE(result.reason, StopReason::Evaluations);
        QVERIFY(result.check.valid);
        Budget states;
        states.states = limit;
        QCOMPARE(searched(*strategy, world.problem(states, values)).statistics.states, limit);
    }
    QCOMPARE(searched(*strategy, world.problem({}, values)).statistics.evaluations, std::uint64_t{5000});
    Budget seconds;
    seconds.seconds = 0.3;
    const SearchResult timed = searched(*strategy, world.problem(seconds, values));
    QVERIFY(timed.statistics.seconds >= 0.3 && timed.statistics.seconds < 2.0);
    QCOMPARE(timed.reason, StopReason::Seconds);
}

void TestRestarts::reportsOneSearch() {
    QFETCH(const QString, name);
    QFETCH(const QString, from);
    const auto [strategy, values] = restarting(name, from);
    Recorder recorder;
    const GraphWorld world = endlessTree();
    const SearchResult result = searched(*strategy, world.problem({}, values), recorder);
    const std::vector<SearchEvent>& events = recorder.events;
    QVERIFY(events.front().is<Started>());
    QVERIFY(events.back().is<Finished>());
    QCOMPARE(events.back().as<Finished>()->reason, result.reason);
    QCOMPARE(events.back().evaluations, result.statistics.evaluations);
    double best = events.front().best;
    for (std::size_t i = 1; i < events.size(); ++i) {
        QVERIFY(events[i].seconds >= events[i - 1].seconds);
        QVERIFY(events[i].evaluations >= events[i - 1].evaluations);
        QVERIFY(events[i].best <= events[i - 1].best);
        QVERIFY(!events[i].is<Started>());
        QCOMPARE(events[i].is<Finished>(), i + 1 == events.size());
        if (!events[i].is<Improved>()) continue;
        QVERIFY(events[i].best < best);
        best = events[i].best;
    }
    QCOMPARE(best, result.bestCost);
    QCOMPARE(events.back().pathLength, static_cast<std::uint32_t>(result.thread.steps.size()));
    QCOMPARE(result.costs.back(), result.bestCost);
}

void TestRestarts::repeatsItself() {
    QFETCH(const QString, name);
    QFETCH(const QString, from);
    const auto [strategy, values] = restarting(name, from);
    const GraphWorld world = endlessTree();
    const SearchResult first = searched(*strategy, world.problem({}, values, 7));
    const SearchResult second = searched(*strategy, world.problem({}, values, 7));
    QCOMPARE(first.costs, second.costs);
    QCOMPARE(first.statistics.rewrites, second.statistics.rewrites);
}

void TestRestarts::noRestartsIsThePlainSearch() {
    Budget budget;
    budget.evaluations = 300;
    const GraphWorld world = endlessTree();
    const SearchResult plain = searched(*makeRandom(), world.problem(budget, {}, 5));
    const SearchResult wrapped = searched(*withRestarts(makeRandom()), world.problem(budget, {}, 5));
    QCOMPARE(plain.costs, wrapped.costs);
    QVERIFY(!has(makeRandom()->info(), "restarts"));
    QVERIFY(!resolveParameters(withRestarts(makeAStar())->info(), {{"restart_from", std::string("best")}}).ok());
}

void TestRestarts::doesNotRepeatWhatTheSeedDoesNotChange() {
    // The best lies two steps down, and nothing better beyond: the second run finds that out, there is no third.
    const GraphWorld dip{0, [](std::int64_t n) { return std::vector<std::int64_t>{n + 1}; },
                         [](std::int64_t n) { return n == 2 ? 1.0 : 10.0 + static_cast<double>(n); }};
    const SearchResult result = searched(*withRestarts(makeAStar()),
                                         dip.problem({}, {{"depth", std::int64_t{3}}, {"restarts", std::int64_t{50}}}));
    QCOMPARE(result.bestCost, 1.0);
    QCOMPARE(result.reason, StopReason::Depth);
    QCOMPARE(result.statistics.evaluations, std::uint64_t{4 + 4});
}

void TestRestarts::doesNotRepeatWhatALimitOfItsOwnEnds() {
    // As saturation says it, which may keep so many e-nodes and no more.
    class Limited final : public Strategy {
    public:
        [[nodiscard]] const StrategyInfo& info() const override { return m_inner->info(); }
        [[nodiscard]] Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                               Observer& observer) const override {
            Result<SearchResult> result = m_inner->run(problem, std::move(stop), observer);
            if (result) result->reason = StopReason::States;
            return result;
        }

    private:
        std::unique_ptr<Strategy> m_inner = makeAStar();
    };
    const GraphWorld flat{0, [](std::int64_t n) { return std::vector<std::int64_t>{n + 1}; },
                          [](std::int64_t n) { return 10.0 + static_cast<double>(n); }};
    const SearchResult result =
        searched(*withRestarts(std::make_unique<Limited>()),
                 flat.problem({}, {{"depth", std::int64_t{3}}, {"restarts", std::int64_t{50}}}));
    QCOMPARE(result.reason, StopReason::States);
    QCOMPARE(result.statistics.evaluations, std::uint64_t{4 + 4});
}

void TestRestarts::stopsWithTheRunThatIsStopped() {
    std::stop_source stop;
    class StopsAtFirstImprovement final : public Observer {
    public:
        explicit StopsAtFirstImprovement(std::stop_source& source) : m_source(source) {}
        void onEvent(const SearchEvent& event) override {
            if (event.is<Improved>()) m_source.request_stop();
        }

    private:
        std::stop_source& m_source;
    } observer(stop);
    const SearchResult result = *findStrategy("random").value()->run(
        endlessTree().problem({}, {{"restarts", std::int64_t{9}}}), stop.get_token(), observer);
    QCOMPARE(result.reason, StopReason::Stopped);
    QVERIFY(result.bestCost < result.initialCost);
    QVERIFY(result.check.valid);
}

void TestRestarts::aProblemWithoutACostIsAnError() {
    Recorder recorder;
    const GraphWorld none{0, [](std::int64_t) { return std::vector<std::int64_t>{1}; },
                          [](std::int64_t) { return std::numeric_limits<double>::quiet_NaN(); }};
    QVERIFY(!findStrategy("mcts").value()->run(none.problem({}, {{"restarts", std::int64_t{2}}}), {}, recorder).ok());
    QVERIFY(!findStrategy("mcts").value()->run(none.problem({}, {{"restarts", std::int64_t{-2}}}), {}, recorder).ok());
    QVERIFY(recorder.events.empty());
}

MITOS_TEST(TestRestarts)

}  // namespace tst_restarts

#include "tst_restarts.moc"
