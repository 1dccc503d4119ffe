// SPDX-License-Identifier: GPL-3.0-or-later
// The chain of tasks that makes a schedule as long as it is.
#include "core/schedule/critical_path.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_critical_path {

using namespace mitos::schedule;
using namespace mitos::tests;
using mitos::Random;

class TestCriticalPath : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofTheDiamond() {
        const std::vector<std::uint32_t> order{0, 1, 2, 3};
        const Problem two = mustMake(diamond(), equalDevices(2));
        const Timeline split = mustRun(two, inOrder({0, 0, 1, 0}, order));
        QCOMPARE(criticalPath(two, split), (std::vector<std::uint32_t>{0, 1, 3}));
        // On one device everything is on it, also c, which needs nothing of b.
        const Problem one = mustMake(diamond(), equalDevices(1));
        const Timeline alone = mustRun(one, inOrder({0, 0, 0, 0}, order));
        QCOMPARE(criticalPath(one, alone), (std::vector<std::uint32_t>{0, 1, 2, 3}));
    }

    /// a: 0–2, its transfer (task 4): 2–4 with a latency of 2, c: 4–5, its transfer (task 5): 5–7, e: 7–9.
    void transfersArePartOfIt() {
        Machine machine = equalDevices(2, UnlimitedMemory, TransferMode::Async);
        machine.latency = 2.0;
        const Problem problem = mustMake(diamond(), machine);
        const std::vector<std::uint32_t> order{0, 1, 2, 3};
        const Timeline timeline = mustRun(problem, inOrder({0, 0, 1, 0}, order));
        QCOMPARE(timeline.runtime, 9.0);
        QCOMPARE(criticalPath(problem, timeline), (std::vector<std::uint32_t>{0, 4, 2, 5, 3}));
    }

    void hasNoGapsInRandomSchedules() {
        Random random(11);
        for (int round = 0; round < 300; ++round) {
            const auto mode = static_cast<TransferMode>(random.below(3));
            Machine machine = equalDevices(1 + static_cast<std::uint32_t>(random.below(3)), UnlimitedMemory, mode);
            if (mode != TransferMode::Instant) machine.latency = static_cast<double>(random.below(3));
            const Problem problem =
                mustMake(randomGraph(random, 1 + static_cast<std::uint32_t>(random.below(9))), machine);
            const Timeline timeline = mustRun(problem, randomSchedule(random, problem));
            const std::vector<std::uint32_t> path = criticalPath(problem, timeline);
            QVERIFY(!path.empty());
            double at = 0.0;
            for (const std::uint32_t task : path) {
                const bool isOperation = task < problem.operationCount();
                const std::uint32_t transfer = task - problem.operationCount();
                QCOMPARE(isOperation ? timeline.operations[task].start : timeline.transfers[transfer].start, at);
                at = isOperation ? timeline.operations[task].end : timeline.transfers[transfer].end;
            }
            QCOMPARE(at, timeline.runtime);
        }
    }
};

MITOS_TEST(TestCriticalPath)

}  // namespace tst_critical_path

#include "tst_critical_path.moc"
