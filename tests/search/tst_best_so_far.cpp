// SPDX-License-Identifier: GPL-3.0-or-later
// The way to the best state while a search goes on: what is left of it when it is killed.
#include "tests/search/ks_job.h"
#include "tests/support/test_program.h"

namespace tst_best_so_far {

using namespace mitos;
using namespace mitos::search;
using namespace mitos::search::test;

namespace {

/// Asks each time. What is found must be a thread to a program of the cost that was told, in the same bank or another.
class Asking final : public Observer {
public:
    Asking(const SearchProblem& problem, const cost::CostModel& model) : m_problem(problem), m_model(model) {}

    void onEvent(const SearchEvent& event) override { m_last = event; }
    void onBest(FindBest find) override {
        const std::optional<BestSoFar> found = find();
        if (!found) {
            ++unknown;
            return;
        }
        ++answers;
        const auto costs = m_model.evaluator(*found->bank, found->thread.start.function);
        const bool isRight =
            rewrite::check(*found->bank, found->thread).valid &&
            found->bank->hash(found->thread.start.root) == m_problem.bank.hash(m_problem.program.root) &&
            found->costs.size() == found->thread.steps.size() + 1 && found->costs.back() == m_last.best &&
            *costs->cost(found->thread.end().root) == m_last.best;
        if (!isRight) ++wrong;
        best = m_last.best;
        steps = found->thread.steps.size();
    }

    int answers = 0;
    int unknown = 0;
    int wrong = 0;
    double best = 0.0;
    std::size_t steps = 0;

private:
    const SearchProblem& m_problem;
    const cost::CostModel& m_model;
    SearchEvent m_last;
};

}  // namespace

class TestBestSoFar : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theThreadIsKnownAtEveryEvent_data() {
        QTest::addColumn<QString>("strategy");
        QTest::addColumn<QString>("parameter");
        QTest::addColumn<QString>("value");
        for (const auto& strategy : rewritingStrategies()) {
            const std::string& name = strategy->info().name;
            if (name == "tensat") continue;  // for graphs
            QTest::newRow(name.c_str()) << QString::fromStdString(name) << QString() << QString();
        }
        const auto row = [](const char* strategy, const char* parameter, const char* value) {
            QTest::addRow("%s %s", strategy, value)
                << QString::fromLatin1(strategy) << QString::fromLatin1(parameter) << QString::fromLatin1(value);
        };
        row("mcts", "restarts", "3");
        row("mcts", "restart_from", "best");
        row("phases", "schedule", "all : greedy @ 2%; all : astar @ 98%");
    }
    void theThreadIsKnownAtEveryEvent() {
        QFETCH(const QString, strategy);
        QFETCH(const QString, parameter);
        QFETCH(const QString, value);
        const Job job("linear-algebra/gemm.ks", "ks-simple,ks-extended");
        const auto search = *findStrategy(strategy.toStdString());
        SearchProblem problem = job.problem(400);
        for (const ParameterInfo& info : search->info().parameters) {
            if (info.name != parameter.toStdString()) continue;
            problem.parameters[info.name] = *parseParameter(info, value.toStdString());
            if (info.name == "restart_from") problem.parameters["restarts"] = std::int64_t{3};
        }
        Asking asking(problem, *problem.cost);
        const SearchResult result = searched(*search, problem, asking);
        QCOMPARE(asking.wrong, 0);
        QCOMPARE(asking.unknown, 0);
        QVERIFY(asking.answers > 0);
        // An observer does not change the search.
        const SearchResult alone = searched(*search, problem);
        QCOMPARE(result.bestCost, alone.bestCost);
        QCOMPARE(result.statistics.states, alone.statistics.states);
        QCOMPARE(result.thread.steps.size(), alone.thread.steps.size());
    }

    void improvementsAreKnownAtOnce() {
        const Job job("teaching/factor.ks", "ks-simple");
        const SearchProblem problem = job.problem(100);
        Asking asking(problem, *problem.cost);
        const SearchResult result = searched(**findStrategy("astar"), problem, asking);
        QVERIFY(result.bestCost < result.initialCost);
        QCOMPARE(asking.best, result.bestCost);
        QCOMPARE(asking.steps, result.thread.steps.size());
    }
};

MITOS_TEST(TestBestSoFar)

}  // namespace tst_best_so_far

#include "tst_best_so_far.moc"
