// SPDX-License-Identifier: GPL-3.0-or-later
// List scheduling on examples followed by hand, and on graphs with a known optimum.
#include "core/base/result.h"
#include "core/schedule/generators.h"
#include "core/schedule/timeline_check.h"
#include "search/placement/list_scheduling.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <vector>

namespace tst_list_scheduling {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Random;

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
