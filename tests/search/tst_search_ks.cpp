// SPDX-License-Identifier: GPL-3.0-or-later
// The searches on the Knossos paper's programs: the costs of Table 6, GEMM, threads that replay elsewhere, stopping.
#include "core/ks/module.h"
#include "core/ks/operators.h"
#include "search/rewriting/strategies.h"

#include <QObject>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

using namespace mitos;
using namespace mitos::search;

namespace {

/// A program of the samples with the rules and the cost model it is searched with.
class Job {
public:
    Job(const std::string& sample, std::string_view rules)
        : Job(readSourceFile(MITOS_SOURCE_DIR "/samples/" + sample), rules) {}
    Job(const Result<SourceText>& source, std::string_view rules)
        : m_book(*rules::RuleBook::load(rules, ks::makeRegistry())),
          m_bank(m_book.registry()) {
        if (!source) qFatal("%s", source.error().render().c_str());
        const Result<ks::Module> module = ks::parseModule(m_bank, *source);
        if (!module) qFatal("%s", module.error().render().c_str());
        m_program = *ks::selectProgram(m_bank, *module, "");
    }

    [[nodiscard]] SearchProblem problem(std::uint64_t evaluations, ParameterValues parameters = {}) const {
        Budget budget;
        budget.evaluations = evaluations;
        return {m_bank, m_program, m_book.directions(),  *cost::findCostModel("ks-2021"),
                budget, 1,         std::move(parameters)};
    }
    /// The rules of Table 3 below its middle line only.
    [[nodiscard]] SearchProblem bindingProblem(std::uint64_t evaluations) const {
        SearchProblem result = problem(evaluations);
        result.rules.clear();
        for (const char* name : {"new_bind", "lift_bind", "cse_bind", "inline_let", "delete_let"}) {
            result.rules.push_back(m_book.find(name));
        }
        return result;
    }
    [[nodiscard]] const rules::RuleBook& book() const { return m_book; }

private:
    rules::RuleBook m_book;
    ir::TermBank m_bank;
    ir::Program m_program;
};

class Silent final : public Observer {
public:
    void onEvent(const SearchEvent&) override {}
};

SearchResult searched(const char* strategy, const SearchProblem& problem) {
    Silent observer;
    Result<SearchResult> result = (*findStrategy(strategy))->run(problem, {}, observer);
    if (!result) qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

/// What a result claims, worked out again from its text in a bank of its own.
void verify(const SearchResult& result, const rules::RuleBook& book) {
    QVERIFY2(result.check.valid, result.check.reason.c_str());
    QCOMPARE(result.costs.size(), result.thread.steps.size() + 1);
    QCOMPARE(result.costs.front(), result.initialCost);
    QCOMPARE(result.costs.back(), result.bestCost);
    const std::string text = rewrite::writeThread(*result.bank, result.thread, result.costs);
    ir::TermBank fresh(book.registry());
    const Result<rewrite::Replay> replay = rewrite::readThread(fresh, SourceText("thread", text), book);
    QVERIFY2(replay.ok(), replay.ok() ? "" : replay.error().render().c_str());
    QVERIFY2(replay->report.valid, replay->report.reason.c_str());
    const rewrite::Thread& read = replay->thread;
    QCOMPARE(fresh.hash(read.end().root), result.bank->hash(result.thread.end().root));
    const auto cost = (*cost::findCostModel("ks-2021"))->evaluator(fresh, read.start.function);
    QCOMPARE(cost->cost(read.start.root), result.initialCost);
    QCOMPARE(cost->cost(read.end().root), result.bestCost);
}

}  // namespace

class TestSearchKs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reachesTheCostsOfTable6_data();
    void reachesTheCostsOfTable6();
    void reachesTheBaselinesOfFigure5();
    void improvesGemm();
    void repeatsItselfOnGemm();
    void stopsInTheMiddleOfALargeProgram();
};

void TestSearchKs::reachesTheCostsOfTable6_data() {
    QTest::addColumn<double>("initial");
    QTest::addColumn<double>("oracle");        // the paper's Table 6 with its whole rule set
    QTest::addColumn<double>("bindingRules");  // what 5,000 evaluations reach with the binding rules
    QTest::addColumn<double>("allRules");      // and with all of Table 3, whose arithmetic has wide plateaus
    QTest::newRow("1") << 7.0 << 3.0 << 5.1 << 5.1;
    QTest::newRow("2") << 10.0 << 6.0 << 6.1 << 8.0;
    QTest::newRow("3") << 10.0 << 6.1 << 6.1 << 8.0;
    QTest::newRow("4") << 6.0 << 4.1 << 4.1 << 4.1;
    QTest::newRow("5") << 6.0 << 4.1 << 6.0 << 4.1;
    QTest::newRow("6") << 10.0 << 6.1 << 6.1 << 8.0;
    QTest::newRow("7") << 8.0 << 6.1 << 6.1 << 8.0;
    QTest::newRow("8") << 7.0 << 5.1 << 5.1 << 5.1;
}

void TestSearchKs::reachesTheCostsOfTable6() {
    QFETCH(const double, initial);
    QFETCH(const double, oracle);
    QFETCH(const double, bindingRules);
    QFETCH(const double, allRules);
    const Job job(std::string("arithmetic/table6-") + QTest::currentDataTag() + ".ks", "ks-simple");
    const SearchResult bound = searched("astar", job.bindingProblem(5000));
    const SearchResult whole = searched("astar", job.problem(5000));
    QCOMPARE(bound.initialCost, initial);
    QCOMPARE(bound.bestCost, bindingRules);
    QVERIFY2(whole.bestCost <= allRules + 1e-9, std::to_string(whole.bestCost).c_str());
    QVERIFY(std::min(bound.bestCost, whole.bestCost) >= oracle - 1e-9);
    QVERIFY(bound.thread.steps.size() <= 10 && whole.thread.steps.size() <= 10);
    verify(bound, job.book());
    verify(whole, job.book());
}

/// Figure 5 (levels read off its plots): best-first search without a value function ends at 44.7, random at 54 to 58.
void TestSearchKs::reachesTheBaselinesOfFigure5() {
    double bestFirst = 0.0;
    double greedy = 0.0;
    double random = 0.0;
    for (int i = 1; i <= 8; ++i) {
        const Job job("arithmetic/table6-" + std::to_string(i) + ".ks", "ks-simple");
        const SearchResult byAStar = searched("astar", job.bindingProblem(5000));
        const SearchResult byGreedy = searched("greedy", job.bindingProblem(5000));
        const SearchResult byRandom = searched("random", job.problem(5000));
        verify(byGreedy, job.book());
        verify(byRandom, job.book());
        bestFirst += byAStar.bestCost;
        greedy += byGreedy.bestCost;
        random += byRandom.bestCost;
    }
    QVERIFY2(std::abs(bestFirst - 44.7) < 1e-9, std::to_string(bestFirst).c_str());
    QVERIFY2(std::abs(greedy - 44.7) < 1e-9, std::to_string(greedy).c_str());
    QVERIFY2(random > 50.0 && random <= 60.0, std::to_string(random).c_str());
}

void TestSearchKs::improvesGemm() {
    const Job job("linear-algebra/gemm.ks", "ks-simple,ks-extended");
    const SearchResult result = searched("astar", job.problem(2000, {{"depth", std::int64_t{30}}}));
    QVERIFY(result.bestCost < result.initialCost);
    QVERIFY(result.thread.steps.size() <= 30);
    verify(result, job.book());
}

void TestSearchKs::repeatsItselfOnGemm() {
    const Job job("linear-algebra/gemm.ks", "ks-simple,ks-extended");
    for (const auto& strategy : allStrategies()) {
        const SearchResult first = searched(strategy->info().name.c_str(), job.problem(300));
        const SearchResult second = searched(strategy->info().name.c_str(), job.problem(300));
        QCOMPARE(first.costs, second.costs);
        QCOMPARE(rewrite::writeThread(*first.bank, first.thread), rewrite::writeThread(*second.bank, second.thread));
    }
}

void TestSearchKs::stopsInTheMiddleOfALargeProgram() {
    std::string sum = "x";
    for (int i = 0; i < 2000; ++i) sum.insert(0, "(add (mul x y) (mul y ").append("))");
    const Job job(SourceText("sum", sum), "ks-simple");
    SearchProblem problem = job.problem(0);
    problem.budget.evaluations.reset();
    problem.budget.seconds = 100.0;
    for (const auto& strategy : allStrategies()) {
        std::stop_source stop;
        Silent observer;
        std::optional<Result<SearchResult>> result;
        std::chrono::steady_clock::time_point asked;
        {
            const std::jthread worker([&] { result = strategy->run(problem, stop.get_token(), observer); });
            QTest::qWait(300);
            stop.request_stop();
            asked = std::chrono::steady_clock::now();
        }
        const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
        QVERIFY2(waited < 2.0, std::to_string(waited).c_str());
        QVERIFY(result->ok());
        QCOMPARE((*result)->reason, StopReason::Stopped);
        QVERIFY((*result)->check.valid);
    }
}

QTEST_GUILESS_MAIN(TestSearchKs)
#include "tst_search_ks.moc"
