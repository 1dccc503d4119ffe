// SPDX-License-Identifier: GPL-3.0-or-later
// The exact order for memory against all orders of small graphs, and on larger ones that divide.
#include "core/base/result.h"
#include "core/schedule/performance_model.h"
#include "search/placement/frontier.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace tst_frontier {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Random;

namespace {

std::uint64_t peakOf(const Problem& problem, const std::vector<std::uint32_t>& order) {
    const Timeline timeline = mustRun(problem, inOrder(std::vector<std::uint32_t>(order.size(), 0), order));
    // The order itself is topological, so that it is the one that the model carries out.
    if (timeline.order != order) qFatal("the order is not topological");
    return timeline.peak[0];
}

/// Over all orders; those that are not topological become others.
std::uint64_t leastPeak(const Problem& problem) {
    PerformanceModel model(problem);
    std::vector<std::uint32_t> order(problem.operationCount());
    std::iota(order.begin(), order.end(), 0U);
    const std::vector<std::uint32_t> device(order.size(), 0);
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    do {
        const Schedule schedule = inOrder(device, order);
        least = std::min(least, model.score({schedule.device, schedule.priority}).peak);
    } while (std::ranges::next_permutation(order).found);
    return least;
}

}  // namespace

class TestFrontier : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isTheBestOfAllOrders() {
        Random random(13);
        for (int i = 0; i < 60; ++i) {
            const Problem problem = mustMake(randomGraph(random, 3 + static_cast<std::uint32_t>(i % 5)),
                                             equalDevices(1), {.retainOutputs = i % 2 == 0});
            const MemoryOrder found = leastMemoryOrder(problem);
            QVERIFY(found.isProven());
            QCOMPARE(found.peak, leastPeak(problem));
            QCOMPARE(peakOf(problem, found.order), found.peak);
        }
    }

    /// Fifty random graphs of ten operations, each between two operations through which all passes.
    void dividesWhereAllPasses() {
        Random random(4);
        TaskGraph graph;
        std::uint32_t first = 0;
        graph.operations.push_back({"start", 1.0});
        for (int block = 0; block < 50; ++block) {
            const TaskGraph inner = randomGraph(random, 10);
            const auto offset = static_cast<std::uint32_t>(graph.operations.size());
            for (const Operation& operation : inner.operations) graph.operations.push_back(operation);
            const auto last = static_cast<std::uint32_t>(graph.operations.size());
            graph.operations.push_back({"join", 1.0});
            for (Tensor tensor : inner.tensors) {
                tensor.producer += offset;
                for (std::uint32_t& consumer : tensor.consumers) consumer += offset;
                if (tensor.consumers.empty()) tensor.consumers.push_back(last);
                graph.tensors.push_back(std::move(tensor));
            }
            for (std::uint32_t i = offset; i < last; ++i) {
                graph.controlEdges.emplace_back(first, i);
                graph.controlEdges.emplace_back(i, last);
            }
            first = last;
        }
        const Problem problem = mustMake(graph, equalDevices(1));
        const MemoryOrder found = leastMemoryOrder(problem, {.states = 100'000});
        QVERIFY(found.isProven());
        QCOMPARE(peakOf(problem, found.order), found.peak);
        QVERIFY2(found.states < 50'000, qPrintable(QString::number(found.states)));
    }

    /// A chain is nothing but such places.
    void ordersLongChains() {
        std::vector<Node> nodes;
        for (std::uint32_t i = 0; i < 2'000; ++i) nodes.push_back({"", 1.0, 1 + i % 7, {i + 1}});
        nodes.push_back({"end", 1.0, 1});
        const MemoryOrder found = leastMemoryOrder(mustMake(makeGraph(nodes), equalDevices(1)));
        QVERIFY(found.isProven());
        QCOMPARE(found.peak, 13U);
    }

    void givesABoundWhenItEndsEarly() {
        Random random(7);
        int open = 0;
        for (int i = 0; i < 20; ++i) {
            const Problem problem = mustMake(randomGraph(random, 30), equalDevices(1));
            const MemoryOrder found = leastMemoryOrder(problem, {.states = 20});
            QVERIFY(found.bound <= found.peak);
            QCOMPARE(peakOf(problem, found.order), found.peak);
            if (!found.isProven()) ++open;
            std::stop_source stopped;
            stopped.request_stop();
            QVERIFY(leastMemoryOrder(problem, {.stop = stopped.get_token()}).bound <= found.peak);
        }
        QVERIFY(open > 0);
    }
};

MITOS_TEST(TestFrontier)

}  // namespace tst_frontier

#include "tst_frontier.moc"
