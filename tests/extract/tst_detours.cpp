// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that are not worth their cost, found without trying anything.
#include "core/extract/bottom_up.h"
#include "core/extract/internal/detours.h"
#include "core/extract/internal/parts.h"
#include "core/extract/internal/reduce.h"
#include "tests/extract/graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_detours {

using namespace mitos;
using namespace mitos::extract;
using namespace mitos::tests;

namespace {

Deadline late() { return {60.0, {}}; }

/// The numbers of the nodes that can be removed.
std::vector<std::uint32_t> detours(const Problem& problem) {
    const Requirements requirements(problem, late());
    const Components components = componentsOfClasses(problem);
    const std::vector<double> trees = bottomUp(problem, ParentIndex(problem), problem.cost).cost;
    const std::vector<bool> isRemoved = nodesWithDetour(problem, {requirements, components, trees}, late());
    std::vector<std::uint32_t> removed;
    for (std::uint32_t node = 0; node < isRemoved.size(); ++node) {
        if (isRemoved[node]) removed.push_back(node);
    }
    return removed;
}

using Numbers = std::vector<std::uint32_t>;

/// Two products (0 and 1), alone for 10 each or both as a part of a joined one (2); all need the input (3).
Problem twoProducts(double joined) {
    return makeProblem({{{10.0, {3}}, {0.0, {2}}}, {{10.0, {3}}, {0.0, {2}}}, {{joined, {3}}}, {{1.0, {}}}}, {0, 1});
}

/// The same nodes without those that need classes without a term, or their own class.
Problem withFiniteNodes(const Problem& problem) {
    Problem rest = problem;
    for (;;) {
        const std::vector<std::uint32_t> infeasible = infeasibleClasses(rest);
        const Requirements requirements(rest, late());
        const ParentIndex parents(rest);
        Problem fewer = keepNodes(rest, [&](std::uint32_t node) {
            return std::ranges::none_of(rest.childrenOf(node), [&](std::uint32_t child) {
                return std::ranges::binary_search(infeasible, child) ||
                       requirements.contains(child, parents.classOf(node));
            });
        });
        const bool isSame = fewer.nodeCount() == rest.nodeCount();
        rest = std::move(fewer);
        if (isSame) return rest;
    }
}

}  // namespace

class TstDetours : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aJoinedProductThatCostsMoreThanItsPartsIsRemoved() {
        // The nodes over it go, too.
        QCOMPARE(detours(twoProducts(20.5)), (Numbers{1, 3, 4}));
        QCOMPARE(detours(twoProducts(20.0)), (Numbers{1, 3, 4}));
        QCOMPARE(detours(twoProducts(19.5)), Numbers{});
    }

    void oneOfTwoEqualJoinedProductsStays() {
        // Class 4 is the other one, and costs more.
        const Problem problem = makeProblem({{{10.0, {3}}, {0.0, {2}}, {0.0, {4}}},
                                             {{10.0, {3}}, {0.0, {2}}, {0.0, {4}}},
                                             {{15.0, {3}}},
                                             {{1.0, {}}},
                                             {{15.5, {3}}}},
                                            {0, 1});
        QCOMPARE(detours(problem), (Numbers{2, 5, 8}));
    }

    void aClassThatLosesItsReplacementIsLeftOutAsWell() {
        // Class 3 is the first two of three products that class 4 joins; without class 4 it has no node, and both products pay on their
        // own.
        const auto threeProducts = [](double joined) {
            return makeProblem({{{10.0, {}}, {0.0, {3}}},
                                {{10.0, {}}, {0.0, {3}}},
                                {{10.0, {}}, {0.0, {4}}},
                                {{4.0, {4}}},
                                {{joined, {}}}},
                               {0, 1, 2});
        };
        QCOMPARE(detours(threeProducts(26.0)), (Numbers{1, 3, 5, 6, 7}));
        QCOMPARE(detours(threeProducts(25.5)), Numbers{});
    }

    void rootsHaveNoDetour() {
        const Problem problem = makeProblem({{{1.0, {}}, {0.0, {1}}}, {{5.0, {}}}}, {0, 1});
        QCOMPARE(detours(problem), Numbers{});
    }

    void noDetourLeadsThroughTheRemovedNode() {
        // 0 is 5 over 1, or 3 over 2, and 2 is free over 1: the term of 2 contains the node of 1.
        const Problem problem = makeProblem({{{5.0, {1}}, {3.0, {2}}}, {{2.0, {}}}, {{0.0, {1}}}}, {0});
        QCOMPARE(detours(problem), Numbers{});
    }

    void noDetourMakesACycle() {
        // 0 could have 1 in place of 2, but 1 is needed anyway, and is 0 with another name.
        const Problem problem =
            makeProblem({{{0.0, {2}}, {0.0, {1}}}, {{0.0, {0}}, {9.0, {}}}, {{1.0, {}}}, {{0.0, {0, 1}}}}, {3});
        QCOMPARE(detours(problem), Numbers{});
        const Reduction reduction = reduce(problem, late());
        QCOMPARE(reduction.paid + leastCost(reduction.problem).value_or(0.0), 1.0);
    }

    void theLeastCostStays() {
        Random random(5);
        int compared = 0;
        std::size_t removed = 0;
        for (int round = 0; compared < 400; ++round) {
            const Problem problem = withFiniteNodes(randomProblem(random, 4 + random.below(9), 1 + random.below(3)));
            const std::optional<double> least = leastCost(problem);
            if (!least) continue;
            ++compared;
            const Numbers without = detours(problem);
            removed += without.size();
            const Problem rest =
                keepNodes(problem, [&](std::uint32_t node) { return !std::ranges::binary_search(without, node); });
            QCOMPARE(leastCost(rest), least);
        }
        QVERIFY(removed > 100);
    }

    void nodesContainThoseOfAClassThatOneClassUses() {
        // Class 1 is used by class 0 only; its two nodes become those of 0, which keeps its own.
        const Problem problem = makeProblem(
            {{{1.0, {1, 2}}, {6.0, {}}}, {{2.0, {2}}, {1.0, {3}}}, {{4.0, {}}, {0.0, {3}}}, {{5.0, {}}}, {{1.0, {3}}}},
            {0, 2, 4});
        const Reduction reduction = reduce(problem, late());
        QCOMPARE(reduction.problem.nodeCount(), 0U);
        QCOMPARE(reduction.paid, 8.0);
        const Choice choice = needed(problem, reduction.expand({}));
        QCOMPARE(choice, (Choice{0, 3, 5, 6, 7}));
        QCOMPARE(check(problem, choice).cost, 8.0);
    }
};

MITOS_TEST(TstDetours)

}  // namespace tst_detours

#include "tst_detours.moc"
