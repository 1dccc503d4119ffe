// SPDX-License-Identifier: GPL-3.0-or-later
// The performance model on graphs small enough to follow by hand.
#include "core/schedule/performance_model.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <vector>

namespace tst_performance_model {

using namespace mitos::schedule;
using namespace mitos::tests;
using mitos::Random;

namespace {

/// a, b and e of the diamond on device 0, c on device 1.
const std::vector<std::uint32_t> Split{0, 0, 1, 0};

/// Priorities that start operations in an order of their numbers, and the two transfers (tensor 0 to device 1, tensor 2 to device 0)
/// with these priorities.
Schedule splitSchedule(const std::vector<std::uint32_t>& order, float first, float second) {
    Schedule schedule = inOrder(Split, order);
    schedule.transferPriority.assign(8, 0.0F);
    schedule.transferPriority[0 * 2 + 1] = first;
    schedule.transferPriority[2 * 2 + 0] = second;
    return schedule;
}

}  // namespace

class TestPerformanceModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// a: 0–2, b: 2–5 beside c: 2–3, e: 5–7.
    void instantTransfersTakeSevenInEveryOrder() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        std::vector<std::uint32_t> order{0, 1, 2, 3};
        do {
            for (const float first : {-9.0F, 9.0F}) {
                const Timeline timeline = mustRun(problem, splitSchedule(order, first, -first));
                QCOMPARE(timeline.runtime, 7.0);
                QVERIFY((timeline.operations[1] == OperationRun{0, 2.0, 5.0}));
                QVERIFY((timeline.operations[2] == OperationRun{1, 2.0, 3.0}));
                QVERIFY((timeline.transfers[1] == TransferRun{2, 1, 0, 3.0, 3.0} ||
                         timeline.transfers[0] == TransferRun{2, 1, 0, 3.0, 3.0}));
            }
        } while (std::ranges::next_permutation(order).found);
    }

    /// If c and its transfer go before b, device 0 waits until 3 before it runs b.
    void aRendezvousWaitsForBothDevices() {
        const Problem problem = mustMake(diamond(), equalDevices(2, UnlimitedMemory, TransferMode::Rendezvous));
        // b before c's transfer.
        QCOMPARE(mustRun(problem, splitSchedule({0, 1, 2, 3}, 9.0F, -9.0F)).runtime, 7.0);
        // c and its transfer before b.
        const Timeline late = mustRun(problem, splitSchedule({0, 2, 1, 3}, 9.0F, 9.0F));
        QCOMPARE(late.runtime, 8.0);
        QVERIFY((late.operations[1] == OperationRun{0, 3.0, 6.0}));
        QCOMPARE(late.order, (std::vector<std::uint32_t>{0, 4, 2, 5, 1, 3}));
    }

    /// A transfer of 10 bytes at 5 bytes per unit of time, and a latency of 1: from 2 to 5 on the link, so c ends at 6, and its tensor is
    /// back at 6 + 3 = 9. Meanwhile device 0 runs b.
    void asynchronousTransfersOccupyTheLink() {
        TaskGraph graph = diamond();
        for (Tensor& tensor : graph.tensors) tensor.bytes = 10;
        Machine machine = equalDevices(2, UnlimitedMemory, TransferMode::Async);
        machine.latency = 1.0;
        machine.bandwidth = 5.0;
        const Timeline timeline = mustRun(mustMake(graph, machine), splitSchedule({0, 1, 2, 3}, 0.0F, 0.0F));
        QVERIFY((timeline.operations[1] == OperationRun{0, 2.0, 5.0}));
        QVERIFY((timeline.operations[2] == OperationRun{1, 5.0, 6.0}));
        QVERIFY((timeline.transfers[1] == TransferRun{2, 1, 0, 6.0, 9.0}));
        QCOMPARE(timeline.runtime, 11.0);
        // A second tensor for device 1 has to wait for the first one.
        const TaskGraph two = makeGraph({{"a", 1.0, 10, {2}}, {"b", 0.0, 10, {2}}, {"c", 1.0}});
        const Timeline queued =
            mustRun(mustMake(two, machine), inOrder({0, 0, 1}, std::vector<std::uint32_t>{0, 1, 2}));
        QVERIFY((queued.transfers[0] == TransferRun{0, 0, 1, 1.0, 4.0}));
        QVERIFY((queued.transfers[1] == TransferRun{1, 0, 1, 4.0, 7.0}));
        QCOMPARE(queued.runtime, 8.0);
    }

    void aTensorIsTransferredOnceForSeveralConsumers() {
        const Problem problem = mustMake(makeGraph({{"a", 1.0, 4, {1, 2, 3}}, {"b"}, {"c"}, {"d"}}), equalDevices(3));
        const Timeline timeline = mustRun(problem, inOrder({0, 1, 1, 2}, std::vector<std::uint32_t>{0, 1, 2, 3}));
        QCOMPARE(timeline.transfers.size(), 2U);
        QVERIFY((timeline.transfers[0] == TransferRun{0, 0, 1, 1.0, 1.0}));
        QVERIFY((timeline.transfers[1] == TransferRun{0, 0, 2, 1.0, 1.0}));
        QCOMPARE(timeline.peak, (std::vector<std::uint64_t>{4, 4, 4}));
    }

    void durationsAreDividedBySpeeds() {
        Machine machine = equalDevices(2);
        machine.devices[1].speed = 4.0;
        const Problem problem = mustMake(makeGraph({{"a", 6.0}, {"b", 6.0}}), machine);
        QCOMPARE(mustRun(problem, inOrder({0, 1}, std::vector<std::uint32_t>{0, 1})).runtime, 6.0);
        QCOMPARE(mustRun(problem, inOrder({1, 1}, std::vector<std::uint32_t>{0, 1})).runtime, 3.0);
        QCOMPARE(runtimeBounds(problem).criticalPath, 1.5);
        QCOMPARE(runtimeBounds(problem).work, 12.0 / 5.0);
    }

    void wholeTimesHaveWholeBounds() {
        const auto workOf = [](double duration, Machine machine) {
            return runtimeBounds(mustMake(makeGraph({{"a", 1.0}, {"b", 1.0}, {"c", duration}}), std::move(machine)))
                .work;
        };
        QCOMPARE(workOf(1.0, equalDevices(2)), 2.0);
        QCOMPARE(workOf(2.0, equalDevices(2)), 2.0);
        QCOMPARE(workOf(1.5, equalDevices(2)), 1.75);
        Machine timed = equalDevices(2, UnlimitedMemory, TransferMode::Async);
        timed.latency = 0.25;
        QCOMPARE(workOf(1.0, timed), 1.5);
        Machine slow = equalDevices(2);
        slow.devices[1].speed = 0.75;
        QCOMPARE(workOf(0.0, slow), 2.0 / 1.75);
    }

    /// On one device, in bytes: a makes 4; b uses it and makes 1 (5 in use, then 1); c uses a too, so order matters.
    void memoryIsReleasedAfterTheLastUse() {
        const TaskGraph graph =
            makeGraph({{"a", 1.0, 4, {1}}, {"b", 1.0, 1, {4}}, {"c", 1.0, 5, {3}}, {"d", 1.0, 2, {4}}, {"e", 0.0, 3}});
        const Problem problem = mustMake(graph, equalDevices(1, 9));
        const auto run = [&](const std::vector<std::uint32_t>& order) {
            return mustRun(problem, inOrder({0, 0, 0, 0, 0}, order));
        };
        // a 4, b 5 → 1, c 6, d 8 → 3, e 6 → 3 (retained).
        const Timeline good = run({0, 1, 2, 3, 4});
        QCOMPARE(good.peak[0], 8U);
        QVERIFY(good.isFeasible());
        const std::vector<MemoryStep> steps{{0.0, 4}, {1.0, 5}, {2.0, 1}, {2.0, 6},
                                            {3.0, 8}, {4.0, 3}, {4.0, 6}, {4.0, 3}};
        QVERIFY(good.memory[0] == steps);
        // a 4, c 9, b 10.
        const Timeline bad = run({0, 2, 1, 3, 4});
        QCOMPARE(bad.peak[0], 10U);
        QVERIFY(!bad.isFeasible());
        QCOMPARE(bad.overflow, 1U);
    }

    void outputsStayIfTheyAreRetained() {
        TaskGraph graph = makeGraph({{"a", 1.0, 4, {1}}, {"b", 1.0, 2}});
        const std::vector<std::uint32_t> order{0, 1};
        const auto last = [&](ModelOptions options) {
            return mustRun(mustMake(graph, equalDevices(1), options), inOrder({0, 0}, order)).memory[0].back().bytes;
        };
        QCOMPARE(last({.retainOutputs = true}), 2U);
        QCOMPARE(last({.retainOutputs = false}), 0U);
        graph.tensors[0].isOutput = true;
        QCOMPARE(last({.retainOutputs = true}), 6U);
        QCOMPARE(last({.retainOutputs = false}), 0U);
        // On the device of the producer only.
        const Timeline apart = mustRun(mustMake(graph, equalDevices(2)), inOrder({0, 1}, order));
        QCOMPARE(apart.memory[0].back().bytes, 4U);
        QCOMPARE(apart.memory[1].back().bytes, 2U);
        QCOMPARE(apart.peak[1], 6U);
    }

    void tiesGoToTheLowestNumber() {
        const Problem problem = mustMake(makeGraph({{"a"}, {"b"}, {"c"}}), equalDevices(1));
        const Timeline timeline = mustRun(problem, {{0, 0, 0}, {0.5F, 0.5F, 0.5F}, {}});
        QCOMPARE(timeline.order, (std::vector<std::uint32_t>{0, 1, 2}));
        // Priorities of any sign are ordered.
        QCOMPARE(mustRun(problem, {{0, 0, 0}, {-2.0F, 3.0F, -1.0F}, {}}).order, (std::vector<std::uint32_t>{1, 2, 0}));
        QCOMPARE(mustRun(problem, {{0, 0, 0}, {-0.0F, 0.0F, 1.0F}, {}}).order, (std::vector<std::uint32_t>{2, 0, 1}));
    }

    /// All copies are released in the end, except the outputs; the run time is not below its bounds; scores are those of the timelines.
    void lawsHoldForRandomSchedules() {
        Random random(11);
        for (int i = 0; i < 300; ++i) {
            const auto mode = static_cast<TransferMode>(i % 3);
            Machine machine = equalDevices(1 + static_cast<std::uint32_t>(random.below(3)), 40, mode);
            if (mode != TransferMode::Instant) {
                machine.latency = static_cast<double>(random.below(2));
                machine.bandwidth = 4.0;
            }
            const Problem problem = mustMake(randomGraph(random, 12), machine, {.retainOutputs = i % 2 == 0});
            const Schedule schedule = randomSchedule(random, problem);
            const Timeline timeline = mustRun(problem, schedule);
            std::uint64_t left = 0;
            for (const auto& steps : timeline.memory) left += steps.empty() ? 0 : steps.back().bytes;
            std::uint64_t retained = 0;
            for (const Tensor& tensor : problem.graph().tensors) {
                if (i % 2 == 0 && tensor.consumers.empty()) retained += tensor.bytes;
            }
            QCOMPARE(left, retained);
            QVERIFY(timeline.runtime >= runtimeBounds(problem).best() - 1e-9);
            PerformanceModel model(problem);
            const ScheduleView view{schedule.device, schedule.priority, schedule.transferPriority};
            QCOMPARE(model.runtime(view), timeline.runtime);
            const Score score = model.score(view);
            QVERIFY((score == Score{timeline.runtime, timeline.highestPeak(), timeline.overflow}));
            QVERIFY(model.timeline(view) == timeline);
        }
    }
};

MITOS_TEST(TestPerformanceModel)

}  // namespace tst_performance_model

#include "tst_performance_model.moc"
