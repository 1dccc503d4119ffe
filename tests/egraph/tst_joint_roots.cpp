// SPDX-License-Identifier: GPL-3.0-or-later
// Rules with several roots in an e-graph: which classes their roots may be, and that searching only where something has changed
// leaves nothing out.
#include "core/egraph/joint_roots.h"
#include "tests/dialects/random_graphs.h"
#include "tests/egraph/graph_programs.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

namespace tst_joint_roots {

using namespace mitos;
using egraph::EGraph;
using egraph::ENodeId;
using tests::saturated;

namespace {

struct Subject : tests::GraphPrograms {
    Result<rules::RuleBook> book;

    explicit Subject(const std::string& names) : book(rules::RuleBook::load(names, registry)) {
        if (!book) qFatal("%s", book.error().render().c_str());
    }
    [[nodiscard]] std::vector<std::shared_ptr<const egraph::EGraphRule>> rules(const std::string& prefix = "") const {
        auto prepared = *egraph::prepareRules(book->directions());
        std::erase_if(prepared, [&](const auto& rule) { return !rule->name().starts_with(prefix); });
        return prepared;
    }
};

const rules::CompiledRule& multi(const rules::RuleBook& book, const std::string& name) {
    for (const auto& rule : book.directions()) {
        if (rule->name() == name) return *rules::compiledOf(*rule);
    }
    qFatal("there is no rule %s", name.c_str());
}

std::string products(int count) {
    std::string text = "graph f(x: f32[2,3])\n";
    for (int i = 0; i < count; ++i) text += fmt::format("  weight w{}: f32[3,{}]\n", i, i + 1);
    text += "  return (";
    for (int i = 0; i < count; ++i) text += fmt::format("{}MatMul(x, w{})", i == 0 ? "" : ", ", i);
    return text + ")\n";
}

/// Whether every e-node of one graph stands for a term of the other, and equal ones for equal terms.
bool isWithin(EGraph& inner, EGraph& outer) {
    std::map<std::uint32_t, std::uint32_t> classes;
    for (std::uint32_t id = 0; id < inner.idCount(); ++id) {
        if (!inner.isLive(ENodeId(id))) continue;
        const ENodeId there = outer.lookup(inner.term(ENodeId(id)));
        if (!there.isValid()) return false;
        const std::uint32_t its = outer.find(there).value;
        if (classes.try_emplace(inner.find(ENodeId(id)).value, its).first->second != its) return false;
    }
    return true;
}

}  // namespace

class TestJointRoots : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whichRootsMayTradePlaces() {
        const Subject s("tensor-default");
        using Matrix = std::vector<std::vector<bool>>;
        const Matrix both{{false, true}, {true, false}};
        const Matrix neither{{false, false}, {false, false}};
        // The same pattern over a shared operand, whichever of the two it is, also where attributes are shared or open.
        QCOMPARE(egraph::interchangeableRoots(multi(*s.book, "merge_matmul_left")), both);
        QCOMPARE(egraph::interchangeableRoots(multi(*s.book, "merge_matmul_right")), both);
        QCOMPARE(egraph::interchangeableRoots(multi(*s.book, "merge_gemm_left")), both);
        QCOMPARE(egraph::interchangeableRoots(multi(*s.book, "merge_conv")), both);
        QCOMPARE(egraph::interchangeableRoots(multi(*s.book, "merge_conv_batch")), both);
        // The condition says which window is the smaller one.
        QCOMPARE(egraph::interchangeableRoots(multi(*s.book, "merge_conv_enlarged")), neither);
        QCOMPARE(egraph::interchangeableRoots(multi(*s.book, "merge_matmul_three")),
                 (Matrix{{false, true, true}, {true, false, true}, {true, true, false}}));
    }

    /// A chain of two is no pair: its middle is the end of one and the beginning of the other.
    void chainsMayNotTradePlaces() {
        const auto loaded = rules::loadRules(
            SourceText("chain.rules",
                       "rule chain: Add(x, y), Add(y, z) => Add(y, x), Add(z, y)\n"
                       "rule typed: Relu(x), Relu(y) => Abs(x), Abs(y)\n    where x.rank == 2 and y.rank == 3\n"),
            dialects::makeRegistry());
        QVERIFY2(loaded.ok() && loaded->errors.empty(), loaded ? "" : loaded.error().render().c_str());
        for (const auto& rule : loaded->set.rules) {
            QVERIFY(!egraph::interchangeableRoots(*rules::compiledOf(*rule->directions.front()))[0][1]);
        }
    }

    /// x w0, x w1, x w2: merged in pairs, and each pair with the third; six merges of five e-nodes each (Concat, MatMul, Split and
    /// two parts). Twelve e-nodes are there at first: x, the weights, the products, the tuple.
    void productsAreMergedOnce_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("merges");
        QTest::newRow("one") << 1 << 0;
        QTest::newRow("two") << 2 << 1;
        QTest::newRow("three") << 3 << 6;
        // 6 pairs; each with one of the 2 others, or with their merge: 12 and 3; each of those 12 with the last: 12.
        QTest::newRow("four") << 4 << 6 + 12 + 3 + 12;
    }
    void productsAreMergedOnce() {
        QFETCH(const int, count);
        QFETCH(const int, merges);
        Subject s("tensor-multi");
        EGraph graph(s.bank);
        graph.add(s.parse(products(count)).root);
        const auto before = static_cast<int>(graph.nodeCount());
        egraph::SaturationOptions options;
        options.roots = egraph::RootChoice::Apart;
        options.limits.nodes = 5000;
        const egraph::SaturationReport report = saturated(graph, s.rules("merge_matmul_left"), options);
        QCOMPARE(std::string(toString(report.stop)), std::string("saturated"));
        std::size_t matches = 0;
        for (const auto& iteration : report.iterations) matches += iteration.rules.front().matches;
        QCOMPARE(static_cast<int>(matches), merges);
        QCOMPARE(static_cast<int>(graph.nodeCount()), before + 5 * merges);
    }

    /// Iteration by iteration the same terms become equal as when every iteration begins anew, which searches everything.
    void onlyNewMatchesAreEnough_data() {
        QTest::addColumn<QString>("rules");
        QTest::addColumn<int>("iterations");
        QTest::addColumn<QString>("program");
        const QString convolutions = QStringLiteral(
            "graph f(x: f32[1,2,4,4])\n"
            "  weight u: f32[2,2,1,1]\n"
            "  weight v: f32[3,2,3,3]\n"
            "  weight w: f32[3,2,3,3]\n"
            "  a = Relu(Conv[strides=[1,1], pads=[0,0,0,0], dilations=[1,1], group=1](x, u))\n"
            "  b = Relu(Conv[strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1](x, v))\n"
            "  c = Relu(Conv[strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1](x, w))\n"
            "  return Concat[axis=1](Concat[axis=1](b, c), a)\n");
        QTest::newRow("products") << QStringLiteral("tensor-matmul,tensor-multi") << 2
                                  << QString::fromStdString(products(2));
        QTest::newRow("convolutions") << QStringLiteral("tensor-conv,tensor-multi") << 2 << convolutions;
        QTest::newRow("several kinds") << QStringLiteral("tensor-movement,tensor-elementwise,tensor-multi") << 2
                                       << convolutions;
        QTest::newRow("one root") << QStringLiteral("tensor-movement,tensor-conv") << 4 << convolutions;
    }
    void onlyNewMatchesAreEnough() {
        QFETCH(const QString, rules);
        QFETCH(const int, iterations);
        QFETCH(const QString, program);
        Subject s(rules.toStdString());
        const ir::TermId root = s.parse(program.toStdString()).root;
        const auto all = s.rules();
        egraph::SaturationOptions options;
        options.limits.nodes = 20'000;  // not reached
        EGraph naive(s.bank, false);
        naive.add(root);
        options.limits.iterations = 1;
        for (int i = 0; i < iterations; ++i) saturated(naive, all, options);
        EGraph incremental(s.bank, false);
        incremental.add(root);
        options.limits.iterations = static_cast<std::uint32_t>(iterations);
        const egraph::SaturationReport report = saturated(incremental, all, options);
        QVERIFY(report.stop != egraph::StopReason::Nodes);
        QVERIFY(incremental.nodeCount() > 20);
        QCOMPARE(incremental.nodeCount(), naive.nodeCount());
        QCOMPARE(incremental.classCount(), naive.classCount());
        QVERIFY(isWithin(incremental, naive));
        QVERIFY(isWithin(naive, incremental));
    }

    void onlyNewMatchesAreEnoughInRandomGraphs() {
        Random random(11);
        for (int round = 0; round < 12; ++round) {
            Subject s("tensor,tensor-multi");
            const ir::TermId root = test::randomGraph(s.bank, random, 4 + round % 4).root;
            const auto all = s.rules();
            egraph::SaturationOptions options;
            options.limits.iterations = 1;
            EGraph naive(s.bank, false);
            naive.add(root);
            for (int i = 0; i < 2; ++i) saturated(naive, all, options);
            EGraph incremental(s.bank, false);
            incremental.add(root);
            options.limits.iterations = 2;
            saturated(incremental, all, options);
            QCOMPARE(incremental.nodeCount(), naive.nodeCount());
            QCOMPARE(incremental.classCount(), naive.classCount());
            QVERIFY(isWithin(incremental, naive));
        }
    }
};

MITOS_TEST(TestJointRoots)

}  // namespace tst_joint_roots

#include "tst_joint_roots.moc"
