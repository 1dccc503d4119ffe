// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every strategy (budgets, stop, events, checked threads, parameters), and what A* promises: the cheapest
// program within its depth, compared with enumeration.
#include "core/base/random.h"
#include "tests/search/graph_world.h"
#include "tests/support/test_program.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <set>
#include <thread>

namespace tst_strategies {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

/// Parameters with which a strategy gives up nothing by itself in the endless tree, as far as it has such.
ParameterValues unbounded(const StrategyInfo& info) {
    const ParameterValues wide{
        {"depth", std::int64_t{40}}, {"relaxation", 1e6}, {"beta", 1e4}, {"part", std::string("mcts(beta=10000)")}};
    ParameterValues values;
    for (const ParameterInfo& parameter : info.parameters) {
        if (const auto found = wide.find(parameter.name); found != wide.end()) values.insert(*found);
    }
    return values;
}

struct RandomGraph {
    std::map<std::int64_t, std::vector<std::int64_t>> edges;
    std::map<std::int64_t, double> costs;
};

RandomGraph randomGraph(std::uint64_t seed) {
    Random random(seed);
    RandomGraph graph;
    const std::int64_t size = random.integer(3, 14);
    for (std::int64_t n = 0; n < size; ++n) {
        graph.costs[n] = static_cast<double>(random.integer(1, 50));
        for (std::int64_t i = random.integer(0, 3); i > 0; --i) graph.edges[n].push_back(random.integer(0, size - 1));
    }
    return graph;
}

struct Enumerated {
    double least = 0.0;
    std::size_t reached = 0;
};

/// Level by level, without any cleverness.
Enumerated enumerate(RandomGraph& graph, std::int64_t depth) {
    std::set<std::int64_t> reached{0};
    std::set<std::int64_t> level{0};
    for (std::int64_t step = 0; step < depth; ++step) {
        std::set<std::int64_t> next;
        for (const std::int64_t n : level) next.insert(graph.edges[n].begin(), graph.edges[n].end());
        reached.insert(next.begin(), next.end());
        level = next;
    }
    double least = std::numeric_limits<double>::infinity();
    for (const std::int64_t n : reached) least = std::min(least, graph.costs[n]);
    return {least, reached.size()};
}

/// Counts the programs that it values, and knows the way: the number 7 is worth going to.
class Oracle final : public ValueFunction {
public:
    Oracle(const ir::TermBank& bank, std::size_t& asked) : m_bank(bank), m_asked(asked) {}
    std::vector<double> values(std::span<const ir::TermId> roots, TimesLeft times) override {
        std::vector<double> all;
        for (const ir::TermId root : roots) {
            const std::int64_t number = numberOf(m_bank, root);
            for (std::uint32_t time = times.least; time <= times.most; ++time) {
                all.push_back(time > 0 && number >= 1 && number <= 6 ? 1000.0 : 0.0);
            }
        }
        m_asked += roots.size();
        return all;
    }

private:
    const ir::TermBank& m_bank;
    std::size_t& m_asked;
};

/// The value functions there are and the oracle.
ValueInfos withOracle(std::size_t& asked) {
    ValueInfos values = allValueFunctions();
    values.push_back({"oracle", "what a test knows", [&asked](const SearchProblem& problem) {
                          return Result(std::unique_ptr<ValueFunction>(std::make_unique<Oracle>(problem.bank, asked)));
                      }});
    return values;
}

/// Seven steps up a hill, then down; a wide valley of slightly cheaper numbers beside it.
GraphWorld hillAndValley() {
    return {0,
            [](std::int64_t n) {
                return n < 7 ? std::vector<std::int64_t>{n + 1, 100 * (n + 1), 100 * (n + 1) + 1}
                             : std::vector<std::int64_t>{n + 10, n + 11};
            },
            [](std::int64_t n) {
                if (n == 7) return 1.0;
                return n < 7 ? 50.0 + static_cast<double>(n) : 49.0;
            }};
}

}  // namespace

class TestStrategies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStarTakesUpAgainWhatItReachesByAShorterWay();
    void aStarFindsTheLeastCostWithinItsDepth();
    void greedyGoesOnFromTheCheapest();
    void backtrackingGivesUpWhatCostsTooMuch();
    void mctsVisitsWhatItDidNotVisitFirst();
    void mctsWeighsWhatItFoundAgainstWhatItDoesNotKnow();
    void mctsRolloutsPreferReductions();
    void strategiesFollowTheirValueFunction_data();
    void strategiesFollowTheirValueFunction();
    void aValueFunctionThatFailsEndsTheSearch();
    void thePassTakesTheFirstAndEndsAtTheCheapest();
    void thePassKeepsToItsBudget();
    void beamFindsTheLeastCostWithinItsDepth();
    void beamKeepsTheCheapestOfALevelAndWidens();
    void everyStrategyKeepsToItsBudget_data() { names(); }
    void everyStrategyKeepsToItsBudget();
    void everyStrategyStopsWhenAsked_data() { names(); }
    void everyStrategyStopsWhenAsked();
    void everyStrategyRepeatsItself_data() { names(); }
    void everyStrategyRepeatsItself();
    void everyStrategyReportsAsItGoes_data() { names(); }
    void everyStrategyReportsAsItGoes();
    void everyStrategyCopesWithDeadEndsAndMissingCosts_data() { names(); }
    void everyStrategyCopesWithDeadEndsAndMissingCosts();
    void randomDependsOnTheSeed();
    void knowsItsStrategies();
    void readsAndChecksParameters();

private:
    static void names() {
        QTest::addColumn<QString>("name");
        for (const auto& strategy : strategiesForGraphs()) {
            QTest::newRow(strategy->info().name.c_str()) << QString::fromStdString(strategy->info().name);
        }
    }
};

void TestStrategies::aStarTakesUpAgainWhatItReachesByAShorterWay() {
    // 0 -> 1 -> 2 -> 3 -> 4 falls in cost all the way, so 3 is first reached with no time left to go on to 4.
    // The path through 9 is expensive and short.
    const GraphWorld world = worldOf({{0, {1, 9}}, {1, {2}}, {2, {3}}, {9, {3}}, {3, {4}}},
                                     {{0, 50}, {1, 40}, {2, 30}, {3, 20}, {4, 1}, {9, 80}});
    const SearchResult three = searched(*makeAStar(), world.problem({}, {{"depth", std::int64_t{3}}}));
    QCOMPARE(three.bestCost, 1.0);
    QCOMPARE(numbersOf(three), (std::vector<std::int64_t>{0, 9, 3, 4}));
    QCOMPARE(three.costs, (std::vector<double>{50, 80, 20, 1}));
    QCOMPARE(three.statistics.evaluations, std::uint64_t{6});  // each expression once, however often it was reached
    QCOMPARE(three.statistics.expansions, std::uint64_t{5});
    QVERIFY(three.check.valid);

    const SearchResult two = searched(*makeAStar(), world.problem({}, {{"depth", std::int64_t{2}}}));
    QCOMPARE(two.bestCost, 20.0);
    QCOMPARE(two.reason, StopReason::Depth);
    const SearchResult four = searched(*makeAStar(), world.problem({}, {{"depth", std::int64_t{9}}}));
    QCOMPARE(four.bestCost, 1.0);
    QCOMPARE(four.reason, StopReason::Exhausted);
}

void TestStrategies::aStarFindsTheLeastCostWithinItsDepth() {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        RandomGraph graph = randomGraph(seed);
        const GraphWorld world = worldOf(graph.edges, graph.costs);
        for (std::int64_t depth = 1; depth <= 6; ++depth) {
            const SearchResult result = searched(*makeAStar(), world.problem({}, {{"depth", depth}}));
            const Enumerated expected = enumerate(graph, depth);
            const std::string where = "seed " + std::to_string(seed) + " depth " + std::to_string(depth);
            QVERIFY2(result.bestCost == expected.least, where.c_str());
            QVERIFY2(result.statistics.evaluations == expected.reached, where.c_str());
            QVERIFY2(result.thread.steps.size() <= static_cast<std::size_t>(depth), where.c_str());
            QVERIFY2(result.check.valid, where.c_str());
        }
    }
}

void TestStrategies::greedyGoesOnFromTheCheapest() {
    const GraphWorld world =
        worldOf({{0, {1, 2}}, {1, {3}}, {2, {4}}, {3, {5}}}, {{0, 10}, {1, 9}, {2, 8}, {4, 11}, {3, 12}, {5, 1}});
    const Budget budget{.evaluations = 5, .seconds = std::nullopt, .states = std::nullopt, .memoryBytes = std::nullopt};
    const SearchResult cut = searched(*makeGreedy(), world.problem(budget));
    QCOMPARE(cut.bestCost, 8.0);  // 0, {1, 2}, then below 2: 4, then below 1: 3; the sixth would be 5
    QCOMPARE(cut.reason, StopReason::Evaluations);
    const SearchResult whole = searched(*makeGreedy(), world.problem());
    QCOMPARE(whole.bestCost, 1.0);
    QCOMPARE(numbersOf(whole), (std::vector<std::int64_t>{0, 1, 3, 5}));
    QCOMPARE(whole.reason, StopReason::Exhausted);
}

void TestStrategies::backtrackingGivesUpWhatCostsTooMuch() {
    // From 10 to 1 over 10.4 or, cheaper in the end, over 12; 40 is never worth it.
    const GraphWorld world = worldOf({{0, {1, 2, 3}}, {1, {4}}, {2, {5}}, {3, {6}}},
                                     {{0, 10}, {1, 10.4}, {2, 12}, {3, 40}, {4, 9}, {5, 2}, {6, 1}});
    const auto with = [&](double relaxation) {
        return searched(*makeBacktracking(), world.problem({}, {{"relaxation", relaxation}}));
    };
    const SearchResult downhill = with(1.0);
    QCOMPARE(downhill.bestCost, 10.0);
    QCOMPARE(downhill.statistics.evaluations, std::uint64_t{4});
    QCOMPARE(downhill.reason, StopReason::Pruned);
    QCOMPARE(numbersOf(searched(*makeBacktracking(), world.problem())), (std::vector<std::int64_t>{0, 1, 4}));
    QCOMPARE(numbersOf(with(1.3)), (std::vector<std::int64_t>{0, 2, 5}));
    const SearchResult everything = with(5.0);
    QCOMPARE(numbersOf(everything), (std::vector<std::int64_t>{0, 3, 6}));
    QCOMPARE(everything.reason, StopReason::Exhausted);
    // Programs are compared with the best when they are met: 2 falls from 12 to 8 first, and 9 is too much then.
    const GraphWorld late = worldOf({{0, {1, 2}}, {2, {3}}, {3, {4}}}, {{0, 10}, {1, 8}, {2, 9}, {3, 8.5}, {4, 1}});
    QCOMPARE(searched(*makeBacktracking(), late.problem()).bestCost, 8.0);
}

/// Algorithm 3 by hand, with rollouts that always take the largest reduction.
void TestStrategies::mctsVisitsWhatItDidNotVisitFirst() {
    const GraphWorld world = worldOf({{0, {1, 2}}, {1, {3}}, {2, {4}}}, {{0, 10}, {1, 9}, {2, 8}, {3, 1}, {4, 7}});
    Recorder recorder;
    const SearchResult result =
        searched(*makeMcts(), world.problem({}, {{"alpha", 1e9}, {"depth", std::int64_t{2}}}), recorder);
    // First iteration: the tree is the start; the rollout costs 1 and 2, takes 2, costs 4. Second: 1 was not visited,
    // so it is selected, and the rollout from there costs 3.
    std::vector<std::pair<std::uint64_t, double>> improvements;
    for (const SearchEvent& event : recorder.events) {
        if (event.is<Improved>()) improvements.emplace_back(event.evaluations, event.best);
    }
    QCOMPARE(improvements, (std::vector<std::pair<std::uint64_t, double>>{{2, 9}, {3, 8}, {4, 7}, {5, 1}}));
    QCOMPARE(numbersOf(result), (std::vector<std::int64_t>{0, 1, 3}));
}

void TestStrategies::mctsWeighsWhatItFoundAgainstWhatItDoesNotKnow() {
    // Two endless branches, of odd and of even numbers; only what lies in the even one costs less than the start.
    std::map<bool, int> met;
    const GraphWorld world{0,
                           [](std::int64_t n) {
                               return n == 0 ? std::vector<std::int64_t>{1, 2}
                                             : std::vector<std::int64_t>{4 * n + n % 2, 4 * n + 2 + n % 2};
                           },
                           [&met](std::int64_t n) {
                               if (n > 0) ++met[n % 2 == 0];
                               return n == 0 ? 10.0 : n % 2 == 0 ? 5.0 : 10.0;
                           }};
    Budget budget;
    budget.evaluations = 2000;
    const auto shareOfEven = [&](double beta) {
        met.clear();
        searched(*makeMcts(), world.problem(budget, {{"beta", beta}, {"depth", std::int64_t{20}}}));
        return static_cast<double>(met[true]) / (met[true] + met[false]);
    };
    QVERIFY(shareOfEven(0.01) > 0.95);
    const double balanced = shareOfEven(1e4);
    QVERIFY2(balanced > 0.35 && balanced < 0.65, std::to_string(balanced).c_str());
    // Equation 6: with n visits to the start and almost all of them to the even branch, the odd one has its turn when
    // beta sqrt(ln n / (n' + 1)) exceeds the reduction of 5; sqrt(ln 500) is about 2.5, so beta = 2 is about the border.
    QVERIFY(shareOfEven(1.0) > 0.9);
    const double between = shareOfEven(20.0);
    QVERIFY2(between > 0.55 && between < 0.95, std::to_string(between).c_str());
}

void TestStrategies::mctsRolloutsPreferReductions() {
    Budget budget;
    budget.evaluations = 21;  // one rollout: two successors a step
    const GraphWorld world = endlessTree();
    std::set<std::vector<std::int64_t>> strict;
    std::set<double> bests;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        strict.insert(numbersOf(searched(*makeMcts(), world.problem(budget, {{"alpha", 1e9}}, seed))));
        bests.insert(searched(*makeMcts(), world.problem(budget, {{"alpha", 0.0}}, seed)).bestCost);
    }
    QCOMPARE(strict.size(), std::size_t{1});
    QVERIFY(bests.size() > 3);
    // In logarithms a reduction of many is one of little: e^(5 (log 2001 - log 501)) is some hundred times even odds.
    QVERIFY(!resolveParameters(makeMcts()->info(), {{"normalisation", std::string("sqrt")}}).ok());
    std::set<std::vector<std::int64_t>> scaled;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        scaled.insert(numbersOf(searched(
            *makeMcts(), world.problem(budget, {{"normalisation", std::string("log")}, {"alpha", 1.0}}, seed))));
    }
    QVERIFY(scaled.size() > 3);
}

void TestStrategies::strategiesFollowTheirValueFunction_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("withoutValue");  // the least cost within 22 evaluations
    for (const auto& [name, best] : {std::pair{"astar", 49.0}, {"mcts", 49.0}, {"greedy", 49.0}, {"beam", 49.0}}) {
        QTest::newRow(name) << name << best;
    }
}

void TestStrategies::strategiesFollowTheirValueFunction() {
    QFETCH(const QString, name);
    QFETCH(const double, withoutValue);
    const GraphWorld world = hillAndValley();
    std::size_t asked = 0;
    const ValueInfos values = withOracle(asked);
    const auto strategy = name == u"astar"    ? makeAStar(values)
                          : name == u"mcts"   ? makeMcts(values)
                          : name == u"greedy" ? makeGreedy(values)
                                              : makeBeam(values);
    Budget budget;
    budget.evaluations = 22;
    // One program a level: the beam goes where the oracle says, or nowhere.
    ParameterValues parameters{{"value", std::string("oracle")}};
    if (name == u"beam") parameters["width"] = std::int64_t{1};
    const SearchResult found = searched(*strategy, world.problem(budget, parameters));
    QCOMPARE(found.bestCost, 1.0);
    QCOMPARE(numbersOf(found), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    QVERIFY(asked > 7 && asked <= 22);
    parameters["value"] = std::string("zero");
    QCOMPARE(searched(*strategy, world.problem(budget, parameters)).bestCost, withoutValue);
    QVERIFY(!resolveParameters(strategy->info(), {{"value", std::string("prophet")}}).ok());
    if (name != u"mcts") return;
    parameters["value"] = std::string("oracle");
    parameters["normalisation"] = std::string("log");  // an expected reduction to 0 is one of 4 in logarithms
    parameters["alpha"] = 1e9;
    QCOMPARE(searched(*strategy, world.problem(budget, parameters)).bestCost, 1.0);
}

void TestStrategies::aValueFunctionThatFailsEndsTheSearch() {
    ValueInfos values = allValueFunctions();
    values.push_back(
        {"missing", "what a file says", [](const SearchProblem&) -> Result<std::unique_ptr<ValueFunction>> {
             return Error{ErrorCode::Io, "there is no file model.pt"};
         }});
    Recorder recorder;
    const auto result =
        makeGreedy(values)->run(endlessTree().problem({}, {{"value", std::string("missing")}}), {}, recorder);
    QVERIFY(!result.ok());
    QCOMPARE(result.error().message, std::string("there is no file model.pt"));
}

void TestStrategies::thePassTakesTheFirstAndEndsAtTheCheapest() {
    // Never 5, the cheapest of all: 1 is the first successor of 0.
    const GraphWorld world = worldOf({{0, {1, 5}}, {1, {2}}, {2, {3}}}, {{0, 9}, {1, 10}, {2, 4}, {3, 7}, {5, 1}});
    Recorder recorder;
    const SearchResult result = searched(*makePypmGreedy(), world.problem(), recorder);
    QCOMPARE(numbersOf(result), (std::vector<std::int64_t>{0, 1, 2}));
    QCOMPARE(result.costs, (std::vector<double>{9.0, 10.0, 4.0}));
    QCOMPARE(result.reason, StopReason::Exhausted);
    QCOMPARE(result.statistics.evaluations, std::uint64_t{4});
    QCOMPARE(result.notes, (std::vector<std::string>{"the pass took 3 steps, to a program of cost 7; the result is the "
                                                     "cheapest program on its way, after 2"}));
    QVERIFY(recorder.events.front().is<Started>() && recorder.events.back().is<Finished>());
    QCOMPARE(std::ranges::count_if(recorder.events, [](const SearchEvent& event) { return event.is<Improved>(); }), 1);
}

void TestStrategies::thePassKeepsToItsBudget() {
    const GraphWorld falling{0, [](std::int64_t n) { return std::vector<std::int64_t>{n + 1}; },
                             [](std::int64_t n) { return 1.0 + 1.0 / static_cast<double>(n + 1); }};
    for (const std::uint64_t limit : {1U, 2U, 10U, 500U}) {
        Budget evaluations;
        evaluations.evaluations = limit;
        const SearchResult result = searched(*makePypmGreedy(), falling.problem(evaluations));
        QCOMPARE(result.statistics.evaluations, limit);
        QCOMPARE(result.reason, StopReason::Evaluations);
        QCOMPARE(result.thread.steps.size(), static_cast<std::size_t>(limit - 1));
        Budget states;
        states.states = limit;
        QCOMPARE(searched(*makePypmGreedy(), falling.problem(states)).reason, StopReason::States);
    }
    QCOMPARE(searched(*makePypmGreedy(), falling.problem({}, {{"steps", std::int64_t{3}}})).reason, StopReason::Depth);
    Budget seconds;
    seconds.seconds = 0.1;
    QCOMPARE(searched(*makePypmGreedy(), falling.problem(seconds, {{"steps", std::int64_t{1'000'000'000}}})).reason,
             StopReason::Seconds);
    std::stop_source stop;
    stop.request_stop();
    Recorder recorder;
    const SearchResult stopped = *makePypmGreedy()->run(falling.problem(), stop.get_token(), recorder);
    QCOMPARE(stopped.reason, StopReason::Stopped);
    QVERIFY(stopped.thread.steps.empty() && stopped.check.valid);
}

void TestStrategies::beamFindsTheLeastCostWithinItsDepth() {
    // However narrow it begins: it widens until nothing is left behind.
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomGraph graph = randomGraph(seed);
        const GraphWorld world = worldOf(graph.edges, graph.costs);
        for (const std::int64_t width : {1, 3}) {
            const SearchResult result =
                searched(*makeBeam(), world.problem({}, {{"depth", std::int64_t{4}}, {"width", width}}));
            const Enumerated expected = enumerate(graph, 4);
            const std::string where = "seed " + std::to_string(seed) + " width " + std::to_string(width);
            QVERIFY2(result.bestCost == expected.least, where.c_str());
            QVERIFY2(result.statistics.evaluations == expected.reached, where.c_str());
            QVERIFY2(result.thread.steps.size() <= 4 && result.check.valid, where.c_str());
        }
    }
}

void TestStrategies::beamKeepsTheCheapestOfALevelAndWidens() {
    // The way to 9 leads over 2, which is the dearer one of its level.
    const GraphWorld world =
        worldOf({{0, {1, 2}}, {1, {3, 4}}, {2, {5}}, {5, {9}}}, {{0, 20}, {1, 10}, {2, 15}, {3, 9}, {4, 8}, {9, 1}});
    const auto best = [&](std::uint64_t evaluations, std::int64_t width) {
        Budget budget;
        budget.evaluations = evaluations;
        return searched(*makeBeam(), world.problem(budget, {{"width", width}})).bestCost;
    };
    QCOMPARE(best(5, 1), 8.0);  // 0, {1, 2}, below 1 {3, 4}; the budget ends the second descent at once
    QCOMPARE(best(7, 1), 1.0);  // twice as wide: {3, 4, 5}, of which 5 (100) is left behind; four wide: 9
    QCOMPARE(best(5, 2), 8.0);
    QCOMPARE(searched(*makeBeam(), world.problem()).reason, StopReason::Exhausted);
    QCOMPARE(searched(*makeBeam(), world.problem({}, {{"depth", std::int64_t{2}}})).reason, StopReason::Depth);
}

void TestStrategies::everyStrategyKeepsToItsBudget() {
    QFETCH(const QString, name);
    const auto strategy = *findStrategy(name.toStdString());
    const GraphWorld world = endlessTree();
    const ParameterValues deep = unbounded(strategy->info());
    for (const std::uint64_t limit : {1U, 2U, 3U, 10U, 500U}) {
        Budget budget;
        budget.evaluations = limit;
        const SearchResult byEvaluations = searched(*strategy, world.problem(budget, deep));
        QCOMPARE(byEvaluations.statistics.evaluations, limit);
        QCOMPARE(byEvaluations.reason, StopReason::Evaluations);
        QVERIFY(byEvaluations.check.valid);
        Budget states;
        states.states = limit;
        const SearchResult byStates = searched(*strategy, world.problem(states, deep));
        QCOMPARE(byStates.statistics.states, limit);
        QCOMPARE(byStates.reason, StopReason::States);
    }
    QCOMPARE(searched(*strategy, world.problem({}, deep)).statistics.evaluations, std::uint64_t{5000});  // the default

    Budget memory;
    memory.memoryBytes = 4U << 20U;
    const SearchResult byMemory = searched(*strategy, world.problem(memory, deep));
    QCOMPARE(byMemory.reason, StopReason::Memory);
    QVERIFY(byMemory.statistics.memoryBytes < 16U << 20U);
    Budget seconds;
    seconds.seconds = 0.2;
    const SearchResult bySeconds = searched(*strategy, world.problem(seconds, deep));
    QCOMPARE(bySeconds.reason, StopReason::Seconds);
    QVERIFY(bySeconds.statistics.seconds >= 0.2 && bySeconds.statistics.seconds < 2.0);
}

void TestStrategies::everyStrategyStopsWhenAsked() {
    QFETCH(const QString, name);
    const auto strategy = *findStrategy(name.toStdString());
    const GraphWorld world = endlessTree();
    Budget budget;
    budget.seconds = 60.0;
    const ParameterValues deep = unbounded(strategy->info());
    const SearchProblem problem = world.problem(budget, deep);
    std::stop_source stop;
    std::atomic<bool> improved = false;
    class Watcher final : public Observer {
    public:
        explicit Watcher(std::atomic<bool>& flag) : m_flag(flag) {}
        void onEvent(const SearchEvent& event) override {
            if (event.is<Improved>()) m_flag = true;
        }

    private:
        std::atomic<bool>& m_flag;
    } watcher(improved);
    std::optional<Result<SearchResult>> result;
    std::thread worker([&] { result = strategy->run(problem, stop.get_token(), watcher); });
    QTRY_VERIFY(improved);
    stop.request_stop();
    const auto asked = std::chrono::steady_clock::now();
    worker.join();
    const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
    QVERIFY2(waited < 0.5, std::to_string(waited).c_str());
    QVERIFY(result->ok());
    QCOMPARE((*result)->reason, StopReason::Stopped);
    QVERIFY((*result)->bestCost < (*result)->initialCost);
    QVERIFY((*result)->check.valid);

    const SearchResult atOnce = *strategy->run(problem, stop.get_token(), watcher);
    QCOMPARE(atOnce.reason, StopReason::Stopped);
    QCOMPARE(atOnce.bestCost, 2000.0);
    QVERIFY(atOnce.check.valid);
}

void TestStrategies::everyStrategyRepeatsItself() {
    QFETCH(const QString, name);
    const auto strategy = *findStrategy(name.toStdString());
    const GraphWorld world = endlessTree();
    Budget budget;
    budget.evaluations = 800;
    Recorder first;
    Recorder second;
    const SearchResult a = searched(*strategy, world.problem(budget, {}, 7), first);
    const SearchResult b = searched(*strategy, world.problem(budget, {}, 7), second);
    QCOMPARE(numbersOf(a), numbersOf(b));
    QCOMPARE(a.costs, b.costs);
    QCOMPARE(a.statistics.rewrites, b.statistics.rewrites);
    QCOMPARE(a.statistics.expansions, b.statistics.expansions);
    const auto improvements = [](const Recorder& recorder) {
        std::vector<std::pair<std::uint64_t, double>> found;
        for (const SearchEvent& event : recorder.events) {
            if (event.is<Improved>()) found.emplace_back(event.evaluations, event.best);
        }
        return found;
    };
    QCOMPARE(improvements(first), improvements(second));
}

void TestStrategies::everyStrategyReportsAsItGoes() {
    QFETCH(const QString, name);
    const auto strategy = *findStrategy(name.toStdString());
    const GraphWorld world = endlessTree();
    Budget budget;
    budget.seconds = 0.5;
    Recorder recorder;
    const SearchResult result = searched(*strategy, world.problem(budget), recorder);
    const std::vector<SearchEvent>& events = recorder.events;
    QVERIFY(events.front().is<Started>());
    QCOMPARE(events.front().best, 2000.0);
    QCOMPARE(events.front().evaluations, std::uint64_t{1});
    QVERIFY(events.back().is<Finished>());
    QCOMPARE(events.back().as<Finished>()->reason, result.reason);
    QCOMPARE(events.back().best, result.bestCost);
    double best = 2000.0;
    int progress = 0;
    for (std::size_t i = 1; i < events.size(); ++i) {
        QVERIFY(events[i].seconds >= events[i - 1].seconds);
        QVERIFY(events[i].evaluations >= events[i - 1].evaluations);
        if (events[i].is<Improved>()) {
            QVERIFY(events[i].best < best);
            best = events[i].best;
            QVERIFY(events[i].pathLength > 0);
            QCOMPARE(events[i].as<Improved>()->rule, std::string("edge"));
        }
        progress += events[i].is<Progress>() ? 1 : 0;
    }
    QCOMPARE(best, result.bestCost);
    QVERIFY(progress <= 6);
}

void TestStrategies::everyStrategyCopesWithDeadEndsAndMissingCosts() {
    QFETCH(const QString, name);
    const auto strategy = *findStrategy(name.toStdString());
    const double none = std::numeric_limits<double>::quiet_NaN();
    const SearchResult alone = searched(*strategy, worldOf({}, {{0, 3}}).problem());
    QCOMPARE(alone.bestCost, 3.0);
    QCOMPARE(alone.reason, StopReason::Exhausted);
    QCOMPARE(alone.thread.steps.size(), std::size_t{0});
    QVERIFY(alone.check.valid);

    const GraphWorld holed = worldOf({{0, {1, 2}}, {1, {3}}, {2, {3}}}, {{0, 9}, {1, none}, {2, 8}, {3, 1}});
    const SearchResult round = searched(*strategy, holed.problem());
    QCOMPARE(numbersOf(round), (std::vector<std::int64_t>{0, 2, 3}));

    Recorder recorder;
    const Result<SearchResult> refused = strategy->run(worldOf({{0, {1}}}, {{0, none}}).problem(), {}, recorder);
    QVERIFY(!refused.ok());
    QVERIFY(recorder.events.empty());
    const Result<SearchResult> misled = strategy->run(holed.problem({}, {{"no-such", std::int64_t{3}}}), {}, recorder);
    QVERIFY(!misled.ok());
}

void TestStrategies::randomDependsOnTheSeed() {
    Budget budget;
    budget.evaluations = 30;
    const GraphWorld world = endlessTree();
    std::set<std::vector<std::int64_t>> ends;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        ends.insert(numbersOf(searched(*makeRandom(), world.problem(budget, {}, seed))));
    }
    QVERIFY(ends.size() >= 3);
    // A rollout is at most `depth` steps long, and every number within them is met in the end.
    const GraphWorld small = worldOf({{0, {1, 2}}, {1, {3}}, {2, {4}}, {3, {5}}}, {{0, 9}, {3, 4}, {4, 3}, {5, 1}});
    QCOMPARE(searched(*makeRandom(), small.problem({}, {{"depth", std::int64_t{2}}})).bestCost, 3.0);
    QCOMPARE(searched(*makeRandom(), small.problem()).bestCost, 1.0);
}

void TestStrategies::knowsItsStrategies() {
    std::vector<std::string> names;
    for (const auto& strategy : rewritingStrategies()) names.push_back(strategy->info().name);
    QCOMPARE(names,
             (std::vector<std::string>{"astar", "greedy", "backtracking", "beam", "blocks", "egraph-mcts", "mcts",
                                       "phases", "portfolio", "pypm-greedy", "random", "saturation", "tensat"}));
    const auto unknown = findStrategy("mcmc");
    QVERIFY(!unknown.ok());
    QCOMPARE(unknown.error().message, std::string("there is no strategy \"mcmc\""));
    QCOMPARE(unknown.error().hint,
             std::string("did you mean mcts? Otherwise choose one of astar, greedy, "
                         "backtracking, beam, blocks, egraph-mcts, mcts, phases, portfolio, pypm-greedy, random, "
                         "saturation, tensat, regions"));
    QVERIFY(findStrategy("schedule-heft").ok());
    QVERIFY(findStrategy("schedule-hefty").error().hint.starts_with("did you mean schedule-heft?"));
    QCOMPARE(std::string(toString(StopReason::Exhausted)), std::string("exhausted"));
    QCOMPARE(std::string(toString(StopReason::Stopped)), std::string("stopped"));
}

void TestStrategies::readsAndChecksParameters() {
    const StrategyInfo info{
        .name = "s",
        .label = {},
        .title = {},
        .description = {},
        .parameters = {
            {.name = "depth",
             .title = {},
             .help = {},
             .defaultValue = std::int64_t{10},
             .minimum = 1,
             .maximum = 100,
             .choices = {}},
            {.name = "rate", .title = {}, .help = {}, .defaultValue = 0.5, .minimum = 0, .maximum = 1, .choices = {}},
            {.name = "fast", .title = {}, .help = {}, .defaultValue = false, .choices = {}},
            {.name = "scale",
             .title = {},
             .help = {},
             .defaultValue = std::string("none"),
             .choices = {"none", "log"}}}};
    const auto read = [&](int index, std::string_view text) {
        const auto value = parseParameter(info.parameters[static_cast<std::size_t>(index)], text);
        return value ? parameterText(*value) : "error: " + value.error().message;
    };
    QCOMPARE(read(0, "30"), std::string("30"));
    QCOMPARE(read(0, "3x"), std::string("error: depth = \"3x\" is not a whole number"));
    QCOMPARE(read(0, ""), std::string("error: depth = \"\" is not a whole number"));
    QCOMPARE(read(0, "1e2"), std::string("error: depth = \"1e2\" is not a whole number"));
    QCOMPARE(read(0, "99999999999999999999"),
             std::string("error: depth = \"99999999999999999999\" is not a whole number"));
    QCOMPARE(read(0, "0"), std::string("error: depth = 0 is out of range"));
    QCOMPARE(read(1, "0.25"), std::string("0.25"));
    QCOMPARE(read(1, "1"), std::string("1"));
    QCOMPARE(read(1, "nan"), std::string("error: rate = \"nan\" is not a number"));
    QCOMPARE(read(1, "1.5"), std::string("error: rate = 1.5 is out of range"));
    QCOMPARE(read(2, "yes"), std::string("true"));
    QCOMPARE(read(2, "off"), std::string("false"));
    QCOMPARE(read(2, "maybe"), std::string("error: fast = \"maybe\" is not true or false"));
    QCOMPARE(read(3, "log"), std::string("log"));
    QCOMPARE(read(3, "sqrt"), std::string("error: scale cannot be \"sqrt\""));

    const ParameterValues defaults = *resolveParameters(info, {});
    QCOMPARE(defaults.size(), std::size_t{4});
    QCOMPARE(parameterText(defaults.at("scale")), std::string("none"));
    const ParameterValues mixed = *resolveParameters(info, {{"depth", std::int64_t{5}}, {"rate", std::int64_t{1}}});
    QVERIFY(mixed.at("depth") == ParameterValue(std::int64_t{5}));
    QVERIFY(mixed.at("rate") == ParameterValue(1.0));
    const auto unknown = resolveParameters(info, {{"width", std::int64_t{5}}});
    QCOMPARE(unknown.error().message, std::string("s has no parameter \"width\""));
    QCOMPARE(unknown.error().hint, std::string("s takes: depth, rate, fast, scale."));
    QVERIFY(!resolveParameters(info, {{"depth", 5.0}}).ok());
    QVERIFY(!resolveParameters(info, {{"rate", std::numeric_limits<double>::quiet_NaN()}}).ok());
    QCOMPARE(resolveParameters(makeSimplify()->info(), {{"depth", std::int64_t{5}}}).error().hint,
             std::string("simplify takes no parameters."));
}

MITOS_TEST(TestStrategies)

}  // namespace tst_strategies

#include "tst_strategies.moc"
