// SPDX-License-Identifier: GPL-3.0-or-later
// Saturation against numbers that do not depend on the engine (egraph.md, section 1), and its limits.
#include "tests/egraph/algebra.h"
#include "tests/support/test_program.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tst_saturation {

using namespace mitos;
using namespace mitos::tests;
using egraph::EGraph;

namespace {

const std::string Commutative = "op f(x, y) -> 1\nrule commute: f(x, y) => f(y, x)\n";
const std::string AssociativeCommutative = Commutative + "rule associate: f(f(x, y), z) => f(x, f(y, z))\n";
const std::string AssociativeBothWays = "op f(x, y) -> 1\nrule associate: f(f(x, y), z) <=> f(x, f(y, z))\n";

std::size_t power(std::size_t base, int exponent) {
    std::size_t result = 1;
    for (int i = 0; i < exponent; ++i) result *= base;
    return result;
}

}  // namespace

class TestSaturation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void associativityAndCommutativity_data() {
        QTest::addColumn<int>("n");
        QTest::addColumn<bool>("explain");
        for (const int n : {2, 3, 4, 5, 6, 7, 8, 9}) {
            QTest::addRow("AC-%d", n) << n << false;
            QTest::addRow("AC-%d with reasons", n) << n << true;
        }
    }
    void associativityAndCommutativity() {
        QFETCH(const int, n);
        QFETCH(const bool, explain);
        Algebra algebra(AssociativeCommutative);
        EGraph graph(algebra.bank(), explain);
        graph.add(algebra.term(comb("f", n)));
        const egraph::SaturationReport report = saturate(graph, algebra.rules());
        QCOMPARE(std::string(toString(report.stop)), std::string("saturated"));
        QCOMPARE(graph.classCount(), power(2, n) - 1);
        QCOMPARE(graph.nodeCount(), power(3, n) - power(2, n + 1) + 1 + std::size_t(n));
    }

    void associativity_data() {
        QTest::addColumn<int>("n");
        for (const int n : {2, 3, 5, 10, 20, 30}) QTest::addRow("ASSOC-%d", n) << n;
    }
    void associativity() {
        QFETCH(const int, n);
        Algebra algebra(AssociativeBothWays);
        EGraph graph(algebra.bank());
        graph.add(algebra.term(comb("f", n)));
        const egraph::SaturationReport report = saturate(graph, algebra.rules());
        QCOMPARE(std::string(toString(report.stop)), std::string("saturated"));
        const auto m = static_cast<std::size_t>(n);
        QCOMPARE(graph.classCount(), m * (m + 1) / 2);
        QCOMPARE(graph.nodeCount(), m + (m * m * m - m) / 6);
    }

    void transitiveClosure_data() {
        QTest::addColumn<QString>("closure");
        QTest::addColumn<int>("n");
        const QString flat = QStringLiteral("rule trans: path(x, y), path(y, z) => path(x, z), path(y, z)");
        // The alternates of a named pattern ask for the general matcher.
        const QString general = QStringLiteral(
            "pattern Step(x, y) = path(x, y)\nrule trans: Step(x, y), Step(y, z) => path(x, z), path(y, z)");
        for (const int n : {1, 2, 5, 10, 30}) QTest::addRow("TC-%d", n) << flat << n;
        for (const int n : {1, 2, 5}) QTest::addRow("TC-%d by the general matcher", n) << general << n;
    }
    /// Facts are terms equal to yes().
    void transitiveClosure() {
        QFETCH(const QString, closure);
        QFETCH(const int, n);
        std::string text = "op path(x, y) -> 1\nop next(x) -> 1\nop yes() -> 1\n" + closure.toStdString() + "\n";
        Algebra algebra(text);
        EGraph graph(algebra.bank());
        const egraph::ENodeId yes = graph.add(algebra.term("yes"));
        for (int i = 0; i < n; ++i) {
            const std::string edge = "(path a" + std::to_string(i) + " a" + std::to_string(i + 1) + ")";
            graph.unite(graph.add(algebra.term(edge)), yes);
        }
        const egraph::SaturationReport report = saturate(graph, algebra.rules());
        QCOMPARE(std::string(toString(report.stop)), std::string("saturated"));
        const auto m = static_cast<std::size_t>(n);
        QCOMPARE(graph.nodeCount(), m * (m + 1) / 2 + (m + 1) + 1);
        QCOMPARE(graph.classCount(), m + 2);
    }

    /// After a contradiction the graph is what it would be without the rule that made it.
    void contradictionsAreTakenBack() {
        Algebra algebra("op f(x) -> 1\nrule good: f(x) => x * 0.0\nrule bad: f(x) => 1.0\nrule zero: x * 0.0 => 0.0\n");
        EGraph graph(algebra.bank());
        const egraph::ENodeId start = graph.add(algebra.term("(f a)"));
        int seen = 0;
        const Result<egraph::SaturationReport> report =
            egraph::saturate(graph, algebra.rules(), {}, {}, [&](const egraph::SaturationReport&, EGraph& now) {
                ++seen;
                return !now.contradiction().has_value();  // nobody sees a graph in which everything is equal
            });
        QVERIFY(report.ok());
        QVERIFY(seen > 1);
        QCOMPARE(std::string(toString(report->stop)), std::string("saturated"));
        QCOMPARE(report->leftOut.size(), std::size_t(1));
        QCOMPARE(report->leftOut[0].rule, std::string("zero"));  // of equals the last one
        QCOMPARE(report->leftOut[0].reason, std::string(R"(0.0 and 1.0 became equal:
  0.0
  = (mul a 0.0)   reversed zero at /
  = (f a)   reversed good at /
  = 1.0   bad at /)"));
        EGraph without(algebra.bank());
        without.add(algebra.term("(f a)"));
        std::vector<std::shared_ptr<const egraph::EGraphRule>> others;
        for (const auto& rule : algebra.rules()) {
            if (rule->name() != "zero") others.push_back(rule);
        }
        saturate(without, others);
        QCOMPARE(graph.nodeCount(), without.nodeCount());
        QCOMPARE(graph.classCount(), without.classCount());
        QCOMPARE(graph.find(graph.lookup(algebra.bank().floating(1.0))), graph.find(start));
    }

    /// A run ends after the iteration in which its condition holds.
    void conditionsEndARun() {
        Algebra algebra(AssociativeCommutative);
        EGraph graph(algebra.bank());
        const egraph::ENodeId start = graph.add(algebra.term("(f a (f b c))"));
        const egraph::ENodeId goal = graph.add(algebra.term("(f c (f b a))"));
        egraph::SaturationOptions options;
        options.stopWhen = [&](const egraph::SaturationReport&, const EGraph& now) {
            return now.find(start) == now.find(goal);
        };
        // Commuting both products comes first: f(f(c, b), a); associativity then makes the goal.
        const egraph::SaturationReport report = saturate(graph, algebra.rules(), options);
        QCOMPARE(std::string(toString(report.stop)), std::string("found"));
        QCOMPARE(report.iterations.size(), std::size_t(2));
        // It holds by now, so nothing is applied; a limit reached at the same time does not matter.
        options.limits.iterations = 0;
        const egraph::SaturationReport again = saturate(graph, algebra.rules(), options);
        QCOMPARE(std::string(toString(again.stop)), std::string("found"));
        QVERIFY(again.iterations.empty());
    }

    /// After a contradiction the run begins anew, which its condition recognizes by a report without iterations.
    void conditionsFollowRestarts() {
        Algebra algebra("op f(x) -> 1\nrule good: f(x) => x * 0.0\nrule bad: f(x) => 1.0\nrule zero: x * 0.0 => 0.0\n");
        EGraph graph(algebra.bank());
        graph.add(algebra.term("(f a)"));
        std::vector<std::size_t> seen;
        egraph::SaturationOptions options;
        options.stopWhen = [&](const egraph::SaturationReport& report, const EGraph& now) {
            seen.push_back(report.iterations.size());
            return now.contradiction().has_value();
        };
        const egraph::SaturationReport report = saturate(graph, algebra.rules(), options);
        QCOMPARE(std::string(toString(report.stop)), std::string("saturated"));
        QCOMPARE(seen, (std::vector<std::size_t>{0, 1, 0, 1, 2}));
    }

    /// The least sound rule on the way goes, and all that it did: also what it did before the contradiction showed.
    void theLeastSoundRuleIsLeftOut() {
        Algebra algebra(
            "op f(x) -> 1\nop g(x) -> 1\nop h(x) -> 1\n"
            "rule doubtful [domain]: f(x) => g(x)\nrule one [exact]: f(x) => h(x)\n"
            "rule two [exact]: h(x) => 1.0\nrule three [exact]: g(x) => 2.0\n");
        EGraph graph(algebra.bank());
        graph.add(algebra.term("(f a)"));
        const egraph::SaturationReport report = saturate(graph, algebra.rules());
        QCOMPARE(report.leftOut.size(), std::size_t(1));
        QCOMPARE(report.leftOut[0].rule, std::string("doubtful"));
        QVERIFY(!graph.lookup(algebra.term("(g a)")).isValid());
        QVERIFY(graph.lookup(algebra.term("(h a)")).isValid());
    }

    /// Variables stand for different values: of two that became equal, or one and a number, everything follows as well.
    void variablesAreNotEqual() {
        for (const char* const right : {"x", "0.0"}) {
            Algebra algebra(std::string("op f(x, y) -> 1\nrule c: f(x, y) => f(y, x)\nrule bad [domain]: f(x, y) => ") +
                            right + "\nrule r: f(x, x) => x\n");
            EGraph graph(algebra.bank());
            graph.add(algebra.term("(f (f a b) (f a a))"));
            const egraph::SaturationReport report = saturate(graph, algebra.rules());
            QCOMPARE(std::string(toString(report.stop)), std::string("saturated"));
            QCOMPARE(report.leftOut.size(), std::size_t(1));
            QCOMPARE(report.leftOut[0].rule, std::string("bad"));
            QVERIFY(graph.find(graph.lookup(algebra.term("a"))) != graph.find(graph.lookup(algebra.term("b"))));
        }
    }

    /// What is contradictory before any rule is applied is no rule's fault.
    void contradictoryFactsAreReported() {
        Algebra algebra("op f(x) -> 1\nrule r: f(x) => x * 2.0\n");
        EGraph graph(algebra.bank());
        graph.unite(graph.add(algebra.term("1.0")), graph.add(algebra.term("2.0")));
        const egraph::SaturationReport report = saturate(graph, algebra.rules());
        QCOMPARE(std::string(toString(report.stop)), std::string("contradiction"));
        QVERIFY2(report.detail == "1.0 and 2.0 became equal" || report.detail == "2.0 and 1.0 became equal",
                 report.detail.c_str());
        QVERIFY(report.leftOut.empty());
    }

    /// No application goes beyond the limit, and the graph stays closed under congruence.
    void nodeLimitHolds_data() {
        QTest::addColumn<int>("limit");
        for (const int limit : {9, 10, 30, 100, 1000}) QTest::addRow("%d nodes", limit) << limit;
    }
    void nodeLimitHolds() {
        QFETCH(const int, limit);
        Algebra algebra(AssociativeCommutative);
        EGraph graph(algebra.bank());
        graph.add(algebra.term(comb("f", 9)));
        egraph::SaturationOptions options;
        options.limits.nodes = limit;
        const std::size_t start = graph.nodeCount();
        const egraph::SaturationReport report = saturate(graph, algebra.rules(), options);
        QCOMPARE(std::string(toString(report.stop)), std::string("nodes"));
        QVERIFY(graph.nodeCount() <= std::max<std::size_t>(start, std::size_t(limit)));
        for (const egraph::IterationReport& iteration : report.iterations) {
            QVERIFY(iteration.nodes <= std::max<std::size_t>(start, std::size_t(limit)));
        }
    }

    /// Whatever the order of rules, and of what is added first.
    void orderMakesNoDifference() {
        Algebra algebra(AssociativeCommutative);
        auto rules = algebra.rules();
        std::reverse(rules.begin(), rules.end());
        EGraph graph(algebra.bank());
        for (const char* leaf : {"a3", "a1", "(f a6 a2)", "(f a4 a5)"}) graph.add(algebra.term(leaf));
        graph.add(algebra.term(comb("f", 6)));
        saturate(graph, rules);
        EGraph plain(algebra.bank());
        plain.add(algebra.term(comb("f", 6)));
        saturate(plain, algebra.rules());
        QCOMPARE(graph.nodeCount(), plain.nodeCount());
        QCOMPARE(graph.classCount(), plain.classCount());
    }

    void schedulersReachTheSame_data() {
        QTest::addColumn<QString>("scheduler");
        for (const char* name : {"simple", "backoff", "sequential"}) QTest::newRow(name) << QString::fromLatin1(name);
    }
    void schedulersReachTheSame() {
        QFETCH(const QString, scheduler);
        Algebra algebra(AssociativeCommutative);
        EGraph graph(algebra.bank());
        graph.add(algebra.term(comb("f", 7)));
        egraph::SaturationOptions options;
        options.scheduler = scheduler.toStdString();
        options.schedulerOptions.matchLimit = 20;
        const egraph::SaturationReport report = saturate(graph, algebra.rules(), options);
        QCOMPARE(std::string(toString(report.stop)), std::string("saturated"));
        QCOMPARE(graph.classCount(), power(2, 7) - 1);
        QCOMPARE(graph.nodeCount(), power(3, 7) - power(2, 8) + 1 + 7);
    }

    /// A copy is another graph, and what follows a mark can be taken back.
    void copiesAndMarks() {
        Algebra algebra(AssociativeCommutative);
        EGraph graph(algebra.bank());
        graph.add(algebra.term(comb("f", 5)));
        graph.rebuild();
        EGraph copy = graph;
        const EGraph::Mark mark = graph.mark();
        saturate(graph, algebra.rules());
        const std::size_t nodes = graph.nodeCount();
        const std::size_t classes = graph.classCount();
        QVERIFY(nodes > copy.nodeCount());
        graph.undoTo(mark);
        QCOMPARE(graph.nodeCount(), copy.nodeCount());
        QCOMPARE(graph.classCount(), copy.classCount());
        QCOMPARE(graph.idCount(), copy.idCount());
        saturate(graph, algebra.rules());
        QCOMPARE(graph.nodeCount(), nodes);
        saturate(copy, algebra.rules());
        QCOMPARE(copy.nodeCount(), nodes);
        QCOMPARE(copy.classCount(), classes);
    }

    void greatestCommonDivisor_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        for (const auto& [m, n] : {std::pair{4, 6}, {12, 18}, {7, 13}, {1, 9}, {35, 49}, {100, 100}, {144, 89}}) {
            QTest::addRow("GCD-%d-%d", m, n) << m << n;
        }
    }
    /// Congruence alone: f^m(a) = a and f^n(a) = a leave gcd(m, n) classes.
    void greatestCommonDivisor() {
        QFETCH(const int, m);
        QFETCH(const int, n);
        Algebra algebra("op f(x) -> 1\nrule r: f(f(x)) => f(f(x))\n");
        const auto iterated = [&](int times) {
            std::string text;
            for (int i = 0; i < times; ++i) text += "(f ";
            return algebra.term(text + "a" + std::string(static_cast<std::size_t>(times), ')'));
        };
        EGraph graph(algebra.bank());
        graph.unite(graph.add(iterated(m)), graph.add(algebra.term("a")));
        graph.unite(graph.add(iterated(n)), graph.add(algebra.term("a")));
        graph.rebuild();
        QCOMPARE(graph.classCount(), static_cast<std::size_t>(std::gcd(m, n)));
    }
};

MITOS_TEST(TestSaturation)

}  // namespace tst_saturation

#include "tst_saturation.moc"
