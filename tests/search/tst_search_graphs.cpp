// SPDX-License-Identifier: GPL-3.0-or-later
// Searches over tensor programs: what they find is checked, replays from its text, and computes the same.
#include "core/base/source_text.h"
#include "core/eval/evaluator.h"
#include "core/ir/shared.h"
#include "core/rewrite/rewriter.h"
#include "search/rewriting/strategies.h"
#include "tests/dialects/random_graphs.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>

using namespace mitos;

namespace {

constexpr const char* Rules =
    "# Arithmetic of arrays, for tests.\n"
    "rule commute_add [real-only]: Add(a, b) => Add(b, a)\n"
    "rule commute_mul [real-only]: Mul(a, b) => Mul(b, a)\n"
    "rule factor [real-only]: Add(Mul(a, b), Mul(a, c)) => Mul(a, Add(b, c))\n"
    "rule relu_twice: Relu(Relu(a)) => Relu(a)\n";

struct Fixture {
    QTemporaryDir folder;
    ir::TermBank bank{dialects::makeRegistry()};
    rules::RuleBook book = load();

    rules::RuleBook load() {
        const std::string path = folder.filePath(QStringLiteral("small.rules")).toStdString();
        const Status written = writeFile(path, Rules);
        if (!written) qFatal("%s", written.error().render().c_str());
        Result<rules::RuleBook> loaded = rules::RuleBook::load(path, dialects::makeRegistry());
        if (!loaded) qFatal("%s", loaded.error().render().c_str());
        return *std::move(loaded);
    }
    search::SearchProblem problem(const ir::Program& program, std::uint64_t evaluations) {
        return {.bank = bank,
                .program = program,
                .rules = book.directions(),
                .cost = *cost::findCostModel("roofline"),
                .budget = {.evaluations = evaluations, .seconds = {}, .states = {}, .memoryBytes = {}},
                .parameters = {}};
    }
    ir::Program parse(const std::string& text) {
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "test", text);
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
};

class Silent final : public search::Observer {
public:
    void onEvent(const search::SearchEvent&) override {}
};

Result<search::SearchResult> run(const std::string& strategy, const search::SearchProblem& problem) {
    Silent silent;
    return (*search::findStrategy(strategy))->run(problem, {}, silent);
}

}  // namespace

class TstSearchGraphs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStrategyFindsTheFactor_data() {
        QTest::addColumn<QString>("strategy");
        for (const char* name : {"greedy", "astar", "random", "beam", "backtracking", "mcts", "phases"}) {
            QTest::newRow(name) << QString::fromUtf8(name);
        }
    }
    void everyStrategyFindsTheFactor() {
        QFETCH(const QString, strategy);
        Fixture f;
        // Both products share their factor once they are turned round; the shared sum is paid once.
        const ir::Program program = f.parse(
            "graph f(x: f32[64,64], y: f32[64,64], z: f32[64,64])\n"
            "  s = Relu(Relu(x))\n"
            "  sum = Add(Mul(s, y), Mul(z, s))\n"
            "  return Mul(sum, sum)\n");
        const Result<search::SearchResult> result = run(strategy.toStdString(), f.problem(program, 400));
        QVERIFY2(result.ok(), result ? "" : result.error().render().c_str());
        QVERIFY2(result->check.valid, result->check.reason.c_str());
        const auto costs = (*cost::findCostModel("roofline"))->evaluator(*result->bank, result->thread.start.function);
        QCOMPARE(costs->cost(result->thread.end().root), result->bestCost);
        // From six kernels to four: Relu, Add, Mul, Mul.
        QCOMPARE(std::round(6.0 * result->bestCost / result->initialCost), 4.0);
        const Result<eval::Equivalence> same =
            eval::compare(*result->bank, result->thread.start, result->thread.end(), {.samples = 4});
        QVERIFY(same.ok() && same->equivalent);
        QVERIFY(!same->note.empty());

        // Its text replays in another bank.
        const std::string text = rewrite::writeThread(*result->bank, result->thread, result->costs, "roofline");
        ir::TermBank other(dialects::makeRegistry());
        const Result<rewrite::Replay> replay = rewrite::readThread(other, SourceText("thread", text), f.book);
        QVERIFY2(replay.ok(), replay ? "" : replay.error().render().c_str());
        QVERIFY2(replay->report.valid, replay->report.reason.c_str());
        QCOMPARE(replay->thread.steps.size(), result->thread.steps.size());
        QCOMPARE(other.hash(replay->thread.end().root), result->bank->hash(result->thread.end().root));
    }

    void everyRewriteKeepsTheValue() {
        Random random(31);
        std::size_t compared = 0;
        for (int round = 0; round < 25; ++round) {
            Fixture f;
            const ir::Program program = test::randomGraph(f.bank, random, 4 + round % 10);
            const rewrite::Rewriter rewriter(f.bank, f.book.directions(), ir::Sharing::Graph);
            for (const rewrite::Rewrite& one : rewriter.all(program.root)) {
                const Result<eval::Equivalence> same =
                    eval::compare(f.bank, program, {program.function, one.result}, {.samples = 2});
                QVERIFY2(same.ok(), same ? "" : same.error().render().c_str());
                QVERIFY2(same->equivalent, same->counterexample.c_str());
                ++compared;
            }
        }
        QVERIFY(compared > 100);
    }

    void aDeepSharingIsQuick() {
        // Its tree has 2^61 nodes: whatever walked it would not come back.
        for (const char* strategy : {"greedy", "astar", "random", "beam", "backtracking", "mcts", "phases"}) {
            Fixture f;
            const Result<search::SearchResult> result = run(strategy, f.problem(test::doublings(f.bank, 60), 50));
            QVERIFY2(result.ok(), strategy);
            QVERIFY(result->check.valid);
        }
        Fixture f;
        const ir::Program program = test::doublings(f.bank, 60);
        const Result<eval::Equivalence> same = eval::compare(f.bank, program, program, {.samples = 2});
        QVERIFY(same.ok() && same->equivalent);
    }

    void whatDoesNotFitIsRefused() {
        Fixture f;
        const ir::Program program = test::doublings(f.bank, 3);
        search::SearchProblem problem = f.problem(program, 10);
        problem.cost = *cost::findCostModel("ks-2021");
        const auto costs = run("greedy", problem);
        QVERIFY(!costs.ok());
        QCOMPARE(costs.error().hint, std::string("choose another one, such as roofline"));
        const auto saturated = run("saturation", f.problem(program, 10));
        QVERIFY(!saturated.ok());
        QCOMPARE(saturated.error().code, ErrorCode::Unsupported);
    }
};

QTEST_GUILESS_MAIN(TstSearchGraphs)
#include "tst_search_graphs.moc"
