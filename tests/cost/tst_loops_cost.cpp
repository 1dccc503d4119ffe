// SPDX-License-Identifier: GPL-3.0-or-later
// The cost model `loops`: work of loop forms counted by hand, one weight at a time, and explanations against costs.
#include "core/base/source_text.h"
#include "core/cost/cost_model.h"
#include "core/dialects/dialects.h"
#include "core/ks/module.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

#include <QDirIterator>
#include <cmath>

namespace tst_loops_cost {

using namespace mitos;

namespace {

struct Priced {
    explicit Priced(const std::string& text, const std::string& model = "loops") : bank(dialects::makeRegistry()) {
        const Result<ir::Program> read = ks::parseProgram(bank, "test.ks", text);
        if (!read) qFatal("%s", read.error().render().c_str());
        program = *read;
        const auto found = cost::findCostModel(model);
        if (!found) qFatal("%s", found.error().oneLine().c_str());
        evaluator = (*found)->evaluator(bank, program.function);
    }

    ir::TermBank bank;
    ir::Program program = {};
    std::unique_ptr<cost::CostEvaluator> evaluator;
};

/// The model that counts one thing only.
std::string onlyOf(const std::string& weight) {
    std::string name = "loops:";
    for (const char* each : {"arithmetic", "division", "function", "byte", "allocation", "iteration", "call"}) {
        name += fmt::format("{}={},", each, each == weight ? 1 : 0);
    }
    return name + "size=10";
}

}  // namespace

class TestLoopsCost : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void workIsCountedByHand_data();
    void workIsCountedByHand();
    void costsAreExplained_data();
    void costsAreExplained();
    void theMoreExpensiveBranchCounts();
    void whatHasNoLoopFormHasNoCost();
};

void TestLoopsCost::workIsCountedByHand_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("weight");
    QTest::addColumn<double>("expected");
    const QString dot = QStringLiteral(
        "(def f Float ((v : Vec n Float) (w : Vec n Float)) (sumbuild n (lam (i : Integer) (mul (index i v) (exp "
        "(index i w))))))");
    QTest::newRow("operations of a sum") << dot << "arithmetic" << 20.0;
    QTest::newRow("functions of a sum") << dot << "function" << 10.0;
    QTest::newRow("bytes of a sum") << dot << "byte" << 160.0;
    QTest::newRow("vectors of a sum") << dot << "allocation" << 0.0;
    QTest::newRow("iterations of a sum") << dot << "iteration" << 10.0;
    const QString rows = QStringLiteral(
        "(def f (Vec n (Vec n Float)) (m : Vec n (Vec n Float)) (build n (lam (i : Integer) (build n (lam (j : "
        "Integer) "
        "(div 1.0 (index j (index i m))))))))");
    QTest::newRow("divisions of rows") << rows << "division" << 100.0;
    QTest::newRow("vectors of rows") << rows << "allocation" << 11.0;
    QTest::newRow("bytes of rows") << rows << "byte" << 1600.0;
    const QString calls = QStringLiteral(
        "(def g Float (x : Float) (mul x (sin x))) (def f Float (v : Vec n Float) (sumbuild n (lam (i : Integer) (g "
        "(index i v)))))");
    QTest::newRow("calls") << calls << "call" << 10.0;
    QTest::newRow("functions in calls") << calls << "function" << 20.0;
    QTest::newRow("a triangle") << "(def f Float (n : Integer) (sumbuild n (lam (i : Integer) (let (x (to_float i)) "
                                   "(sumbuild (add i 1) (lam (j : Integer) (exp (mul x (to_float j)))))))))"
                                << "function" << 55.0;
}

void TestLoopsCost::workIsCountedByHand() {
    QFETCH(const QString, program);
    QFETCH(const QString, weight);
    QFETCH(const double, expected);
    const Priced priced(program.toStdString(), onlyOf(weight.toStdString()));
    const Result<double> cost = priced.evaluator->cost(priced.program.root);
    QVERIFY2(cost.ok(), cost ? "" : cost.error().message.c_str());
    QCOMPARE(*cost, expected);
}

void TestLoopsCost::costsAreExplained_data() {
    QTest::addColumn<QString>("path");
    const QDir samples(QStringLiteral(MITOS_SOURCE_DIR "/samples"));
    QDirIterator files(samples.path(), {QStringLiteral("*.ks")}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString file = files.next();
        QTest::newRow(qPrintable(samples.relativeFilePath(file))) << file;
    }
}

/// The sum of own × times over all parts is the cost, and so is the first part's total.
void TestLoopsCost::costsAreExplained() {
    QFETCH(const QString, path);
    const Result<SourceText> text = readSourceFile(path.toStdString());
    QVERIFY(text.ok());
    const Priced priced(std::string(text->text()));
    const Result<double> cost = priced.evaluator->cost(priced.program.root);
    QVERIFY2(cost.ok(), cost ? "" : cost.error().message.c_str());
    const auto parts = priced.evaluator->explain(priced.program.root);
    QVERIFY(parts.ok());
    QCOMPARE(parts->size(), static_cast<std::size_t>(priced.bank.treeSize(priced.program.root)));
    double sum = 0.0;
    for (const cost::CostPart& part : *parts) {
        sum += part.own * part.times;
        QVERIFY(!part.reason.empty());
        double shares = 0.0;
        for (const cost::CostShare& share : part.shares) shares += share.cost;
        QVERIFY(std::abs(shares - part.own) <= 1e-9 * std::max(1.0, part.own));
    }
    QVERIFY2(std::abs(sum - *cost) <= 1e-9 * std::max(1.0, *cost),
             fmt::format("{} is explained as {}", *cost, sum).c_str());
    QVERIFY(std::abs(parts->front().total - *cost) <= 1e-9 * std::max(1.0, *cost));
}

void TestLoopsCost::theMoreExpensiveBranchCounts() {
    const Priced priced("(def f Float ((x : Float) (b : Bool)) (if b (exp (exp x)) (exp x)))", onlyOf("function"));
    QCOMPARE(*priced.evaluator->cost(priced.program.root), 2.0001);
}

void TestLoopsCost::whatHasNoLoopFormHasNoCost() {
    const Priced priced("(edef g Float (Float)) (def f Float (x : Float) (g x))");
    const Result<double> cost = priced.evaluator->cost(priced.program.root);
    QVERIFY(!cost.ok());
    QCOMPARE(cost.error().code, ErrorCode::Unsupported);
    QVERIFY(std::isinf(priced.evaluator->costOrInfinity(priced.program.root)));
}

MITOS_TEST(TestLoopsCost)

}  // namespace tst_loops_cost

#include "tst_loops_cost.moc"
