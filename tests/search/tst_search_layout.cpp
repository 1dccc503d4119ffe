// SPDX-License-Identifier: GPL-3.0-or-later
// Searches that choose the order of the axes of images.
#include "core/cost/factory.h"
#include "core/dialects/dialects.h"
#include "core/eval/evaluator.h"
#include "core/ir/shared.h"
#include "core/rules/rule.h"
#include "core/tensor/operator.h"
#include "search/strategies/strategies.h"
#include "tests/search/running.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>

#include <QFile>
#include <map>

namespace tst_search_layout {

using namespace mitos;

namespace {

/// How many nodes of a program have each operator.
std::map<std::string, int> operatorsOf(const ir::TermBank& bank, ir::TermId root) {
    std::map<std::string, int> counts;
    for (const ir::TermId term : ir::SharedNodes(bank, root)) {
        if (const tensor::Operator* const op = tensor::operatorOf(bank, term)) ++counts[op->name];
    }
    return counts;
}

struct Fixture {
    ir::TermBank bank{dialects::makeRegistry()};
    rules::RuleBook book = *rules::RuleBook::load("tensor-default,tensor-layout", dialects::makeRegistry());

    /// The program that a sample file contains.
    ir::Program sample() {
        QFile file(QStringLiteral(MITOS_SOURCE_DIR "/samples/networks/channels_last.txt"));
        if (!file.open(QIODevice::ReadOnly)) qFatal("the sample cannot be read");
        const Result<ir::Program> parsed = dialects::parseProgram(bank, "sample", file.readAll().toStdString());
        if (!parsed) qFatal("%s", parsed.error().render().c_str());
        return *parsed;
    }
    search::SearchResult searched(const char* strategy, const std::string& cost,
                                  const ParameterValues& parameters = {}) {
        search::SearchProblem problem{.bank = bank,
                                      .program = sample(),
                                      .rules = book.directions(),
                                      .cost = *cost::findCostModel(cost),
                                      .budget = {.evaluations = 5000, .seconds = {}, .states = {}, .memoryBytes = {}},
                                      .parameters = parameters};
        return search::test::searched(strategy, problem);
    }
};

/// Nothing but a Transpose at each end.
const std::map<std::string, int> ChannelsLast{
    {"Add", 1}, {"NhwcConv", 2}, {"NhwcMaxPool", 1}, {"Relu", 1}, {"Transpose", 2}};

}  // namespace

class TstSearchLayout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theOrderIsCarriedThroughAChain_data() {
        QTest::addColumn<QByteArray>("strategy");
        for (const char* name : {"greedy", "astar", "saturation", "tensat", "egraph-mcts"}) {
            QTest::newRow(name) << QByteArray(name);
        }
    }
    /// Where convolutions and pools cost ten nodes in one order and one in the other, the chain costs its five
    /// nodes, two Transposes, the input and two weights.
    void theOrderIsCarriedThroughAChain() {
        QFETCH(const QByteArray, strategy);
        Fixture f;
        const bool isGuided = strategy == "egraph-mcts";
        const search::SearchResult result =
            f.searched(strategy, "size:Conv=10,MaxPool=10",
                       isGuided ? ParameterValues{{"search_budget", std::int64_t{32}}} : ParameterValues{});
        QVERIFY2(result.check.valid, result.check.reason.c_str());
        QCOMPARE(result.initialCost, 35.0);
        QCOMPARE(result.bestCost, 10.0);
        QCOMPARE(operatorsOf(*result.bank, result.thread.end().root), ChannelsLast);
    }

    /// By the times that come with the program, LibTorch's.
    void measuredTimesChooseTheOrder() {
        Fixture f;
        const search::SearchResult result = f.searched("tensat", "measured");
        QVERIFY2(result.check.valid, result.check.reason.c_str());
        QVERIFY(result.bestCost < 0.9 * result.initialCost);
        QCOMPARE(operatorsOf(*result.bank, result.thread.end().root), ChannelsLast);
    }

    /// Where both orders cost the same, Transposes are not worth it.
    void workAloneDoesNot() {
        Fixture f;
        QCOMPARE(f.searched("tensat", "roofline").thread.steps.size(), std::size_t{0});
    }
};

MITOS_TEST(TstSearchLayout)

}  // namespace tst_search_layout

#include "tst_search_layout.moc"
