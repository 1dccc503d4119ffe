// SPDX-License-Identifier: GPL-3.0-or-later
// Cycle filters: which applications they leave out, which nodes they take out, and that every class keeps a term.
#include "core/base/random.h"
#include "core/egraph/cycles.h"
#include "tests/egraph/algebra.h"
#include "tests/support/test_program.h"

#include <algorithm>
#include <tuple>

namespace tst_cycles {

using namespace mitos;
using egraph::CycleFilter;
using egraph::EGraph;
using egraph::ENodeId;

namespace {

const std::string Operators =
    "op a() -> 1\nop b() -> 1\nop f(x) -> 1\nop g(x) -> 1\nop p(x, y) -> 1\nop q(x, y) -> 1\nop all(x, y, z) -> 1\n";

egraph::SaturationReport saturated(EGraph& graph, const tests::Algebra& algebra, CycleFilter filter,
                                   std::uint32_t iterations) {
    egraph::SaturationOptions options;
    options.limits.iterations = iterations;
    options.cycles = filter;
    return tests::saturate(graph, algebra.rules(), options);
}

std::uint64_t refused(const egraph::SaturationReport& report) {
    std::uint64_t sum = 0;
    for (const auto& iteration : report.iterations) {
        for (const auto& rule : iteration.rules) sum += rule.refused;
    }
    return sum;
}

std::uint64_t filtered(const egraph::SaturationReport& report) {
    std::uint64_t sum = 0;
    for (const auto& iteration : report.iterations) sum += iteration.filtered;
    return sum;
}

/// Whether some term of the class has no cycle, judged by taking away classes that have one until none is left to take.
bool everyClassHasATerm(EGraph& graph) {
    const EGraph::Index& index = graph.index();
    std::vector<bool> hasTerm(graph.idCount(), false);
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::uint32_t node : index.members) {
            const std::uint32_t leader = graph.find(ENodeId(node)).value;
            const auto children = graph.children(ENodeId(node));
            const bool isReady = std::all_of(children.begin(), children.end(), [&](std::uint32_t child) {
                return hasTerm[graph.find(ENodeId(child)).value];
            });
            if (!isReady || hasTerm[leader]) continue;
            hasTerm[leader] = changed = true;
        }
    }
    for (std::uint32_t id = 0; id < graph.idCount(); ++id) {
        if (graph.find(ENodeId(id)).value == id && !hasTerm[id]) return false;
    }
    return true;
}

}  // namespace

class TestCycles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRewriteToItselfIsLeftOut_data() {
        QTest::addColumn<int>("filter");
        QTest::newRow("vanilla") << static_cast<int>(CycleFilter::Vanilla);
        QTest::newRow("efficient") << static_cast<int>(CycleFilter::Efficient);
    }
    /// f(x) = g(f(x)) would put g over its own class.
    void aRewriteToItselfIsLeftOut() {
        QFETCH(const int, filter);
        tests::Algebra algebra(Operators + "rule grow: f(x) => g(f(x))\n");
        EGraph free(algebra.bank());
        free.add(algebra.term("(f a)"));
        saturated(free, algebra, CycleFilter::None, 3);
        QVERIFY(egraph::hasCycle(free));

        EGraph graph(algebra.bank());
        graph.add(algebra.term("(f a)"));
        const egraph::SaturationReport report = saturated(graph, algebra, static_cast<CycleFilter>(filter), 3);
        QVERIFY(!egraph::hasCycle(graph));
        QCOMPARE(refused(report), 1U);
        QCOMPARE(filtered(report), 0U);
        QCOMPARE(graph.nodeCount(), 2U);  // the nodes of what was left out are gone too
    }

    /// A graph that was grown without a filter has cycles; whoever goes on with one takes them out first.
    void cyclesOfTheBeginningAreFiltered_data() { aRewriteToItselfIsLeftOut_data(); }
    void cyclesOfTheBeginningAreFiltered() {
        QFETCH(const int, filter);
        tests::Algebra algebra(Operators + "rule grow: f(x) => g(f(x))\n");
        EGraph graph(algebra.bank());
        graph.add(algebra.term("(f a)"));
        saturated(graph, algebra, CycleFilter::None, 2);
        QVERIFY(egraph::hasCycle(graph));
        const auto guard = egraph::makeUnionGuard(static_cast<CycleFilter>(filter), graph);
        guard->begin();  // comes to an end on a graph with a cycle too
        saturated(graph, algebra, static_cast<CycleFilter>(filter), 2);
        QVERIFY(!egraph::hasCycle(graph));
        QVERIFY(everyClassHasATerm(graph));
    }

    /// TENSAT's program looks at what the variables denote, not at terms of the right-hand side that exist already.
    void asPublishedOnlyInputsAreLookedAt_data() { aRewriteToItselfIsLeftOut_data(); }
    void asPublishedOnlyInputsAreLookedAt() {
        QFETCH(const int, filter);
        tests::Algebra algebra(Operators + "rule swap: f(x) => g(x)\n");
        for (const auto& [check, refusals, filters] :
             {std::tuple(egraph::UnionCheck::Results, 1U, 0U), std::tuple(egraph::UnionCheck::Inputs, 0U, 1U)}) {
            EGraph graph(algebra.bank());
            // The classes of g(a) and p(f(a), b) are one, so f(a) = g(a) would put p over its own class.
            graph.unite(graph.add(algebra.term("(g a)")), graph.add(algebra.term("(p (f a) b)")));
            graph.rebuild();
            egraph::SaturationOptions options;
            options.limits.iterations = 1;
            options.cycles = static_cast<CycleFilter>(filter);
            options.unionCheck = check;
            const egraph::SaturationReport report = tests::saturate(graph, algebra.rules(), options);
            QVERIFY(!egraph::hasCycle(graph));
            QCOMPARE(refused(report), refusals);
            QCOMPARE(filtered(report), filters);
        }
        // A variable's class that contains the root refuses under both.
        tests::Algebra grow(Operators + "rule grow: p(x, y) => q(x, y)\n");
        EGraph graph(grow.bank());
        const ENodeId root = graph.add(grow.term("(p a b)"));
        const ENodeId above = graph.add(grow.term("(f (p a b))"));
        const ENodeId a = graph.add(grow.term("(a)"));
        graph.rebuild();
        const auto guard = egraph::makeUnionGuard(static_cast<CycleFilter>(filter), graph);
        guard->begin();
        QVERIFY(guard->mayApply({&a, 1}, {&root, 1}));
        QVERIFY(!guard->mayApply({&above, 1}, {&root, 1}));
        QVERIFY(guard->mayApply({&root, 1}, {&above, 1}));
    }

    /// Two products of which the one is the factor of the other cannot share a computation: it would need its own result.
    void whatNeedsTheOtherIsNotMergedWithIt() {
        const std::string merge = "rule merge: p(x, y), p(x, z) => f(m), g(m) let m = q(x, q(y, z))\n";
        tests::Algebra algebra(Operators + merge);
        for (const CycleFilter filter : {CycleFilter::Vanilla, CycleFilter::Efficient}) {
            EGraph graph(algebra.bank());
            const ENodeId outer = graph.add(algebra.term("(p a (p a b))"));
            const ENodeId inner = graph.add(algebra.term("(p a b)"));
            const egraph::SaturationReport report = saturated(graph, algebra, filter, 1);
            QVERIFY(!egraph::hasCycle(graph));
            // The pairs (inner, outer) and (outer, inner) close a cycle at the inner one; each with itself is no cycle.
            QCOMPARE(refused(report), 2U);
            QVERIFY(graph.find(outer) != graph.find(inner));
        }
    }

    /// Neither of two applications of one batch closes a cycle, both together do: the graph of the batch's beginning does not
    /// show it.
    void whatTheBeginningDoesNotShowIsFiltered() {
        tests::Algebra algebra(Operators +
                               "rule first: f(x), p(y, z) => q(x, y), p(y, z)\n"
                               "rule second: g(x), q(y, z) => p(x, y), q(y, z)\n");
        const auto build = [&](EGraph& graph) {
            // f(a) becomes q(a, g(b)); g(b) becomes p(b, f(a)).
            graph.add(algebra.term("(all (f a) (p (g b) b) (q (f a) b))"));
        };
        EGraph free(algebra.bank());
        build(free);
        saturated(free, algebra, CycleFilter::None, 1);
        QVERIFY(egraph::hasCycle(free));

        EGraph vanilla(algebra.bank());
        build(vanilla);
        const egraph::SaturationReport careful = saturated(vanilla, algebra, CycleFilter::Vanilla, 1);
        QCOMPARE(refused(careful), 1U);
        QCOMPARE(filtered(careful), 0U);
        QVERIFY(!egraph::hasCycle(vanilla));

        EGraph efficient(algebra.bank());
        build(efficient);
        const egraph::SaturationReport quick = saturated(efficient, algebra, CycleFilter::Efficient, 1);
        QCOMPARE(refused(quick), 0U);
        QCOMPARE(filtered(quick), 1U);
        QVERIFY(!egraph::hasCycle(efficient));
        QVERIFY(everyClassHasATerm(efficient));
        // The youngest e-node of the cycle is the one of the rule that was applied last.
        const ENodeId last = efficient.lookup(algebra.term("(p b (f a))"));
        QVERIFY(last.isValid() && efficient.isFiltered(last));
        QVERIFY(!efficient.isFiltered(efficient.lookup(algebra.term("(q a (g b))"))));
    }

    void randomGraphsKeepATermOfEveryClass() {
        tests::Algebra algebra(Operators +
                               "rule shrink: f(g(x)) => x\n"
                               "rule turn: p(x, y) => p(y, x)\n"
                               "rule mix: p(f(x), y) => g(p(x, y))\n"
                               "rule lift: q(x, y), p(x, z) => q(z, y), p(x, z)\n");
        Random random(11);
        std::uint64_t cut = 0;
        for (int round = 0; round < 60; ++round) {
            for (const CycleFilter filter : {CycleFilter::Vanilla, CycleFilter::Efficient}) {
                EGraph graph(algebra.bank());
                std::vector<std::string> made{"a", "b"};
                const auto any = [&] { return made[static_cast<std::size_t>(random.below(made.size()))]; };
                for (int i = 0; i < 12; ++i) {
                    switch (random.below(4)) {
                        case 0: made.push_back("(f " + any() + ")"); break;
                        case 1: made.push_back("(g " + any() + ")"); break;
                        case 2: made.push_back("(p " + any() + " " + any() + ")"); break;
                        default: made.push_back("(q " + any() + " " + any() + ")"); break;
                    }
                    if (made.back().size() < 200) graph.add(algebra.term(made.back()));
                    if (made.back().size() >= 60) made.pop_back();
                }
                egraph::SaturationOptions options;
                options.limits.iterations = 3;
                options.limits.nodes = 400;
                options.cycles = filter;
                const egraph::SaturationReport report = tests::saturate(graph, algebra.rules(), options);
                cut += filtered(report) + refused(report);
                QVERIFY(!egraph::hasCycle(graph));
                QVERIFY(everyClassHasATerm(graph));
            }
        }
        QVERIFY(cut > 20);
    }

    void aFilteredNodeIsUndone() {
        tests::Algebra algebra(std::string(Operators) + "rule none: f(a()) => a()\n");
        EGraph graph(algebra.bank());
        const ENodeId node = graph.add(algebra.term("(f a)"));
        graph.rebuild();
        const EGraph::Mark mark = graph.mark();
        graph.filter(node);
        QVERIFY(graph.isFiltered(node));
        QCOMPARE(graph.index().members.size(), std::size_t{1});
        graph.undoTo(mark);
        QVERIFY(!graph.isFiltered(node));
        QCOMPARE(graph.index().members.size(), std::size_t{2});
    }

    void namesAreKnown() {
        for (const std::string& name : egraph::cycleFilterNames()) QVERIFY(egraph::cycleFilter(name).ok());
        const Result<CycleFilter> wrong = egraph::cycleFilter("some");
        QVERIFY(!wrong.ok());
        QCOMPARE(wrong.error().hint,
                 std::string("did you mean none? Otherwise choose one of none, vanilla, efficient"));
    }
};

MITOS_TEST(TestCycles)

}  // namespace tst_cycles

#include "tst_cycles.moc"
