// SPDX-License-Identifier: GPL-3.0-or-later
// The judge of choices, and what all methods have in common: the problem as taken from a snapshot, errors, trees.
#include "core/extract/check.h"
#include "core/extract/extract.h"
#include "tests/extract/graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace tst_extract_check {

using namespace mitos;
using namespace mitos::extract;
using namespace mitos::tests;
using namespace Qt::StringLiterals;

class TstExtractCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sharedNodesAndRootsCountOnce() {
        // root 0 = f(1, 2), 1 = g(2), 2 = x; root 1 as well, and root 0 twice
        const Problem problem = makeProblem({{{1, {1, 2}}}, {{10, {2}}}, {{100, {}}}}, {0, 1, 0});
        const CheckReport report = check(problem, {0, 1, 2});
        QVERIFY(report.valid);
        QCOMPARE(report.cost, 111.0);
        QCOMPARE(report.treeCost, 211.0 + 110.0 + 211.0);
    }

    void classesThatNobodyNeedsAreNotPaid() {
        const Problem problem = makeProblem({{{1, {}}}, {{10, {0}}, {20, {1}}}}, {0});
        QCOMPARE(check(problem, {0, None}).cost, 1.0);
        QCOMPARE(check(problem, {0, 2}).cost, 1.0);  // a cycle where no root leads
        QVERIFY(check(problem, {0, 2}).valid);
        QCOMPARE(needed(problem, {0, 1}), (Choice{0, None}));
    }

    void wrongChoicesAreSeen_data() {
        QTest::addColumn<QString>("choice");
        QTest::addColumn<QString>("problem");
        QTest::newRow("incomplete root") << u"- 1 3"_s << u"class 0 is needed and has no node"_s;
        QTest::newRow("incomplete child") << u"0 - 3"_s << u"class 1 is needed and has no node"_s;
        QTest::newRow("of another class") << u"0 3 3"_s << u"node 3 does not belong to class 1"_s;
        QTest::newRow("no node at all") << u"0 77 3"_s << u"node 77 does not belong to class 1"_s;
        QTest::newRow("needs itself at once") << u"0 1 3"_s << u"class 1 needs itself"_s;
        QTest::newRow("needs itself at last") << u"0 2 4"_s << u"class 1 needs itself"_s;
        QTest::newRow("too short") << u"0 2"_s << u"there are 3 classes, but choices for 2"_s;
    }

    void wrongChoicesAreSeen() {
        QFETCH(const QString, choice);
        QFETCH(const QString, problem);
        const Problem graph = makeProblem({{{1, {1}}}, {{1, {1}}, {1, {2}}}, {{1, {}}, {1, {1}}}}, {0});
        QVERIFY(check(graph, {0, 2, 3}).valid);
        Choice wrong;
        for (const QString& part : choice.split(u' ')) wrong.push_back(part == u"-" ? None : part.toUInt());
        const CheckReport report = check(graph, wrong);
        QVERIFY(!report.valid);
        QCOMPARE(QString::fromStdString(report.problem), problem);
    }

    void subsumedNodesAreNotThere() {
        const Result<egraph::LoadedSnapshot> loaded = egraph::readJson(SourceText("x", R"({"nodes": {
            "b": {"op": "f", "children": ["l"], "eclass": "r", "cost": 3},
            "l": {"op": "l", "eclass": "l", "cost": 2},
            "a": {"op": "a", "eclass": "r", "cost": 1, "subsumed": true}}, "root_eclasses": ["r"]})"));
        QVERIFY(loaded.ok());
        const Problem problem = extract::makeProblem(loaded->snapshot);
        QCOMPARE(problem.nodeCount(), 2U);
        QCOMPARE(problem.origin, (std::vector<std::uint32_t>{0, 1}));
        const Result<Extraction> found = extract::extract(problem, "tree");
        QVERIFY(found.ok());
        QCOMPARE(found->cost, 5.0);
    }

    void rootsWithoutTermsAreErrors() {
        const Problem problem = makeProblem({{{1, {1}}}, {{1, {0}}, {2, {1}}}, {{1, {}}}}, {2, 1});
        QCOMPARE(infeasibleClasses(problem), (std::vector<std::uint32_t>{0, 1}));
        for (const MethodInfo& method : methods()) {
            const Result<Extraction> found = extract::extract(problem, method.name);
            QVERIFY(!found.ok());
            QVERIFY(found.error().message.find("class number 1") != std::string::npos);
        }
    }

    void unknownMethodsAreErrorsThatNameAll() {
        const Result<Extraction> found = extract::extract(chain(3), "greedy");
        QVERIFY(!found.ok());
        QVERIFY(found.error().message.find("\"greedy\"") != std::string::npos);
        QVERIFY(found.error().hint.find("tree") != std::string::npos);
    }

    void nothingToExtractCostsNothing() {
        for (const MethodInfo& method : methods()) {
            const Result<Extraction> none = extract::extract(makeProblem({{{3, {}}}}, {}), method.name);
            QVERIFY2(none.ok(), none.ok() ? "" : none.error().message.c_str());
            QCOMPARE(none->cost, 0.0);
            QCOMPARE(none->choice, Choice{None});
        }
    }

    void treeFindsTheLeastTree() {
        Random random(11);
        int compared = 0;
        for (int round = 0; round < 300; ++round) {
            const Problem problem = randomProblem(random, 2 + random.below(6));
            // The least fixpoint of cost(class) = min over its nodes, by sweeps.
            std::vector<double> least(problem.classCount(), std::numeric_limits<double>::infinity());
            for (std::size_t sweep = 0; sweep <= problem.classCount(); ++sweep) {
                for (std::uint32_t c = 0; c < problem.classCount(); ++c) {
                    for (std::uint32_t n = problem.classBegin[c]; n < problem.classBegin[c + 1]; ++n) {
                        double cost = problem.cost[n];
                        for (const std::uint32_t child : problem.childrenOf(n)) cost += least[child];
                        least[c] = std::min(least[c], cost);
                    }
                }
            }
            const Result<Extraction> found = extract::extract(problem, "tree");
            QCOMPARE(found.ok(), std::isfinite(least[problem.roots[0]]));
            if (!found) continue;
            QCOMPARE(found->treeCost, least[problem.roots[0]]);
            ++compared;
        }
        QVERIFY(compared > 100);
    }

    void treesThatAreTooLargeForANumberAreStillFound() {
        std::vector<std::vector<NodeSpec>> classes{{{1, {}}}};
        for (std::uint32_t i = 0; i < 3000; ++i) classes.push_back({{1, {i, i}}});
        for (const MethodInfo& method : methods()) {
            const Result<Extraction> found =
                extract::extract(makeProblem(classes, {3000}), method.name, {.seconds = 0.5});
            QVERIFY2(found.ok(), found.ok() ? "" : found.error().message.c_str());
            QCOMPARE(found->cost, 3001.0);
            QVERIFY(std::isinf(found->treeCost));
        }
    }
};

MITOS_TEST(TstExtractCheck)

}  // namespace tst_extract_check

#include "tst_extract_check.moc"
