// SPDX-License-Identifier: GPL-3.0-or-later
// The queue gives the ready task of the highest priority, whatever the priorities are, and the performance model works with any number of tasks.
#include "core/schedule/ready_queue.h"
#include "core/schedule/timeline_check.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace tst_ready_queue {

using namespace mitos::schedule;
using namespace mitos::tests;
using mitos::Random;

namespace {

/// Kinds of priorities: spread evenly, few different ones, close to each other, negative ranks, infinite ones, huge ones.
float priorityOf(int kind, Random& random) {
    const auto uniform = static_cast<float>(random.uniform());
    switch (kind) {
        case 0: return uniform;
        case 1: return static_cast<float>(random.below(3)) - 1.0F;
        case 2: return 0.5F + 1e-6F * uniform;
        case 3: return -static_cast<float>(random.below(1'000'000));
        case 4: return random.chance(0.3) ? std::numeric_limits<float>::infinity() : uniform;
        default: return (uniform - 0.5F) * std::numeric_limits<float>::max();
    }
}

}  // namespace

class TestReadyQueue : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Compared with a set, while a loop wakes and pops tasks in turn.
    void givesTheHighestPriorityFirst() {
        Random random(5);
        for (int i = 0; i < 60; ++i) {
            const auto operations = static_cast<std::uint32_t>(1 + random.below(i < 50 ? 200 : 6'000));
            const auto others = static_cast<std::uint32_t>(random.below(100));
            std::vector<float> priority;
            std::vector<ReadyQueue::Other> other;
            for (std::uint32_t k = 0; k < operations; ++k) priority.push_back(priorityOf(i % 6, random));
            for (std::uint32_t k = 0; k < others; ++k)
                other.push_back({priorityOf(i % 6, random), operations + 3 * (others - k)});
            ReadyQueue queue(operations + 3 * others + 1);
            for (int again = 0; again < 2; ++again) {
                queue.reset(priority, other);
                queue.use([&](auto ready) {
                    std::set<std::pair<float, std::uint32_t>> expected;  // by the negative priority
                    std::uint32_t next = 0;
                    for (std::uint32_t popped = 0; popped < operations + others;) {
                        const bool isLast = next == operations + others;
                        if (!isLast && (expected.empty() || random.chance(0.6))) {
                            const bool isOther = next >= operations;
                            const std::uint32_t task = isOther ? other[next - operations].task : next;
                            expected.emplace(-(isOther ? other[next - operations].priority : priority[next]), task);
                            ready.wakeIf(task, false);
                            ready.wakeIf(task, true);
                            ++next;
                        } else {
                            QCOMPARE(ready.pop(), expected.begin()->second);
                            expected.erase(expected.begin());
                            ++popped;
                        }
                    }
                });
            }
        }
    }

    /// Scores are those of timelines, which an independent check accepts, for more devices and tasks than fit into one word.
    void scoresOfLargeGraphsAreThoseOfTimelines() {
        Random random(7);
        for (int i = 0; i < 24; ++i) {
            const auto mode = static_cast<TransferMode>(i % 3);
            Machine machine = equalDevices(2 + static_cast<std::uint32_t>(random.below(i < 12 ? 3 : 20)), 200, mode);
            machine.devices[1].speed = i % 2 == 0 ? 1.0 : 3.0;
            if (mode != TransferMode::Instant) machine.bandwidth = 4.0;
            const Problem problem = mustMake(randomGraph(random, 80), machine, {.retainOutputs = i % 2 == 0});
            Schedule schedule = randomSchedule(random, problem);
            if (i % 5 == 0) schedule.transferPriority.clear();
            const Timeline timeline = mustRun(problem, schedule);
            QVERIFY(faultsOf(problem.graph(), problem.machine(), problem.options(), schedule, timeline).empty());
            PerformanceModel model(problem);
            const ScheduleView view{schedule.device, schedule.priority, schedule.transferPriority};
            for (int again = 0; again < 2; ++again) {
                QCOMPARE(model.runtime(view), timeline.runtime);
                QVERIFY((model.score(view) == Score{timeline.runtime, timeline.highestPeak(), timeline.overflow}));
            }
        }
    }
};

MITOS_TEST(TestReadyQueue)

}  // namespace tst_ready_queue

#include "tst_ready_queue.moc"
