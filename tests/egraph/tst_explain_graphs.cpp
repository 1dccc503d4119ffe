// SPDX-License-Identifier: GPL-3.0-or-later
// Threads between programs that are graphs: a shared node is rewritten once, wherever it is used.
#include "core/egraph/explain.h"
#include "core/eval/evaluator.h"
#include "tests/dialects/random_graphs.h"
#include "tests/egraph/graph_programs.h"
#include "tests/support/test_program.h"

#include <QtTest/QTest>
#include <fmt/format.h>

template <>
inline char* QTest::toString(const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& each : list) text += each + "; ";
    return qstrdup(text.c_str());
}

namespace tst_explain_graphs {

using namespace mitos;
using egraph::EGraph;
using ir::TermId;

namespace {

struct Subject : tests::GraphPrograms {
    Result<rules::LoadedRules> loaded;

    explicit Subject(const std::string& rules) : loaded(rules::loadRules(SourceText("test.rules", rules), registry)) {
        if (!loaded) qFatal("%s", loaded.error().render().c_str());
        for (const Error& error : loaded->errors) qFatal("%s", error.render().c_str());
    }
    [[nodiscard]] std::vector<std::shared_ptr<const egraph::EGraphRule>> rules() const {
        std::vector<std::shared_ptr<const rules::DirectedRule>> directions;
        for (const auto& rule : loaded->set.rules) {
            directions.insert(directions.end(), rule->directions.begin(), rule->directions.end());
        }
        return *egraph::prepareRules(directions);
    }
    /// Saturates a graph of the program.
    EGraph grown(const ir::Program& program, egraph::CycleFilter filter = egraph::CycleFilter::Efficient,
                 std::uint64_t nodes = 600) {
        EGraph graph(bank);
        graph.add(program.root);
        egraph::SaturationOptions options;
        options.limits = {6, nodes, std::nullopt, std::nullopt};
        options.cycles = filter;
        tests::saturated(graph, rules(), options);
        return graph;
    }
};

std::vector<std::string> namesOf(const rewrite::Thread& thread) {
    std::vector<std::string> names;
    for (const rewrite::Step& step : thread.steps) names.push_back(step.name() + " " + step.place());
    return names;
}

const std::string Signature = "graph f(x: f32[2,3], y: f32[2,3])\n";

/// A random program of the graph's root class: of every class one node, none over itself.
TermId randomTerm(EGraph& graph, egraph::ENodeId root, Random& random) {
    const EGraph::Index& index = graph.index();
    std::vector<TermId> terms(graph.idCount());
    std::vector<std::uint32_t> order = index.members;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
        for (const std::uint32_t node : order) {
            TermId& term = terms[graph.find(egraph::ENodeId(node)).value];
            if (term.isValid()) continue;
            std::vector<TermId> children;
            for (const std::uint32_t child : graph.children(egraph::ENodeId(node))) {
                children.push_back(terms[graph.find(egraph::ENodeId(child)).value]);
            }
            if (std::any_of(children.begin(), children.end(), [](TermId child) { return !child.isValid(); })) continue;
            term = graph.heads().term(graph.bank(), graph.headOf(egraph::ENodeId(node)), children, {});
            changed = true;
        }
    }
    return terms[graph.find(root).value];
}

}  // namespace

class TestExplainGraphs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNewNodeDoesNotHaveTheNameOfAnother() {
        tests::GraphPrograms programs;
        const ir::TermBank& bank = programs.bank;
        const ir::Program program = programs.parse(
            "graph f(x: f32[2,2])\n"
            "  weight w: f32[2,2]\n"
            "  a = MatMul(x, w)\n"
            "  return Relu(a)\n");
        EGraph graph(programs.bank);
        graph.add(program.root);
        const TermId a = bank.child(program.root, 0);
        const egraph::ENodeId w = graph.add(bank.child(a, 1));
        const std::vector<egraph::ENodeId> children{w, w};
        const TermId made = graph.term(graph.addNode(graph.head(a), children));
        QVERIFY(made != a && bank.type(made) == bank.type(a));
        QVERIFY(!bank.hint(made).isValid());
        QCOMPARE(std::string(bank.text(bank.hint(graph.term(graph.add(a))))), std::string("a"));
    }

    void aSharedNodeIsRewrittenOnce() {
        Subject s("rule once: Relu(Relu(a)) => Relu(a)\n");
        const ir::Program program = s.parse(Signature +
                                            "  r = Relu(Relu(x))\n"
                                            "  return Mul(Add(r, y), Add(y, r))\n");
        const ir::Program wanted = s.parse(
            "graph g(x: f32[2,3], y: f32[2,3])\n"
            "  r = Relu(x)\n"
            "  return Mul(Add(r, y), Add(y, r))\n");
        EGraph graph = s.grown(program);
        const Result<rewrite::Thread> thread = egraph::explain(graph, program, wanted.root);
        QVERIFY2(thread.ok(), thread ? "" : thread.error().render().c_str());
        QCOMPARE(namesOf(*thread), (std::vector<std::string>{"once /0/0"}));
        QVERIFY(rewrite::check(s.bank, *thread).valid);
        QCOMPARE(thread->end().root, wanted.root);
    }

    void explainingStops() {
        Subject s("rule once: Relu(Relu(a)) => Relu(a)\n");
        const ir::Program program = s.parse(Signature + "  return Mul(Relu(Relu(x)), Relu(Relu(y)))\n");
        const ir::Program wanted = s.parse("graph g(x: f32[2,3], y: f32[2,3])\n  return Mul(Relu(x), Relu(y))\n");
        EGraph graph = s.grown(program);
        const auto stopped = egraph::explain(graph, program, wanted.root, [] { return false; });
        QVERIFY(!stopped.ok());
        QVERIFY(stopped.error().code == ErrorCode::Cancelled);
        int left = 4;
        const auto late = egraph::explain(graph, program, wanted.root, [&] { return --left > 0; });
        QVERIFY(!late.ok());
        QVERIFY(late.error().code == ErrorCode::Cancelled);
        const auto whole = egraph::explain(graph, program, wanted.root, [] { return true; });
        QVERIFY(whole.ok());
        QCOMPARE(whole->steps.size(), std::size_t(2));
    }

    /// The sum is turned round before the product of both its uses can be factored, and the factor is used by both products.
    void stepsDependOnEachOther() {
        Subject s(
            "rule turn: Mul(a, b) => Mul(b, a)\n"
            "rule factor: Add(Mul(a, b), Mul(a, c)) => Mul(a, Add(b, c))\n");
        const ir::Program program = s.parse(Signature +
                                            "  p = Mul(x, y)\n"
                                            "  return Add(Add(p, Mul(y, y)), p)\n");
        const ir::Program wanted = s.parse(
            "graph g(x: f32[2,3], y: f32[2,3])\n"
            "  p = Mul(y, x)\n"
            "  return Add(Mul(y, Add(x, y)), p)\n");
        EGraph graph = s.grown(program);
        const Result<rewrite::Thread> thread = egraph::explain(graph, program, wanted.root);
        QVERIFY2(thread.ok(), thread ? "" : thread.error().render().c_str());
        QCOMPARE(namesOf(*thread), (std::vector<std::string>{"turn /0/0", "factor /0"}));
        QVERIFY(rewrite::check(s.bank, *thread).valid);
        QCOMPARE(thread->end().root, wanted.root);
    }

    /// A rule that leaves one of its variables is united with the smallest term of the variable's class, which the program does not
    /// contain: there the variable is another term of the class.
    void whatARuleLeavesMayBeAnotherTermOfTheClass() {
        Subject s("rule drop: Dropout(a) => a\nrule undo: Neg(Neg(a)) => a\n");
        const ir::Program program = s.parse(Signature + "  d = Dropout(x)\n  return Add(Neg(Neg(d)), y)\n");
        const ir::Program wanted = s.parse("graph g(x: f32[2,3], y: f32[2,3])\n  return Add(x, y)\n");
        EGraph graph = s.grown(program);
        const Result<rewrite::Thread> thread = egraph::explain(graph, program, wanted.root);
        QVERIFY2(thread.ok(), thread ? "" : thread.error().render().c_str());
        QCOMPARE(namesOf(*thread), (std::vector<std::string>{"undo /0", "drop /0"}));
        QVERIFY(rewrite::check(s.bank, *thread).valid);
        QCOMPARE(thread->end().root, wanted.root);
    }

    /// Where a variable stands twice for terms that are equal but not the same, the larger becomes the smaller; x cannot become a
    /// program over x wherever it is used.
    void termsOfARepeatedVariableBecomeTheSmallest_data() {
        QTest::addColumn<QString>("maximum");
        QTest::newRow("first") << QStringLiteral("Max(Dropout(x), x)");
        QTest::newRow("second") << QStringLiteral("Max(x, Dropout(x))");
    }
    void termsOfARepeatedVariableBecomeTheSmallest() {
        QFETCH(const QString, maximum);
        Subject s("rule drop: Dropout(a) => a\nrule self: Max(a, a) => a\n");
        const ir::Program program = s.parse(Signature + "  return Add(" + maximum.toStdString() + ", y)\n");
        const ir::Program wanted = s.parse("graph g(x: f32[2,3], y: f32[2,3])\n  return Add(x, y)\n");
        EGraph graph = s.grown(program);
        const Result<rewrite::Thread> thread = egraph::explain(graph, program, wanted.root);
        QVERIFY2(thread.ok(), thread ? "" : thread.error().render().c_str());
        QCOMPARE(thread->steps.size(), std::size_t{2});
        QVERIFY(rewrite::check(s.bank, *thread).valid);
        QCOMPARE(thread->end().root, wanted.root);
    }

    void bothRootsOfARuleAreSteps() {
        Subject s(
            "rule merge: MatMul(x, y), MatMul(x, z) => s.0, s.1\n"
            "    let m = MatMul(x, Concat[axis=1](y, z)), s = Split[axis=1, sizes=[y.shape[1], z.shape[1]]](m)\n"
            "    where y.rank == 2 and z.rank == 2\n");
        const ir::Program program = s.parse(
            "graph f(x: f32[1,4])\n"
            "  weight u: f32[4,4]\n"
            "  weight v: f32[4,4]\n"
            "  return (MatMul(x, u), MatMul(x, v))\n");
        EGraph graph = s.grown(program);
        const ir::Program wanted = s.parse(
            "graph g(x: f32[1,4])\n"
            "  weight u: f32[4,4]\n"
            "  weight v: f32[4,4]\n"
            "  s = Split[axis=1, sizes=[4, 4]](MatMul(x, Concat[axis=1](u, v)))\n"
            "  return (s[0], s[1])\n");
        const Result<rewrite::Thread> thread = egraph::explain(graph, program, wanted.root);
        QVERIFY2(thread.ok(), thread ? "" : thread.error().render().c_str());
        QCOMPARE(thread->steps.size(), std::size_t{2});
        QCOMPARE(thread->steps[0].rule->name(), std::string("merge.1"));
        QCOMPARE(thread->steps[1].rule->name(), std::string("merge.0"));
        QVERIFY(rewrite::check(s.bank, *thread).valid);
        QCOMPARE(thread->end().root, wanted.root);
    }

    /// A rule with two roots brings in the other root's input, which is no part of the state any more once that root was rewritten and its
    /// products joined: it comes back over what the state has below it, not over the
    /// program of the start, so that no step is undone.
    void whatAStepBringsInIsThatOfTheState() {
        Subject s(
            "rule merge: Relu(a), Relu(b) => s.0, s.1\n"
            "    let m = Relu(Concat[axis=1](a, b)), s = Split[axis=1, sizes=[a.shape[1], b.shape[1]]](m)\n"
            "    where a.rank == 2 and b.rank == 2 and a.shape[0] == b.shape[0]\n"
            "rule join: Concat[axis=1](MatMul(x, u), MatMul(x, v)) => MatMul(x, Concat[axis=1](u, v)) where x.rank == "
            "2\n");
        std::string start = "graph f(x0: f32[1,4])\n";
        std::string end = start;
        for (int i = 0; i < 3; ++i) {
            const std::string weights = fmt::format("  weight u{0}: f32[4,4]\n  weight v{0}: f32[4,4]\n", i);
            start += weights;
            end += weights;
        }
        for (int i = 0; i < 3; ++i) {
            start += fmt::format("  x{1} = Mul(Relu(MatMul(x{0}, u{0})), Relu(MatMul(x{0}, v{0})))\n", i, i + 1);
            end += fmt::format(
                "  s{0} = Split[axis=1, sizes=[4, 4]](Relu(MatMul(x{0}, Concat[axis=1](u{0}, v{0}))))\n"
                "  x{1} = Mul(s{0}[0], s{0}[1])\n",
                i, i + 1);
        }
        const ir::Program program = s.parse(start + "  return x3\n");
        const ir::Program wanted = s.parse(end + "  return x3\n");
        EGraph graph = s.grown(program);
        const Result<rewrite::Thread> thread = egraph::explain(graph, program, wanted.root);
        QVERIFY2(thread.ok(), thread ? "" : thread.error().render().c_str());
        QVERIFY(rewrite::check(s.bank, *thread).valid);
        QCOMPARE(thread->end().root, wanted.root);
        QCOMPARE(thread->steps.size(), std::size_t{12});
    }

    /// A step rewrites a node wherever it is used, so one half of x + x cannot be turned without the other.
    void whatNoStepsCanReachIsSaid() {
        Subject s("rule turn: Mul(a, b) => Mul(b, a)\n");
        const ir::Program program = s.parse(Signature + "  p = Mul(x, y)\n  return Add(p, p)\n");
        const ir::Program wanted = s.parse("graph g(x: f32[2,3], y: f32[2,3])\n  return Add(Mul(x, y), Mul(y, x))\n");
        EGraph graph = s.grown(program);
        const Result<rewrite::Thread> thread = egraph::explain(graph, program, wanted.root);
        QVERIFY(!thread.ok());
        QCOMPARE(thread.error().code, ErrorCode::Unsupported);
        const ir::Program turned = s.parse("graph g(x: f32[2,3], y: f32[2,3])\n  p = Mul(y, x)\n  return Add(p, p)\n");
        const Result<rewrite::Thread> explained = egraph::explain(graph, program, turned.root);
        QVERIFY2(explained.ok(), explained ? "" : explained.error().render().c_str());
        QCOMPARE(namesOf(*explained), (std::vector<std::string>{"turn /0"}));

        const ir::Program other = s.parse("graph h(x: f32[2,3], y: f32[2,3])\n  return Add(x, y)\n");
        const Result<rewrite::Thread> wrong = egraph::explain(graph, program, other.root);
        QVERIFY(!wrong.ok());
        QCOMPARE(wrong.error().message, std::string("the two terms are not equal in the e-graph"));
    }

    /// What steps reach is reached all the same.
    void whatNoStepsCanReachIsLeftAsItIs() {
        Subject s("rule turn: Mul(a, b) => Mul(b, a)\nrule once: Relu(Relu(a)) => Relu(a)\n");
        const ir::Program program = s.parse(Signature + "  p = Mul(x, y)\n  return Add(Add(p, p), Relu(Relu(x)))\n");
        const ir::Program wanted =
            s.parse("graph g(x: f32[2,3], y: f32[2,3])\n  return Add(Add(Mul(x, y), Mul(y, x)), Relu(x))\n");
        EGraph graph = s.grown(program);
        QVERIFY(!egraph::explain(graph, program, wanted.root).ok());
        const Result<egraph::Approach> found = egraph::approach(graph, program, wanted.root);
        QVERIFY2(found.ok(), found ? "" : found.error().render().c_str());
        QVERIFY(found->missing.has_value());
        QCOMPARE(namesOf(found->thread), (std::vector<std::string>{"once /1"}));
        QVERIFY(rewrite::check(s.bank, found->thread).valid);
    }

    /// Whatever is chosen, one node for each class, the thread leads there, is checked, and the value stays.
    void threadsToRandomChoicesCheck_data() {
        QTest::addColumn<int>("filter");
        QTest::newRow("none") << static_cast<int>(egraph::CycleFilter::None);
        QTest::newRow("efficient") << static_cast<int>(egraph::CycleFilter::Efficient);
    }
    void threadsToRandomChoicesCheck() {
        QFETCH(const int, filter);
        Subject s(
            "rule turn: Mul(a, b) => Mul(b, a)\n"
            "rule turn_sum: Add(a, b) => Add(b, a)\n"
            "rule shift: Add(Add(a, b), c) <=> Add(a, Add(b, c))\n"
            "rule factor: Add(Mul(a, b), Mul(a, c)) <=> Mul(a, Add(b, c))\n"
            "rule once: Relu(Relu(a)) <=> Relu(a)\n"
            "rule drop: Dropout(a) => a\n"
            "rule undo: Neg(Neg(a)) => a\n"
            "rule negate: Mul(a, Relu(b)) => Neg(Mul(Neg(a), Dropout(Relu(b))))\n"
            "rule pair: Relu(a), Relu(b) => s.0, s.1\n"
            "    let s = Split[axis=0, sizes=[2, 2]](Relu(Concat[axis=0](a, b)))\n");
        Random random(5);
        std::size_t steps = 0;
        std::size_t unexplained = 0;
        constexpr int Rounds = 40;
        for (int round = 0; round < Rounds; ++round) {
            const ir::Program program = test::randomGraph(s.bank, random, 3 + round % 7);
            EGraph graph = s.grown(program, static_cast<egraph::CycleFilter>(filter), 300);
            const TermId term = randomTerm(graph, graph.lookup(program.root), random);
            QVERIFY(term.isValid());
            const Result<rewrite::Thread> thread = egraph::explain(graph, program, term);
            if (!thread) {
                ++unexplained;
                continue;
            }
            const rewrite::ThreadReport report = rewrite::check(s.bank, *thread);
            QVERIFY2(report.valid, report.reason.c_str());
            QCOMPARE(thread->end().root, term);
            steps += thread->steps.size();
            const Result<eval::Equivalence> same =
                eval::compare(s.bank, program, thread->end(), {.samples = 2, .seed = 3});
            QVERIFY2(same.ok(), same ? "" : same.error().render().c_str());
            QVERIFY2(same->equivalent, same->counterexample.c_str());
        }
        QVERIFY(steps > 100);
        QCOMPARE(unexplained, std::size_t{0});
    }
};

MITOS_TEST(TestExplainGraphs)

}  // namespace tst_explain_graphs

#include "tst_explain_graphs.moc"
