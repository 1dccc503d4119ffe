// SPDX-License-Identifier: GPL-3.0-or-later
// List scheduling on examples followed by hand, and on graphs with a known optimum.
#include "core/base/result.h"
#include "core/schedule/generators.h"
#include "core/schedule/timeline_check.h"
#include "search/placement/list_scheduling.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tst_list_scheduling {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Random;

namespace {

/// The rule of the decoder, step by step, for instant transfers: devices and ends.
struct Placed {
    std::vector<std::uint32_t> device;
    std::vector<double> end;
};
Placed placedByRule(const Problem& problem, const std::vector<float>& priority) {
    const std::uint32_t count = problem.operationCount();
    Placed placed{std::vector<std::uint32_t>(count), std::vector<double>(count, -1.0)};
    std::vector<double> free(problem.deviceCount(), 0.0);
    for (std::uint32_t step = 0; step < count; ++step) {
        std::optional<std::uint32_t> next;
        double arrival = 0.0;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (placed.end[i] >= 0.0 || (next && priority[i] <= priority[*next])) continue;
            double last = 0.0;
            bool isReady = true;
            for (const std::uint32_t before : problem.predecessorsOf(i)) {
                isReady = isReady && placed.end[before] >= 0.0;
                last = std::max(last, placed.end[before]);
            }
            if (!isReady) continue;
            next = i;
            arrival = last;
        }
        std::pair<double, double> best{std::numeric_limits<double>::infinity(), 0.0};
        for (std::uint32_t d = 0; d < problem.deviceCount(); ++d) {
            const double start = std::max(arrival, free[d]);
            const std::pair<double, double> here{start + problem.durationOf(*next, d), start - free[d]};
            if (here >= best) continue;
            best = here;
            placed.device[*next] = d;
        }
        placed.end[*next] = best.first;
        free[placed.device[*next]] = best.first;
    }
    return placed;
}

}  // namespace

class TestListScheduling : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// e: 2, b: 3 + 2, c: 1 + 2, a: 2 + 5. A transfer of 4 bytes takes 2, half of the time on two devices.
    void bottomLevelsAreLongestChains() {
        QCOMPARE(bottomLevels(mustMake(diamond(), equalDevices(2))), (std::vector<double>{7.0, 5.0, 3.0, 2.0}));
        Machine machine = equalDevices(2, UnlimitedMemory, TransferMode::Async);
        machine.bandwidth = 0.5;
        const Problem problem = mustMake(diamond(), machine);
        QCOMPARE(bottomLevels(problem), (std::vector<double>{7.0, 5.0, 3.0, 2.0}));
        QCOMPARE(bottomLevels(problem, true), (std::vector<double>{9.0, 6.0, 4.0, 2.0}));
        machine.devices[0].speed = 0.5;  // a mean of 1.5 times the duration
        QCOMPARE(bottomLevels(mustMake(diamond(), machine)), (std::vector<double>{10.5, 7.5, 4.5, 3.0}));
    }

    void findsTheOptimumOfTheDiamond() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        QCOMPARE(mustRun(problem, highestLevelFirst(problem)).runtime, 7.0);
        QCOMPARE(mustRun(problem, earliestFinish(problem)).runtime, 7.0);
    }

    /// Transfers of 5 are not worth it: everything on one device takes 8.
    void avoidsExpensiveTransfers() {
        Machine machine = equalDevices(2, UnlimitedMemory, TransferMode::Async);
        machine.latency = 5.0;
        const Problem problem = mustMake(diamond(), machine);
        const Schedule schedule = earliestFinish(problem);
        QCOMPARE(schedule.device, (std::vector<std::uint32_t>{0, 0, 0, 0}));
        QCOMPARE(mustRun(problem, schedule).runtime, 8.0);
    }

    /// A chain goes to the fast device; what fits beside it goes to the slow one.
    void usesFastDevicesFirst() {
        Machine machine = equalDevices(2);
        machine.devices[1].speed = 3.0;
        const Problem problem =
            mustMake(makeGraph({{"a", 3.0, 0, {1}}, {"b", 6.0, 0, {2}}, {"c", 3.0}, {"d", 4.0}}), machine);
        for (const Schedule& schedule : {highestLevelFirst(problem), earliestFinish(problem)}) {
            QCOMPARE(schedule.device, (std::vector<std::uint32_t>{1, 1, 1, 0}));
            QCOMPARE(mustRun(problem, schedule).runtime, 4.0);
        }
    }

    void comesCloseToPlantedOptima() {
        double levels = 0.0;
        double earliest = 0.0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const std::uint32_t devices = seed % 2 == 0 ? 2 : 4;
            const PlantedGraph planted = plantedGraph({.devices = devices}, seed);
            const Problem problem = mustMake(planted.graph, equalDevices(devices));
            const double first = mustRun(problem, highestLevelFirst(problem)).runtime;
            const double second = mustRun(problem, earliestFinish(problem)).runtime;
            QVERIFY(first >= planted.optimum && second >= planted.optimum);
            levels += first / planted.optimum / 20.0;
            earliest += second / planted.optimum / 20.0;
        }
        QVERIFY2(levels < 1.02, qPrintable(QString::number(levels)));
        QVERIFY2(earliest < 1.03, qPrintable(QString::number(earliest)));
    }

    /// On one to seven devices, equal ones and others, with priorities of which some are equal.
    void theDecoderFollowsItsRule() {
        Random random(9);
        for (std::uint32_t i = 0; i < 84; ++i) {
            Machine machine = equalDevices(1 + i % 7);
            if (i % 2 == 1) machine.devices.back().speed = 2.0;
            const Problem problem = mustMake(randomGraph(random, 26), machine);
            std::vector<float> priority;
            for (std::uint32_t k = 0; k < problem.operationCount(); ++k)
                priority.push_back(static_cast<float>(random.below(20)) / 20.0F);
            const Placed expected = placedByRule(problem, priority);
            EarliestFinishDecoder decoder(problem);
            std::vector<std::uint32_t> device(problem.operationCount());
            for (int again = 0; again < 2; ++again) {
                QCOMPARE(decoder.place(priority, device), *std::ranges::max_element(expected.end));
                QCOMPARE(device, expected.device);
                QVERIFY(std::ranges::equal(decoder.ends(), expected.end));
            }
        }
    }

    void theDecoderHasTheTimesOfTheModel() {
        Random random(9);
        for (int i = 0; i < 100; ++i) {
            const Problem problem =
                mustMake(randomGraph(random, 20), equalDevices(1 + static_cast<std::uint32_t>(i % 3)));
            EarliestFinishDecoder decoder(problem);
            Schedule schedule = randomSchedule(random, problem);
            schedule.transferPriority.clear();
            const double runtime = decoder.place(schedule.priority, schedule.device);
            QCOMPARE(mustRun(problem, schedule).runtime, runtime);
            QCOMPARE(decoder.place(schedule.priority, schedule.device), runtime);
        }
    }

    void schedulesHoldUnderTheIndependentCheck() {
        Random random(21);
        for (int i = 0; i < 60; ++i) {
            Machine machine = equalDevices(3, UnlimitedMemory, static_cast<TransferMode>(i % 3));
            machine.devices[1].speed = 2.0;
            if (i % 3 != 0) machine.latency = 1.0;
            const Problem problem = mustMake(randomGraph(random, 15), machine);
            for (const Schedule& schedule : {highestLevelFirst(problem), earliestFinish(problem)}) {
                const Timeline timeline = mustRun(problem, schedule);
                QVERIFY(faultsOf(problem.graph(), machine, {}, schedule, timeline).empty());
                QVERIFY(timeline.runtime >= runtimeBounds(problem).best() - 1e-9);
            }
        }
    }
};

MITOS_TEST(TestListScheduling)

}  // namespace tst_list_scheduling

#include "tst_list_scheduling.moc"
