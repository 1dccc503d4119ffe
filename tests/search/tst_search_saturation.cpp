// SPDX-License-Identifier: GPL-3.0-or-later
// Saturate, then extract: what holds for every strategy (budgets, stop, events, repeatability, checked threads), and what it
// finds, beside exhaustive searches and the costs of the Knossos paper.
#include "search/saturation/saturation.h"
#include "tests/search/graph_world.h"
#include "tests/search/ks_job.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <chrono>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <thread>

namespace tst_search_saturation {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

constexpr std::uint64_t Plenty = 1'000'000;

const char* const Arithmetic = "(add (mul (add x 0.0) (div y 1.0)) (mul x (mul 1.0 (div z (add y 2.0)))))";

Job jobOf(const char* expression, std::string_view rules) { return {SourceText("job", expression), rules}; }

ParameterValues nodes(std::int64_t limit) { return {{"nodes", limit}}; }

/// The values, with little search before each rule where the strategy searches for it.
ParameterValues quick(const QString& strategy, ParameterValues values = {}) {
    if (strategy != QStringLiteral("egraph-mcts")) return values;
    values["search_budget"] = std::int64_t{8};
    values["depth"] = std::int64_t{3};
    return values;
}

}  // namespace

class TestSaturation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsWhatAnExhaustiveSearchFinds();
    void goesAgainstTheDirectionOfRules();
    void reachesThePapersCosts();
    void simplifiesGemm();
    void pricesBelowBindersAndLets();
    void theCostModelDecides();
    void tensatTakesRulesWithSeveralRoots();
    void keepsToItsBudget_data() { names(); }
    void keepsToItsBudget();
    void keepsToItsOwnLimits_data() { names(); }
    void keepsToItsOwnLimits();
    void stopsWhenAsked_data() { names(); }
    void stopsWhenAsked();
    void repeatsItself_data() { names(); }
    void repeatsItself();
    void reportsAsItGoes_data() { names(); }
    void reportsAsItGoes();
    void goesOnFromTheBestWithRestarts();
    void refusesWhatItCannotUse();
    void saysWhichRuleItLeftOut();
    void takesOnlyWhatAThreadLeadsTo_data() { namesOf({"saturation", "tensat"}); }
    void takesOnlyWhatAThreadLeadsTo();

private:
    static void names() { namesOf({"saturation", "tensat", "egraph-mcts"}); }
    static void namesOf(std::initializer_list<const char*> names) {
        QTest::addColumn<QString>("name");
        for (const char* name : names) QTest::newRow(name) << QString::fromLatin1(name);
    }
};

void TestSaturation::findsWhatAnExhaustiveSearchFinds() {
    // Rules whose reach is finite; those of one direction are used in it alone, so saturation may find more, never less.
    for (const char* expression :
         {"(mul (add x 0.0) (mul 1.0 y))", "(add (mul x y) (mul x z))", "(sub (add x y) (sub x 0.0))",
          "(div (mul x 1.0) (div y 1.0))", "(mul 0.0 (add x y))"}) {
        const Job job = jobOf(expression, "ks-simple");
        SearchProblem problem = job.problem(Plenty);
        problem.rules.clear();
        for (const char* name : {"commute_add", "commute_mul", "mul_one", "add_zero", "sub_zero", "div_one", "mul_zero",
                                 "sub_self", "add_of_muls"}) {
            if (const auto rule = job.book().find(name)) problem.rules.push_back(rule);
        }
        QVERIFY(problem.rules.size() > 6);
        problem.parameters = {{"depth", std::int64_t{30}}};
        const SearchResult exhaustive = searched("astar", problem);
        QCOMPARE(exhaustive.reason, StopReason::Exhausted);
        for (const char* name : {"saturation", "tensat"}) {
            problem.parameters = {};
            const SearchResult saturated = searched(name, problem);
            QCOMPARE(saturated.reason, StopReason::Exhausted);
            QCOMPARE(saturated.bestCost, exhaustive.bestCost);
            verify(saturated, job.book());
        }
    }
}

void TestSaturation::goesAgainstTheDirectionOfRules() {
    // The one rule leads from the product to the sum. Both stand in the program, so the sum may become the product again.
    const Job job = jobOf("(sub (mul x (add y z)) (add (mul x y) (mul x z)))", "ks-simple");
    SearchProblem problem = job.problem(Plenty);
    problem.rules = {job.book().find("mul_by_add")};
    QVERIFY(problem.rules[0] != nullptr);
    QCOMPARE(searched("astar", problem).bestCost, 9.0);
    const SearchResult result = searched("saturation", problem);
    verify(result, job.book());
    QCOMPARE(result.reason, StopReason::Exhausted);
    QCOMPARE(result.bestCost, 7.0);
    QCOMPARE(result.thread.steps.size(), std::size_t{1});
    QCOMPARE(result.thread.steps[0].name(), std::string("reversed mul_by_add"));
    QCOMPARE(result.thread.steps[0].positions, std::vector<ir::Path>{{1}});
}

void TestSaturation::reachesThePapersCosts() {
    // Table 6, ks-2021: the paper's best costs, as README.md of search has their total, 40.6.
    double total = 0.0;
    for (int i = 1; i <= 8; ++i) {
        const Job job("arithmetic/table6-" + std::to_string(i) + ".ks", "ks-all");
        const SearchResult result = searched("saturation", job.problem(5000));
        verify(result, job.book());
        total += result.bestCost;
    }
    QVERIFY2(std::abs(total - 40.6) < 1e-9, std::to_string(total).c_str());
    // 14 -> 6, where the searches over programs reach 9: some steps are reversed.
    const Job job("arithmetic/table5-test-10.ks", "ks-all");
    const SearchResult result = searched("saturation", job.problem(5000));
    verify(result, job.book());
    QVERIFY(result.bestCost <= 6.0 + 1e-9);
    QVERIFY(std::any_of(result.thread.steps.begin(), result.thread.steps.end(),
                        [](const rewrite::Step& step) { return step.isReversed; }));
}

void TestSaturation::simplifiesGemm() {
    // One loop nest without a temporary matrix, over a hill that A* does not climb (README.md of search).
    const Job job("linear-algebra/gemm.ks", "ks-simple,ks-extended");
    const SearchResult result = searched("saturation", job.problem(Plenty, nodes(20'000)));
    QVERIFY(std::abs(result.initialCost - 31880.8) < 1e-6);
    QVERIFY2(std::abs(result.bestCost - 30242.0) < 1e-6, std::to_string(result.bestCost).c_str());
    verify(result, job.book());
}

void TestSaturation::pricesBelowBindersAndLets() {
    // In the loop the sum costs 16 times what it does outside; nothing is brought out of its scope.
    const Job job(SourceText("job",
                             "(def f Float (v : Vec n Float)"
                             " (sum (build n (lam (i : Integer) (mul 1.0 (add (index i v) (sub (to_float i) "
                             "(to_float i))))))))"),
                  "ks-simple");
    const SearchResult result = searched("saturation", job.problem(Plenty, nodes(3000)));
    verify(result, job.book());
    QCOMPARE(ks::printTerm(*result.bank, result.thread.end().root, {.width = 0}),
             std::string("(sum (build n (lam (i : Integer) (index i v))))"));
}

void TestSaturation::theCostModelDecides() {
    const Job job = jobOf("(add (mul (exp x) y) (mul (exp x) z))", "ks-all");
    const SearchResult size = searched("saturation", job.problem(20'000, {}, "size"));
    verify(size, job.book(), "size");
    QCOMPARE(size.bestCost, 6.0);  // (mul (exp x) (add y z))
    const SearchResult sized = searched("saturation", job.problem(20'000, {}, "ks-sized"));
    verify(sized, job.book(), "ks-sized");
    QCOMPARE(sized.bestCost, 7.0);  // 4 for exp, 1 and 2
}

void TestSaturation::tensatTakesRulesWithSeveralRoots() {
    // exp(x) exp(y) is worth exp(x + y) where that is worked out anyway.
    const QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("twins.rules")).toStdString();
    std::ofstream(file) << "use ks\nrule twins: exp(x) * exp(y), exp(x + y) => exp(x + y), exp(x + y)\n"
                           "rule one: x * 1.0 => x\n";
    const Job job = jobOf("(add (mul (mul (exp x) 1.0) (exp y)) (exp (add x y)))", file);
    SearchProblem problem = job.problem(Plenty);
    SearchProblem without = problem;
    std::erase_if(without.rules, [](const auto& rule) { return rule->roots().size() > 1; });
    QCOMPARE(without.rules.size() + 1, problem.rules.size());
    QCOMPARE(searched("tensat", without).bestCost, 16.0);  // only the factor 1.0 goes away
    QCOMPARE(searched("tensat", problem).bestCost, 16.0);
    // In the first iteration the factor is in the way yet, and after k_multi iterations the rule is no longer applied.
    problem.parameters = {{"k_multi", std::int64_t{2}}};
    const SearchResult result = searched("tensat", problem);
    verify(result, job.book());
    QCOMPARE(result.bestCost, 11.0);
    QCOMPARE(result.thread.steps.back().name(), std::string("twins.0"));
    problem.parameters = {};
    QCOMPARE(searched("saturation", problem).bestCost, 11.0);
}

void TestSaturation::keepsToItsBudget() {
    QFETCH(const QString, name);
    const auto strategy = *findStrategy(name.toStdString());
    const Job job = jobOf(Arithmetic, "ks-all");
    const std::uint64_t own = searched(*strategy, job.problem(1, quick(name))).statistics.states;
    for (const std::uint64_t limit : {1U, 2U, 10U, 500U}) {
        const SearchResult byEvaluations = searched(*strategy, job.problem(limit, quick(name)));
        QCOMPARE(byEvaluations.statistics.evaluations, limit);
        QCOMPARE(byEvaluations.reason, StopReason::Evaluations);
        verify(byEvaluations, job.book());
        SearchProblem states = job.problem(0, quick(name));
        states.budget = {
            .evaluations = std::nullopt, .seconds = std::nullopt, .states = limit, .memoryBytes = std::nullopt};
        const SearchResult byStates = searched(*strategy, states);
        QCOMPARE(byStates.reason, StopReason::States);
        QVERIFY(byStates.statistics.states <= std::max(limit, own));  // the start's own e-nodes are there anyway
        verify(byStates, job.book());
    }
    SearchProblem problem = job.problem(0, quick(name));
    problem.budget = {};
    QCOMPARE(searched(*strategy, problem).statistics.evaluations, DefaultEvaluations);
    problem.parameters = quick(name, nodes(50'000'000));
    problem.budget.memoryBytes = 4U << 20U;
    const SearchResult byMemory = searched(*strategy, problem);
    QCOMPARE(byMemory.reason, StopReason::Memory);
    QVERIFY(byMemory.statistics.memoryBytes < 32U << 20U);
    problem.budget = {.evaluations = std::nullopt, .seconds = 0.3, .states = std::nullopt, .memoryBytes = std::nullopt};
    const SearchResult bySeconds = searched(*strategy, problem);
    QCOMPARE(bySeconds.reason, StopReason::Seconds);
    QVERIFY2(bySeconds.statistics.seconds < 2.0, std::to_string(bySeconds.statistics.seconds).c_str());
    verify(bySeconds, job.book());
}

void TestSaturation::keepsToItsOwnLimits() {
    QFETCH(const QString, name);
    const auto strategy = *findStrategy(name.toStdString());
    const Job job = jobOf(Arithmetic, "ks-all");
    const SearchResult byNodes = searched(*strategy, job.problem(Plenty, quick(name, nodes(700))));
    QCOMPARE(byNodes.reason, StopReason::States);
    QVERIFY(byNodes.statistics.states <= 700);
    const SearchResult two = searched(*strategy, job.problem(Plenty, quick(name, {{"iterations", std::int64_t{2}}})));
    QCOMPARE(two.reason, StopReason::Iterations);
    QCOMPARE(two.statistics.expansions, std::uint64_t{2});
    verify(two, job.book());
}

void TestSaturation::stopsWhenAsked() {
    QFETCH(const QString, name);
    const auto strategy = *findStrategy(name.toStdString());
    std::string sum = "x";
    for (int i = 0; i < 100; ++i) sum.insert(0, "(add (mul x (mul 1.0 y)) (mul y ").append("))");
    const Job job(SourceText("sum", sum), "ks-simple");
    SearchProblem problem =
        job.problem(0, {{"nodes", std::int64_t{50'000'000}}, {"iterations", std::int64_t{1'000'000}}});
    problem.budget.evaluations.reset();
    problem.budget.seconds = 100.0;
    for (const int wait : {0, 300}) {
        std::stop_source stop;
        Recorder observer;
        std::optional<Result<SearchResult>> result;
        std::chrono::steady_clock::time_point asked;
        {
            const std::jthread worker([&] { result = strategy->run(problem, stop.get_token(), observer); });
            QTest::qWait(wait);
            stop.request_stop();
            asked = std::chrono::steady_clock::now();
        }
        const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
        // See TestSearchKs::stopsInTheMiddleOfALargeProgram().
        QVERIFY2(waited < 30.0, std::to_string(waited).c_str());
        QVERIFY(result->ok());
        QCOMPARE((*result)->reason, StopReason::Stopped);
        QVERIFY((*result)->check.valid);
    }
}

void TestSaturation::repeatsItself() {
    QFETCH(const QString, name);
    for (const char* sample : {"arithmetic/table5-test-05.ks", "linear-algebra/rot.ks"}) {
        const Job job(sample, "ks-simple,ks-extended");
        Recorder first;
        Recorder second;
        const auto strategy = *findStrategy(name.toStdString());
        const SearchResult a = searched(*strategy, job.problem(4000, quick(name, nodes(4000))), first);
        const SearchResult b = searched(*strategy, job.problem(4000, quick(name, nodes(4000))), second);
        QCOMPARE(a.costs, b.costs);
        QCOMPARE(a.statistics.states, b.statistics.states);
        QCOMPARE(rewrite::writeThread(*a.bank, a.thread), rewrite::writeThread(*b.bank, b.thread));
        verify(a, job.book());
    }
}

void TestSaturation::reportsAsItGoes() {
    QFETCH(const QString, name);
    const Job job = jobOf(Arithmetic, "ks-all");
    Recorder recorder;
    const SearchResult result = searched(**findStrategy(name.toStdString()), job.problem(3000), recorder);
    QVERIFY(recorder.events.size() > 3);
    QVERIFY(recorder.events.front().is<Started>());
    QCOMPARE(recorder.events.front().best, result.initialCost);
    const SearchEvent& last = recorder.events.back();
    QVERIFY(last.is<Finished>());
    QCOMPARE(last.as<Finished>()->reason, result.reason);
    QCOMPARE(last.best, result.bestCost);
    QCOMPARE(last.pathLength, static_cast<std::uint32_t>(result.thread.steps.size()));
    bool improved = false;
    for (std::size_t i = 1; i < recorder.events.size(); ++i) {
        const SearchEvent& event = recorder.events[i];
        const SearchEvent& before = recorder.events[i - 1];
        QVERIFY(event.seconds >= before.seconds && event.evaluations >= before.evaluations);
        QVERIFY(event.best <= before.best);
        QVERIFY(!event.is<Improved>() || event.best < before.best);
        QVERIFY(event.states > 0 && event.memoryBytes > 0);
        improved = improved || event.is<Improved>();
    }
    QVERIFY(improved);
}

void TestSaturation::goesOnFromTheBestWithRestarts() {
    const Job job = jobOf(Arithmetic, "ks-all");
    const SearchResult one = searched("saturation", job.problem(Plenty, nodes(200)));
    const SearchResult four =
        searched("saturation", job.problem(Plenty, {{"nodes", std::int64_t{200}}, {"restarts", std::int64_t{3}}}));
    QVERIFY(four.bestCost <= one.bestCost);
    QVERIFY(four.statistics.expansions > one.statistics.expansions);
    verify(four, job.book());
}

void TestSaturation::refusesWhatItCannotUse() {
    Recorder observer;
    const GraphWorld world = endlessTree();
    const Result<SearchResult> graph = makeSaturation()->run(world.problem(), {}, observer);
    QVERIFY(!graph.ok());
    QCOMPARE(graph.error().code, ErrorCode::Unsupported);
    const Job job = jobOf("(add x y)", "ks-simple");
    QVERIFY(!makeSaturation()->run(job.problem(10, {{"k_multi", std::int64_t{1}}}), {}, observer).ok());
    QVERIFY(!makeSaturation()->run(job.problem(10, {{"scheduler", std::string("sequential")}}), {}, observer).ok());
    QVERIFY(!makeTensat()->run(job.problem(10, nodes(0)), {}, observer).ok());
    const Job number(SourceText("job", "(def f Integer () 3)"), "ks-simple");
    SearchProblem endless = number.problem(10);
    endless.cost = std::make_shared<GraphCost>([](std::int64_t) { return std::numeric_limits<double>::infinity(); });
    const Result<SearchResult> noCost = makeSaturation()->run(endless, {}, observer);
    QVERIFY(!noCost.ok());
    QVERIFY2(noCost.error().message.find("has no cost under graph") != std::string::npos,
             noCost.error().message.c_str());
}

void TestSaturation::saysWhichRuleItLeftOut() {
    QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("bad.rules")).toStdString();
    std::ofstream(file) << "use ks\nrule zero: x * 0.0 => 0.0\nrule bad: x * 0.0 => 1.0\n";
    const Job job = jobOf("(add y (mul x 0.0))", file);
    const SearchResult result = searched("saturation", job.problem(Plenty));
    QCOMPARE(result.bestCost, 1.0);
    QCOMPARE(ks::printTerm(*result.bank, result.thread.end().root), std::string("(add y 0.0)"));
    QCOMPARE(result.notes.size(), std::size_t(1));
    QVERIFY2(result.notes[0].starts_with("bad was left out: with it 0.0 and 1.0 became equal"),
             result.notes[0].c_str());
}

/// Cheap programs that proofs reach through terms of other surroundings, and what 0 / 0 would make equal.
void TestSaturation::takesOnlyWhatAThreadLeadsTo() {
    QFETCH(const QString, name);
    const std::vector<std::pair<const char*, double>> expected{
        {"(add (sub (exp x) 0.5) (sub x (exp x)))", 1.0},  // x - 0.5
        {"(def f (Vec Float) ((n : Integer) (v : Vec Float) (x : Float)) (build n (lam (j : Integer) (div (let (k "
         "(index j v)) x) (let (k 2.0) x)))))",
         18.0},  // a constant vector of 16 elements
        {"(def f Float ((x : Float) (y : Float)) (let (j (div 0.0 (mul (sub x x) (sub 0.0 x)))) (mul x y)))",
         2.0},  // the product
    };
    for (const auto& [program, most] : expected) {
        const Job job = jobOf(program, "ks-all");
        const SearchResult result = searched(name.toUtf8().constData(), job.problem(5000));
        verify(result, job.book());
        QVERIFY2(result.bestCost <= most, program);
        QVERIFY2(result.bestCost > 0.5, program);  // no constant
    }
}

MITOS_TEST(TestSaturation)

}  // namespace tst_search_saturation

#include "tst_search_saturation.moc"
