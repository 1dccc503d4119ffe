// SPDX-License-Identifier: GPL-3.0-or-later
// Orders for memory on graphs small enough to know the best.
#include "core/base/result.h"
#include "search/placement/memory_orders.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <vector>

namespace tst_memory_orders {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Random;

namespace {

/// Two chains that end in one operation: in each, a large tensor becomes a small one. One chain after the other needs 11, both at once 20.
TaskGraph chains() {
    return makeGraph(
        {{"a1", 1.0, 10, {2}}, {"a2", 1.0, 10, {3}}, {"b1", 1.0, 1, {4}}, {"b2", 1.0, 1, {4}}, {"e", 1.0, 1}});
}

bool isTopological(const Problem& problem, const std::vector<std::uint32_t>& order) {
    std::vector<std::size_t> position(problem.operationCount(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
        for (const std::uint32_t before : problem.predecessorsOf(i)) {
            if (position[before] >= position[i]) return false;
        }
    }
    return order.size() == problem.operationCount();
}

}  // namespace

class TestMemoryOrders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void finishOneChainBeforeTheNext() {
        const Problem problem = mustMake(chains(), equalDevices(1));
        const std::vector<std::uint32_t> device(5, 0);
        // In the order of the graph: a1 10, a2 20, b1 21.
        QCOMPARE(mustRun(problem, inOrder(device, std::vector<std::uint32_t>{0, 1, 2, 3, 4})).peak[0], 21U);
        // a1 10, b1 11 → 1, a2 11, b2 12 → 2, e 3.
        QCOMPARE(mustRun(problem, greedyMemory(problem)).peak[0], 12U);
        const XlaOrders orders = xlaOrders(problem);
        QCOMPARE(orders.postOrder, (std::vector<std::uint32_t>{0, 2, 1, 3, 4}));
        QCOMPARE(orders.depthFirst, (std::vector<std::uint32_t>{0, 2, 1, 3, 4}));
        QCOMPARE(orders.list, (std::vector<std::uint32_t>{0, 2, 1, 3, 4}));
        const Placement best = bestOfXla(problem, device, Objective::Memory);
        QCOMPARE(best.score.peak, 12U);
        QCOMPARE(best.evaluations, 3U);
    }

    /// Two devices hold one large tensor each.
    void usesTheMemoryOfBothDevices() {
        const Problem problem =
            mustMake(makeGraph({{"a", 1.0, 8, {2}}, {"b", 1.0, 8, {3}}, {"c", 1.0, 1}, {"d", 1.0, 1}}),
                     equalDevices(2, UnlimitedMemory, TransferMode::Rendezvous));
        QCOMPARE(mustRun(problem, greedyMemory(problem)).highestPeak(), 9U);
    }

    void ordersAreTopological() {
        Random random(2);
        for (int i = 0; i < 100; ++i) {
            const Problem problem = mustMake(randomGraph(random, 20), equalDevices(1));
            const XlaOrders orders = xlaOrders(problem);
            QVERIFY(isTopological(problem, orders.list));
            QVERIFY(isTopological(problem, orders.depthFirst));
            QVERIFY(isTopological(problem, orders.postOrder));
            const Timeline greedy = mustRun(problem, greedyMemory(problem));
            QVERIFY(isTopological(problem, greedy.order));
        }
    }

    /// Deep graphs take no recursion.
    void ordersLongChains() {
        std::vector<Node> nodes;
        for (std::uint32_t i = 0; i < 20'000; ++i) nodes.push_back({"", 1.0, 1, {i + 1}});
        nodes.push_back({"end", 1.0, 1});
        const Problem problem = mustMake(makeGraph(nodes), equalDevices(1));
        QCOMPARE(bestOfXla(problem, std::vector<std::uint32_t>(20'001, 0), Objective::Memory).score.peak, 2U);
        QCOMPARE(mustRun(problem, greedyMemory(problem)).peak[0], 2U);
    }
};

MITOS_TEST(TestMemoryOrders)

}  // namespace tst_memory_orders

#include "tst_memory_orders.moc"
