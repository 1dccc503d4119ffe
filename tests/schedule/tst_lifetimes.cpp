// SPDX-License-Identifier: GPL-3.0-or-later
// The lifetimes of tensors, against timelines that were followed by hand and against the performance model.
#include "core/schedule/lifetimes.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <map>

namespace tst_lifetimes {

using namespace mitos::schedule;
using namespace mitos::tests;
using mitos::Random;

namespace {

/// The diamond with tensors of 10, 20, 30 and 40 bytes.
TaskGraph sizedDiamond() {
    return makeGraph({{"a", 2.0, 10, {1, 2}}, {"b", 3.0, 20, {3}}, {"c", 1.0, 30, {3}}, {"e", 2.0, 40}});
}

}  // namespace

class TestLifetimes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// a: 0–2, b: 2–5, c: 5–6, e: 6–8. The tensor of a is used until 6, that of e stays.
    void onOneDeviceByHand() {
        const Problem problem = mustMake(sizedDiamond(), equalDevices(1));
        const std::vector<std::uint32_t> order{0, 1, 2, 3};
        const Schedule schedule = inOrder({0, 0, 0, 0}, order);
        const Lifetimes lives(problem, schedule, mustRun(problem, schedule));
        QCOMPARE(lives.all().size(), std::size_t(4));
        const auto isFromTo = [&](std::uint32_t tensor, double from, double to) {
            const Lifetime& life = lives.all()[tensor];
            return life.tensor == tensor && life.device == 0 && life.from == from && life.to == to;
        };
        QVERIFY(isFromTo(0, 0.0, 6.0));
        QVERIFY(isFromTo(1, 2.0, 8.0));
        QVERIFY(isFromTo(2, 5.0, 8.0));
        QVERIFY(isFromTo(3, 6.0, 8.0));
        QCOMPARE(peakBound(problem), std::uint64_t(90));
        // At 6 the tensor of a is released before e begins, which needs 20 + 30 and makes 40.
        const AliveCopies peak = lives.atPeak(0);
        QCOMPARE(peak.bytes, std::uint64_t(90));
        QCOMPARE(peak.time, 6.0);
        QCOMPARE(peak.copies, (std::vector<std::uint32_t>{3, 2, 1}));
        QCOMPARE(lives.at(0, 5.5).bytes, std::uint64_t(60));
        QCOMPARE(lives.at(0, 4.0).copies, (std::vector<std::uint32_t>{1, 0}));
        QCOMPARE(lives.at(0, 0.0).bytes, std::uint64_t(10));
        QCOMPARE(lives.at(0, 9.0).bytes, std::uint64_t(40));
        QCOMPARE(lives.at(0, -1.0).bytes, std::uint64_t(0));
    }

    /// With c on device 1 the tensor of a is there from 2 to 3, and that of c from 2 until its transfer at 3.
    void copiesOnTwoDevices() {
        const Problem problem = mustMake(sizedDiamond(), equalDevices(2));
        const std::vector<std::uint32_t> order{0, 1, 2, 3};
        const Schedule schedule = inOrder({0, 0, 1, 0}, order);
        const Lifetimes lives(problem, schedule, mustRun(problem, schedule));
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<double, double>> found;
        for (const Lifetime& life : lives.all()) found[{life.tensor, life.device}] = {life.from, life.to};
        using Times = std::pair<double, double>;
        QCOMPARE(found.size(), std::size_t(6));
        QVERIFY((found[{0, 0}] == Times{0.0, 5.0}));
        QVERIFY((found[{0, 1}] == Times{2.0, 3.0}));
        QVERIFY((found[{1, 0}] == Times{2.0, 7.0}));
        QVERIFY((found[{2, 1}] == Times{2.0, 3.0}));
        QVERIFY((found[{2, 0}] == Times{3.0, 7.0}));
        QVERIFY((found[{3, 0}] == Times{5.0, 7.0}));
    }

    void bytesAreThoseOfThePerformanceModel() {
        Random random(7);
        for (int round = 0; round < 300; ++round) {
            const auto mode = static_cast<TransferMode>(random.below(3));
            Machine machine = equalDevices(1 + static_cast<std::uint32_t>(random.below(3)), UnlimitedMemory, mode);
            if (mode != TransferMode::Instant) machine.latency = static_cast<double>(random.below(3));
            const Problem problem = mustMake(randomGraph(random, 1 + static_cast<std::uint32_t>(random.below(9))),
                                             machine, {.retainOutputs = random.chance(0.5)});
            const Schedule schedule = randomSchedule(random, problem);
            const Timeline timeline = mustRun(problem, schedule);
            const Lifetimes lives(problem, schedule, timeline);
            for (std::uint32_t device = 0; device < problem.deviceCount(); ++device) {
                QCOMPARE(lives.atPeak(device).bytes, timeline.peak[device]);
                std::map<double, std::uint64_t> most;
                for (const MemoryStep& step : timeline.memory[device])
                    most[step.time] = std::max(most[step.time], step.bytes);
                for (const auto& [time, bytes] : most) {
                    const AliveCopies alive = lives.at(device, time);
                    std::uint64_t sum = 0;
                    for (const std::uint32_t copy : alive.copies) sum += problem.bytesOf(lives.all()[copy].tensor);
                    QCOMPARE(alive.bytes, sum);
                    QVERIFY2(alive.bytes >= bytes, qPrintable(QString::number(round)));
                }
            }
            for (const Lifetime& life : lives.all()) QVERIFY(life.from <= life.to && life.begin < life.end);
            QVERIFY(peakBound(problem) <= timeline.highestPeak());
        }
    }
};

MITOS_TEST(TestLifetimes)

}  // namespace tst_lifetimes

#include "tst_lifetimes.moc"
