// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations: every pair of terms of a class has a thread that the checker accepts.
#include "core/base/random.h"
#include "core/egraph/explain.h"
#include "tests/egraph/algebra.h"
#include "tests/support/test_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tst_explain {

using namespace mitos;
using namespace mitos::tests;
using egraph::EGraph;
using egraph::ENodeId;

namespace {

/// A program for a bare term: steps need one.
ir::Program programOf(ir::TermBank& bank, ir::TermId root) {
    ir::Function function;
    function.name = "main";
    std::set<std::uint32_t> seen;
    std::vector<ir::TermId> open{root};
    while (!open.empty()) {
        const ir::TermId at = open.back();
        open.pop_back();
        if (!seen.insert(at.value).second) continue;
        for (const ir::TermId child : bank.children(at)) open.push_back(child);
        if (bank.is(at, ir::CoreOp::Variable)) {
            function.parameters.push_back({bank.payload(at).asSymbol(), bank.type(at)});
        }
    }
    std::vector<ir::TypeId> types;
    for (const ir::Parameter& parameter : function.parameters) types.push_back(parameter.type);
    function.argument = types.size() == 1 ? types.front() : bank.types().tuple(types);
    function.result = bank.type(root);
    function.declaredResult = function.result;
    const Result<ir::FunctionId> declared = bank.declare(std::move(function));
    const ir::FunctionId id = declared ? *declared : bank.findFunction("main", bank.types().tuple(types));
    return {id, root};
}

const std::string Rings =
    "op zero() -> 1\nop one() -> 1\nop plus(x, y) -> 1\nop times(x, y) -> 1\n"
    "rule add_commutes: plus(x, y) => plus(y, x)\n"
    "rule mul_commutes: times(x, y) => times(y, x)\n"
    "rule add_associates: plus(plus(x, y), z) <=> plus(x, plus(y, z))\n"
    "rule distribute: times(x, plus(y, z)) <=> plus(times(x, y), times(x, z))\n"
    "rule add_zero: plus(x, zero()) => x\n"
    "rule mul_zero: times(x, zero()) => zero()\n"
    "rule mul_one: times(x, one()) => x\n";

}  // namespace

class TestExplain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void terms_data() {
        QTest::addColumn<QString>("rules");
        QTest::addColumn<QString>("term");
        QTest::addColumn<int>("iterations");
        QTest::addRow("commutes twice") << "op f(x, y) -> 1\nrule c: f(x, y) => f(y, x)\n"
                                        << "(f (f a b) (f c d))" << 4;
        QTest::addRow("associativity and commutativity")
            << "op f(x, y) -> 1\nrule c: f(x, y) => f(y, x)\nrule a: f(f(x, y), z) => f(x, f(y, z))\n"
            << QString::fromStdString(comb("f", 5)) << 20;
        QTest::addRow("ring") << QString::fromStdString(Rings)
                              << "(times (plus a (times b zero)) (plus one (times zero a)))" << 4;
        QTest::addRow("a fact invents a term")
            << "op f(x) -> 1\nop g(x) -> 1\nop zero() -> 1\nrule r: f(x) => zero()\nrule s: g(x) => f(x)\n"
            << "(f (g (g a)))" << 5;
    }
    /// Between the term itself and a term of every member of its class.
    void terms() {
        QFETCH(const QString, rules);
        QFETCH(const QString, term);
        QFETCH(const int, iterations);
        Algebra algebra(rules.toStdString());
        EGraph graph(algebra.bank());
        const ir::TermId start = algebra.term(term.toStdString());
        const ENodeId root = graph.addExactly(start);
        egraph::SaturationOptions options;
        options.limits.iterations = iterations;
        options.limits.nodes = 2000;
        saturate(graph, algebra.rules(), options);
        const ir::Program program = programOf(algebra.bank(), start);
        int explained = 0;
        const std::size_t ids = graph.idCount();
        for (std::uint32_t id = 0; id < ids; ++id) {
            if (graph.find(ENodeId(id)) != graph.find(root)) continue;
            const ir::TermId end = graph.term(ENodeId(id));
            const Result<rewrite::Thread> thread = egraph::explain(graph, program, end);
            QVERIFY2(thread.ok(), thread.ok() ? "" : thread.error().render().c_str());
            const rewrite::ThreadReport report = rewrite::check(algebra.bank(), *thread);
            QVERIFY2(report.valid, report.reason.c_str());
            QCOMPARE(algebra.text(thread->end().root), algebra.text(end));
            std::set<std::uint32_t> states{start.value};
            for (const ir::TermId state : thread->states) QVERIFY(states.insert(state.value).second);
            ++explained;
        }
        QVERIFY(explained > 1);
    }

    /// Terms that were never added as such: other choices of members all the way down.
    void otherTermsOfTheClass() {
        Algebra algebra(Rings);
        EGraph graph(algebra.bank());
        const ir::TermId start = algebra.term("(plus (times a b) (plus (times a c) (times zero d)))");
        const ENodeId root = graph.addExactly(start);
        egraph::SaturationOptions options;
        options.limits.nodes = 500;
        saturate(graph, algebra.rules(), options);
        const ir::Program program = programOf(algebra.bank(), start);
        Random random(7);
        const auto pick = [&](auto& self, ENodeId id, int depth) -> ir::TermId {
            const EGraph::Index& index = graph.index();
            const EGraph::IndexRange range = graph.indexRange(id);
            const ENodeId node(index.members[range.begin + random.below(range.end - range.begin)]);
            if (depth == 0) return graph.term(graph.best(id));
            const std::vector<std::uint32_t> classes(graph.children(node).begin(), graph.children(node).end());
            std::vector<ir::TermId> children;
            for (const std::uint32_t child : classes) children.push_back(self(self, ENodeId(child), depth - 1));
            return graph.heads().term(algebra.bank(), graph.headOf(node), children, {});
        };
        for (int i = 0; i < 40; ++i) {
            graph.rebuild();
            const ir::TermId end = pick(pick, root, 4);
            const Result<rewrite::Thread> thread = egraph::explain(graph, program, end);
            QVERIFY2(thread.ok(), thread.ok() ? "" : thread.error().render().c_str());
            const rewrite::ThreadReport report = rewrite::check(algebra.bank(), *thread);
            QVERIFY2(report.valid, report.reason.c_str());
            QCOMPARE(algebra.text(thread->end().root), algebra.text(end));
        }
    }

    /// Thousands of steps, thousands of levels down, would fill the memory; one of them does not.
    void proofsTooLargeForTheMemoryAreRefused() {
        Algebra algebra("op f(x) -> 1\nop g(x) -> 1\nrule r: f(x) => g(x)\n");
        EGraph graph(algebra.bank());
        constexpr int Levels = 2000;
        const auto chain = [&](const std::string& op, int innermost) {
            std::string text = "a";
            for (int i = 0; i < Levels; ++i) text = fmt::format("({} {})", i < innermost ? "g" : op, text);
            return algebra.term(text);
        };
        const ir::TermId start = chain("f", 0);
        graph.add(start);
        saturate(graph, algebra.rules());
        const ir::Program program = programOf(algebra.bank(), start);
        const Result<rewrite::Thread> one = egraph::explain(graph, program, chain("f", 1));
        QVERIFY2(one.ok(), one.ok() ? "" : one.error().render().c_str());
        QCOMPARE(one->steps.size(), std::size_t(1));
        const Result<rewrite::Thread> all = egraph::explain(graph, program, chain("g", 0));
        QVERIFY(!all.ok());
        QCOMPARE(all.error().message, std::string("the proof has too many steps for a program that deep"));
    }

    /// No rule makes the roots equal: only their children are.
    void congruence() {
        Algebra algebra("op f(x) -> 1\nop g(x, y) -> 1\nrule r: f(f(x)) => x\n");
        EGraph graph(algebra.bank());
        const ir::TermId start = algebra.term("(g (f (f (f (f a)))) (f (f b)))");
        graph.add(start);
        saturate(graph, algebra.rules());
        const ir::TermId end = algebra.term("(g a b)");
        const Result<rewrite::Thread> thread = egraph::explain(graph, programOf(algebra.bank(), start), end);
        QVERIFY2(thread.ok(), thread.ok() ? "" : thread.error().render().c_str());
        QVERIFY(rewrite::check(algebra.bank(), *thread).valid);
        QCOMPARE(thread->steps.size(), std::size_t(3));
        QVERIFY(thread->end().root == end);
    }

    void whatIsNotEqualIsNotExplained() {
        Algebra algebra(Rings);
        EGraph graph(algebra.bank());
        const ir::TermId start = algebra.term("(plus a b)");
        graph.add(start);
        saturate(graph, algebra.rules());
        const Result<rewrite::Thread> thread =
            egraph::explain(graph, programOf(algebra.bank(), start), algebra.term("(plus a a)"));
        QVERIFY(!thread.ok());
        QCOMPARE(thread.error().message, std::string("the two terms are not equal in the e-graph"));
    }
};

MITOS_TEST(TestExplain)

}  // namespace tst_explain

#include "tst_explain.moc"
