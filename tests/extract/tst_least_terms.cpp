// SPDX-License-Identifier: GPL-3.0-or-later
// Least terms under a cost model, compared with programs whose best form is known, and with the definition of a least term.
#include "core/base/random.h"
#include "core/eval/testing/random_terms.h"
#include "core/extract/extract.h"
#include "core/extract/internal/egraph_problem.h"
#include "core/extract/internal/least_terms.h"
#include "core/ks/module.h"
#include "tests/extract/grown_program.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace tst_least_terms {

using namespace mitos;
using namespace mitos::tests;
using egraph::ENodeId;
using extract::LeastTerms;

class TestLeastTerms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheCheapestProgram_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        QTest::newRow("nothing to do") << "(mul x y)"
                                       << "(mul x y)";
        QTest::newRow("a cycle") << "(mul 1.0 (add 0.0 x))"
                                 << "x";
        QTest::newRow("factoring") << "(add (mul x y) (mul x 3.0))"
                                   << "(mul x (add y 3.0))";
        QTest::newRow("in a loop") << "(sum (build n (lam (i : Integer) (mul 1.0 (index i v)))))"
                                   << "(sum (build n (lam (i : Integer) (index i v))))";
        QTest::newRow("the loop goes away") << "(mul 0.0 (sum v))"
                                            << "0.0";
        QTest::newRow("below a let") << "(let (t (add 0.0 (exp x))) (mul t (mul 1.0 t)))"
                                     << "(let (t (exp x)) (mul t t))";
    }
    void findsTheCheapestProgram() {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        World world("ks-simple", Header + body.toStdString() + ")");
        world.grow(4, 3000);
        LeastTerms terms(world.graph, *world.costs);
        QVERIFY(terms.update(always));
        const ir::TermId wanted = ks::parseProgram(world.bank, "wanted", Header + expected.toStdString() + ")")->root;
        const LeastTerms::Least& least = terms.of(world.root);
        QVERIFY(least.term.isValid());
        QCOMPARE(least.cost, world.cost(least.term));
        QVERIFY2(least.cost <= world.cost(wanted), ks::printTerm(world.bank, least.term).c_str());
        if (least.cost == world.cost(wanted)) QCOMPARE(world.bank.treeSize(least.term), world.bank.treeSize(wanted));
        // The own costs of its e-nodes add up to the same.
        const double cost = least.cost;
        const extract::Problem problem = extract::makeProblem(
            world.graph, {&world.root, 1}, [&](egraph::ENodeId node) { return terms.addedCost(node); });
        const Result<extract::Extraction> tree = extract::extract(problem, "tree");
        QVERIFY(tree.ok());
        QVERIFY2(std::abs(tree->treeCost - cost) <= 1e-9 * cost, std::to_string(tree->treeCost).c_str());
    }

    void noNodeOffersLess_data() {
        QTest::addColumn<QString>("model");
        for (const char* model : {"size", "ks-2021", "ks-2019"}) QTest::newRow(model) << QString::fromUtf8(model);
    }
    void noNodeOffersLess() {
        QFETCH(QString, model);
        Random random(31);
        int classes = 0;
        for (int i = 0; i < 12; ++i) {
            World world("ks-simple,ks-extended", std::string(Header) + "x)", model.toUtf8().constData());
            eval::TermScope scope;
            scope.free = world.bank.function(world.program.function).parameters;
            const ir::TermId start = eval::randomTerm(world.bank, world.bank.types().floating(), scope, random, 18);
            world.root = world.graph.add(start);
            world.graph.rebuild();
            LeastTerms grown(world.graph, *world.costs);
            world.grow(3, 800, [&](auto&) { QVERIFY(grown.update(always)); });
            QVERIFY(world.graph.isClean());
            LeastTerms terms(world.graph, *world.costs);
            QVERIFY(terms.update(always));
            QVERIFY(terms.of(world.root).cost <= world.cost(start));
            for (std::uint32_t id = 0; id < world.graph.idCount(); ++id) {
                const ENodeId node(id);
                if (!world.graph.isLive(node)) continue;
                const LeastTerms::Least least = terms.of(node);
                if (!least.term.isValid()) continue;
                ++classes;
                // It is a term of the class: the graph finds it there.
                const ENodeId found = world.graph.lookup(least.term);
                QVERIFY(found.isValid() && world.graph.find(found) == world.graph.find(node));
                // The result updated while the graph grew is the same.
                QVERIFY(std::abs(grown.of(node).cost - least.cost) <= 1e-9 * std::max(1.0, std::abs(least.cost)));
                // No e-node of the class makes a cheaper term of the least terms of its children.
                std::vector<ir::TermId> children;
                for (const std::uint32_t child : world.graph.children(node)) {
                    children.push_back(terms.of(ENodeId(child)).term);
                }
                if (std::any_of(children.begin(), children.end(), [](ir::TermId t) { return !t.isValid(); })) continue;
                const ir::TermId other =
                    world.graph.heads().term(world.bank, world.graph.headOf(node), children, world.graph.hint(node));
                if (world.bank.looseBound(other) > world.bank.looseBound(least.term)) continue;
                if (world.bank.is(other, ir::CoreOp::Lam)) continue;
                QVERIFY2(world.cost(other) >= least.cost * (1.0 - 1e-9), ks::printTerm(world.bank, other).c_str());
            }
        }
        QVERIFY2(classes > 500, std::to_string(classes).c_str());
    }

    void closedTermsStayClosed() {
        // x - x = 0, so that below the binder 0 is i - i too, which must not come out from under it.
        World world("ks-simple",
                    std::string(Header) + "(sum (build n (lam (i : Integer) (sub (to_float i) (to_float i))))))");
        world.grow(3, 500);
        LeastTerms terms(world.graph, *world.costs);
        QVERIFY(terms.update(always));
        for (std::uint32_t id = 0; id < world.graph.idCount(); ++id) {
            if (!world.graph.isLive(ENodeId(id))) continue;
            const ir::TermId term = terms.of(ENodeId(id)).term;
            const ir::TermId representative = world.graph.term(world.graph.best(ENodeId(id)));
            QVERIFY(term.isValid());
            QVERIFY(world.bank.looseBound(term) <= world.bank.looseBound(representative));
        }
        QCOMPARE(world.bank.looseBound(terms.of(world.root).term), 0U);
    }

    void pricingMayBeStoppedAndGoneOnWith() {
        World world("ks-simple", std::string(Header) + "(add (mul x y) (mul x (mul 1.0 (add y 0.0)))))");
        world.grow(3, 2000);
        LeastTerms whole(world.graph, *world.costs);
        std::uint64_t valued = 0;
        QVERIFY(whole.update([&] { return ++valued > 0; }));
        QVERIFY(valued > 20);
        std::uint64_t again = 0;
        QVERIFY(whole.update([&] { return ++again > 0; }));
        QCOMPARE(again, std::uint64_t{0});  // nothing is priced twice

        LeastTerms parts(world.graph, *world.costs);
        std::uint64_t left = 0;
        const auto some = [&] { return left > 0 && left-- > 0; };
        QVERIFY(!parts.update(some));
        QVERIFY(!parts.of(world.root).term.isValid());
        for (int round = 0; round < 10'000; ++round) {
            left = 10;
            if (parts.update(some)) break;
            if (parts.of(world.root).term.isValid()) {
                QCOMPARE(parts.of(world.root).cost, world.cost(parts.of(world.root).term));
            }
        }
        QCOMPARE(parts.of(world.root).cost, whole.of(world.root).cost);
    }
};

MITOS_TEST(TestLeastTerms)

}  // namespace tst_least_terms

#include "tst_least_terms.moc"
