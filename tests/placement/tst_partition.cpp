// SPDX-License-Identifier: GPL-3.0-or-later
// Partitions by METIS: what is cut, shares of devices, and graphs that are unusual.
#include "core/base/result.h"
#include "core/schedule/generators.h"
#include "core/schedule/timeline_check.h"
#include "search/placement/partition.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <vector>

namespace tst_partition {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Random;

namespace {

std::vector<std::uint32_t> mustPartition(const Problem& problem, const PartitionOptions& options = {}) {
    auto device = partitioned(problem, options);
    if (!device) qFatal("%s", device.error().message.c_str());
    return *std::move(device);
}

/// Two chains of ten whose tensors have `bytes`, with an edge of one byte between their middles.
TaskGraph twoChains(std::uint64_t bytes) {
    std::vector<Node> nodes;
    for (std::uint32_t i = 0; i < 20; ++i) {
        const bool isLast = i % 10 == 9;
        nodes.push_back({"", 1.0, isLast ? 0 : bytes, isLast ? std::vector<std::uint32_t>{} : std::vector{i + 1}});
    }
    TaskGraph graph = makeGraph(nodes);
    graph.tensors.push_back({.bytes = 1, .producer = 4, .consumers = {15}});
    return graph;
}

}  // namespace

class TestPartition : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cutsTheLightEdge() {
        for (const std::uint64_t bytes : {std::uint64_t{100}, std::uint64_t{1} << 57U}) {
            const std::vector<std::uint32_t> device = mustPartition(mustMake(twoChains(bytes), equalDevices(2)));
            for (std::size_t i = 0; i < 20; ++i) QCOMPARE(device[i], device[i < 10 ? 0 : 10]);
            QVERIFY(device[0] != device[10]);
        }
    }

    /// A device of three times the speed gets three quarters of the work.
    void fastDevicesGetMore() {
        Machine machine = equalDevices(2);
        machine.devices[1].speed = 3.0;
        std::vector<Node> nodes;
        for (std::uint32_t i = 0; i < 40; ++i) nodes.push_back({"", 5.0, 1, {}});
        const std::vector<std::uint32_t> device = mustPartition(mustMake(makeGraph(nodes), machine));
        const auto onFast = std::ranges::count(device, 1U);
        QVERIFY2(onFast >= 29 && onFast <= 31, qPrintable(QString::number(onFast)));
    }

    /// For memory, the shares are of bytes: one large tensor weighs as much as all small ones.
    void sharesBytesForMemory() {
        std::vector<Node> nodes{{"large", 1.0, 12, {}}};
        for (std::uint32_t i = 0; i < 12; ++i) nodes.push_back({"", 7.0, 1, {}});
        const std::vector<std::uint32_t> device =
            mustPartition(mustMake(makeGraph(nodes), equalDevices(2)), {.objective = Objective::Memory});
        QCOMPARE(std::ranges::count(device, device[0]), 1);
    }

    void takesUnusualGraphs() {
        Random random(3);
        const Problem one = mustMake(diamond(), equalDevices(1));
        QCOMPARE(mustPartition(one), (std::vector<std::uint32_t>{0, 0, 0, 0}));
        Machine many = equalDevices(6);
        many.devices[5].speed = 2.0;
        QCOMPARE(mustPartition(mustMake(diamond(), many)), (std::vector<std::uint32_t>{5, 0, 1, 2}));
        QCOMPARE(mustPartition(mustMake(makeGraph({{"a"}}), equalDevices(3))), (std::vector<std::uint32_t>{0}));
        const TaskGraph idle = makeGraph({{"a", 0.0, 0, {1}}, {"b", 0.0}, {"c", 0.0}, {"d", 0.0}, {"e", 0.0}});
        for (const Objective objective : {Objective::Runtime, Objective::Memory}) {
            QCOMPARE(mustPartition(mustMake(idle, equalDevices(3)), {.objective = objective}).size(), 5U);
        }
        // Durations far apart, and so small that they would all be rounded to nothing.
        for (const double duration : {1e14, 1e-14}) {
            const TaskGraph graph =
                makeGraph({{"a", duration, 1, {1}}, {"b", duration, 1, {2}}, {"c", duration}, {"d", duration}});
            const std::vector<std::uint32_t> device = mustPartition(mustMake(graph, equalDevices(2)));
            QCOMPARE(std::ranges::count(device, device[0]), 2);
        }
        QCOMPARE(mustPartition(mustMake(randomGraph(random, 60), equalDevices(20))).size(), 60U);
    }

    void schedulesHoldUnderTheIndependentCheck() {
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const std::uint32_t devices = seed % 2 == 0 ? 2 : 10;
            const Problem problem =
                mustMake(syntheticGraph({.family = static_cast<GraphFamily>(seed % 4)}, seed), equalDevices(devices));
            for (const Objective objective : {Objective::Runtime, Objective::Memory}) {
                const auto found = partitionAndOrder(problem, {.objective = objective});
                QVERIFY(found.ok());
                QCOMPARE(found->evaluations, 3U);
                QVERIFY(
                    faultsOf(problem.graph(), problem.machine(), {}, found->schedule, mustRun(problem, found->schedule))
                        .empty());
                QVERIFY(*found == *partitionAndOrder(problem, {.objective = objective}));
            }
        }
    }
};

MITOS_TEST(TestPartition)

}  // namespace tst_partition

#include "tst_partition.moc"
