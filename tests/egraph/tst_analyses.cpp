// SPDX-License-Identifier: GPL-3.0-or-later
// E-class analyses: facts after unions, rebuilds, copies and undone changes.
#include "tests/egraph/algebra.h"
#include "tests/support/test_program.h"

#include <algorithm>
#include <memory>

namespace tst_analyses {

using namespace mitos;
using namespace mitos::tests;
using egraph::EGraph;
using egraph::ENodeId;
using egraph::Fact;
using egraph::NoFact;

namespace {

const std::string Operators =
    "op f(x) -> 1\nop g(x, y) -> 1\nop a() -> 1\nop b() -> 1\nop c() -> 1\nrule none: f(x) => f(x)\n";

/// The nodes of the smallest tree over a(), b() and c(): as a fact of classes. Terms with variables are unknown.
class TreeSize final : public egraph::ClassAnalysis {
public:
    Fact make(EGraph& graph, ENodeId node, std::span<const Fact> children) override {
        if (graph.headInfo(node).op == ir::opId(ir::CoreOp::Variable)) return NoFact;
        Fact sum = 1;
        for (const Fact child : children) {
            if (child == NoFact) return NoFact;
            sum += child;
        }
        return sum;
    }
    Fact join(Fact one, Fact other) override { return std::min(one, other); }
    [[nodiscard]] std::shared_ptr<ClassAnalysis> copy(ir::TermBank& /*bank*/) const override {
        return std::make_shared<TreeSize>(*this);
    }
};

/// Unites every class of size 3 with the constant a(), and prunes what stood there.
class ThreeIsA final : public egraph::ClassAnalysis {
public:
    explicit ThreeIsA(ir::TermId a) : m_a(a) {}

    Fact make(EGraph& graph, ENodeId node, std::span<const Fact> children) override {
        return m_size.make(graph, node, children);
    }
    Fact join(Fact one, Fact other) override { return m_size.join(one, other); }
    void settle(EGraph& graph, ENodeId eclass) override {
        if (graph.fact(0, eclass) != 3 && graph.find(graph.add(m_a)) != eclass) return;
        graph.unite(eclass, graph.add(m_a));
        graph.forEachMember(graph.find(eclass), [&](ENodeId member) {
            if (graph.isLive(member) && graph.headInfo(member).arity != 0) graph.prune(member);
        });
    }
    [[nodiscard]] std::shared_ptr<ClassAnalysis> copy(ir::TermBank& /*bank*/) const override {
        return std::make_shared<ThreeIsA>(*this);
    }

private:
    TreeSize m_size;
    ir::TermId m_a;
};

}  // namespace

class TestAnalyses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void factsAreMadeWithNodes() {
        Algebra algebra(Operators);
        EGraph graph(algebra.bank());
        const ENodeId before = graph.add(algebra.term("(f (g a b))"));
        graph.attach(std::make_shared<TreeSize>());
        graph.rebuild();
        QCOMPARE(graph.fact(0, before), 4U);
        QCOMPARE(graph.fact(0, graph.add(algebra.term("(g (f (g a b)) (f a))"))), 7U);
        QCOMPARE(graph.fact(0, graph.add(algebra.term("(g (f (g a b)) x)"))), NoFact);
    }

    void unionsAreHeardAbove() {
        Algebra algebra(Operators);
        EGraph graph(algebra.bank());
        graph.attach(std::make_shared<TreeSize>());
        const ENodeId top = graph.add(algebra.term("(f (g x (g x b)))"));
        const ENodeId other = graph.add(algebra.term("(f (f y))"));
        graph.rebuild();
        QCOMPARE(graph.fact(0, top), NoFact);
        graph.unite(graph.add(algebra.term("x")), graph.add(algebra.term("(f (f a))")));
        graph.rebuild();
        QCOMPARE(graph.fact(0, top), 10U);
        graph.unite(graph.add(algebra.term("x")), graph.add(algebra.term("c")));
        graph.rebuild();
        QCOMPARE(graph.fact(0, top), 6U);
        // A cycle: y = f(y) adds nothing; the chain ends.
        graph.unite(graph.add(algebra.term("y")), graph.add(algebra.term("(f y)")));
        graph.rebuild();
        QCOMPARE(graph.fact(0, other), NoFact);
        graph.unite(graph.add(algebra.term("y")), graph.add(algebra.term("a")));
        graph.rebuild();
        QCOMPARE(graph.fact(0, other), 1U);
    }

    void factsAreUndone() {
        Algebra algebra(Operators);
        EGraph graph(algebra.bank());
        graph.attach(std::make_shared<TreeSize>());
        const ENodeId top = graph.add(algebra.term("(g x (f b))"));
        graph.rebuild();
        const EGraph::Mark mark = graph.mark();
        graph.unite(graph.add(algebra.term("x")), graph.add(algebra.term("(f c)")));
        graph.rebuild();
        QCOMPARE(graph.fact(0, top), 5U);
        graph.undoTo(mark);
        QCOMPARE(graph.fact(0, top), NoFact);
        graph.unite(graph.add(algebra.term("x")), graph.add(algebra.term("(g c c)")));
        graph.rebuild();
        QCOMPARE(graph.fact(0, top), 6U);
    }

    void copiesGoTheirOwnWays() {
        Algebra algebra(Operators);
        EGraph graph(algebra.bank());
        graph.attach(std::make_shared<TreeSize>());
        const ir::TermId x = algebra.term("x");
        const ir::TermId a = algebra.term("a");
        const ir::TermId fa = algebra.term("(f a)");
        const ENodeId top = graph.add(algebra.term("(f x)"));
        graph.rebuild();
        EGraph same = graph;
        const std::unique_ptr<ir::TermBank> bank = algebra.bank().copy();
        EGraph other(graph, *bank, false);
        same.unite(same.add(x), same.add(a));
        same.rebuild();
        other.unite(other.add(x), other.add(fa));
        other.rebuild();
        QCOMPARE(graph.fact(0, top), NoFact);
        QCOMPARE(same.fact(0, top), 2U);
        QCOMPARE(other.fact(0, top), 3U);
    }

    void severalAnalysesAreApart() {
        Algebra algebra(Operators);
        EGraph graph(algebra.bank());
        const ENodeId top = graph.add(algebra.term("(f (f a))"));
        graph.attach(std::make_shared<TreeSize>());
        graph.add(algebra.term("(g b b)"));
        QCOMPARE(graph.attach(std::make_shared<TreeSize>()), std::size_t(1));
        const ENodeId next = graph.add(algebra.term("(g (f (f a)) b)"));
        graph.rebuild();
        for (const std::size_t analysis : {0U, 1U}) {
            QCOMPARE(graph.fact(analysis, top), 3U);
            QCOMPARE(graph.fact(analysis, next), 5U);
        }
    }

    // A settled class is united and pruned at once, also where the union makes another class known.
    void classesSettleInTheSameRebuild() {
        Algebra algebra(Operators);
        EGraph graph(algebra.bank());
        graph.attach(std::make_shared<ThreeIsA>(algebra.term("a")));
        const ENodeId top = graph.add(algebra.term("(g (g b c) (f (f b)))"));
        graph.rebuild();
        const ENodeId a = graph.lookup(algebra.term("a"));
        QVERIFY(graph.find(a) == graph.find(top));
        QVERIFY(graph.isPruned(graph.lookup(algebra.term("(g b c)"))));
        // a, b, c and f(b) remain; g(b, c), f(f(b)) and g(a, a) are pruned.
        QCOMPARE(graph.nodeCount(), std::size_t(4));
        const EGraph::Index& index = graph.index();
        QCOMPARE(index.members.size(), std::size_t(4));
        // What is added again is in the class, and is not counted.
        QVERIFY(graph.find(graph.add(algebra.term("(g b c)"))) == graph.find(a));
        QCOMPARE(graph.nodeCount(), std::size_t(4));
    }

    void prunedNodesComeBackWhenUndone() {
        Algebra algebra(Operators);
        EGraph graph(algebra.bank());
        const ENodeId node = graph.add(algebra.term("(f b)"));
        graph.rebuild();
        const EGraph::Mark mark = graph.mark();
        graph.unite(node, graph.add(algebra.term("a")));
        graph.rebuild();
        graph.prune(node);
        QCOMPARE(graph.nodeCount(), std::size_t(2));
        QCOMPARE(graph.index().members.size(), std::size_t(2));
        graph.undoTo(mark);
        QCOMPARE(graph.nodeCount(), std::size_t(2));
        QCOMPARE(graph.index().members.size(), std::size_t(2));
        QVERIFY(!graph.isPruned(node));
    }
};

MITOS_TEST(TestAnalyses)

}  // namespace tst_analyses

#include "tst_analyses.moc"
