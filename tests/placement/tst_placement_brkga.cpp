// SPDX-License-Identifier: GPL-3.0-or-later
// Random keys for schedules: what the keys mean, and that the search finds the optimum of small graphs.
#include "core/base/result.h"
#include "core/schedule/generators.h"
#include "core/schedule/timeline_check.h"
#include "search/placement/brkga.h"
#include "search/placement/list_scheduling.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace tst_placement_brkga {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Random;
using mitos::Result;

namespace {

Placement mustSearch(const Problem& problem, const BrkgaOptions& options, std::uint64_t evaluations) {
    Result<Placement> found = searchByRandomKeys(problem, options, {.evaluations = evaluations});
    if (!found) qFatal("%s", found.error().message.c_str());
    return *std::move(found);
}

/// The best values over all placements and orders of operations, with transfers first.
struct Optimum {
    double runtime = std::numeric_limits<double>::infinity();
    std::uint64_t peak = std::numeric_limits<std::uint64_t>::max();
};
Optimum optimumOf(const Problem& problem) {
    Optimum best;
    PerformanceModel model(problem);
    std::vector<std::uint32_t> device(problem.operationCount());
    bool isLast = false;
    while (!isLast) {
        std::vector<std::uint32_t> order(problem.operationCount());
        std::iota(order.begin(), order.end(), 0U);
        do {
            const Schedule schedule = inOrder(device, order);
            const Score score = model.score({schedule.device, schedule.priority});
            best.runtime = std::min(best.runtime, score.runtime);
            best.peak = std::min(best.peak, score.peak);
        } while (std::ranges::next_permutation(order).found);
        std::size_t digit = 0;
        while (digit < device.size() && ++device[digit] == problem.deviceCount()) device[digit++] = 0;
        isLast = digit == device.size();
    }
    return best;
}

}  // namespace

class TestPlacementBrkga : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Two devices, four operations, three tensors (e's is not transferred, but has keys, too): 8 affinities, 4 priorities, 8 transfers.
    void keysHaveTheirMeaning() {
        const Problem instant = mustMake(diamond(), equalDevices(2));
        const Problem problem = mustMake(diamond(), equalDevices(2, UnlimitedMemory, TransferMode::Rendezvous));
        QCOMPARE(geneCount(instant, Decode::Paper), 12U);
        QCOMPARE(geneCount(problem, Decode::Paper), 20U);
        QCOMPARE(geneCount(problem, Decode::EarliestFinish), 4U);
        const std::vector<float> keys{0.9F, 0.1F, 0.5F, 0.4F, 0.2F, 0.3F, 0.5F, 0.5F, 0.1F, 0.2F,
                                      0.3F, 0.4F, 0.0F, 0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F};
        const Schedule schedule = decoded(problem, Decode::Paper, keys);
        QCOMPARE(schedule.device, (std::vector<std::uint32_t>{0, 0, 1, 0}));
        QCOMPARE(schedule.priority, (std::vector<float>{0.1F, 0.2F, 0.3F, 0.4F}));
        QCOMPARE(schedule.transferPriority, (std::vector<float>{0.0F, 0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F}));
        // c goes to the device that is free first.
        QCOMPARE(decoded(instant, Decode::EarliestFinish, std::vector<float>{0.9F, 0.8F, 0.7F, 0.6F}).device,
                 (std::vector<std::uint32_t>{0, 0, 1, 0}));
    }

    void encodedSchedulesDecodeToTheSameTimeline() {
        Random random(6);
        for (int i = 0; i < 90; ++i) {
            const Problem problem =
                mustMake(randomGraph(random, 14), equalDevices(2, UnlimitedMemory, static_cast<TransferMode>(i % 3)));
            const Schedule schedule = randomSchedule(random, problem);
            const Schedule again = decoded(problem, Decode::Paper, encoded(problem, Decode::Paper, schedule));
            QVERIFY(mustRun(problem, again) == mustRun(problem, schedule));
        }
    }

    void findsTheOptimumOfSmallGraphs_data() {
        QTest::addColumn<int>("mode");
        QTest::newRow("instant") << static_cast<int>(TransferMode::Instant);
        QTest::newRow("rendezvous") << static_cast<int>(TransferMode::Rendezvous);
    }
    void findsTheOptimumOfSmallGraphs() {
        QFETCH(const int, mode);
        Random random(8);
        for (int i = 0; i < 4; ++i) {
            const Problem problem =
                mustMake(randomGraph(random, 5), equalDevices(2, UnlimitedMemory, static_cast<TransferMode>(mode)));
            const Optimum optimum = optimumOf(problem);
            const Placement fast = mustSearch(problem, {.decode = Decode::Paper}, 3'000);
            // Transfers need not go first, so the search may find better ones.
            QVERIFY(fast.score.runtime <= optimum.runtime);
            const Placement small =
                mustSearch(problem, {.objective = Objective::Memory, .decode = Decode::Paper}, 3'000);
            QVERIFY(small.score.peak <= optimum.peak);
            if (mode == static_cast<int>(TransferMode::Instant)) {
                QCOMPARE(fast.score.runtime, optimum.runtime);
                QCOMPARE(mustSearch(problem, {}, 3'000).score.runtime, optimum.runtime);
            }
            QVERIFY(faultsOf(problem.graph(), problem.machine(), {}, fast.schedule, mustRun(problem, fast.schedule))
                        .empty());
        }
    }

    /// Within 2 % of the optimum, never below it, and with the schedule of a heuristic among the first never worse than that.
    void comesCloseToPlantedOptima() {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const PlantedGraph planted = plantedGraph({.tasksPerDevice = 25}, seed);
            const Problem problem = mustMake(planted.graph, equalDevices(2));
            const Placement found = mustSearch(problem, {.settings = {.seed = seed}}, 2'000);
            QCOMPARE(found.evaluations, 2'000U);
            QVERIFY(found.score.runtime >= planted.optimum);
            QVERIFY2(found.score.runtime <= 1.02 * planted.optimum, qPrintable(QString::number(found.score.runtime)));
            const Schedule start = highestLevelFirst(problem);
            for (const Decode decode : {Decode::Paper, Decode::EarliestFinish}) {
                const Placement warm = mustSearch(problem, {.decode = decode, .starts = {start}}, 100);
                QVERIFY(warm.score.runtime <= 1.01 * mustRun(problem, start).runtime);
            }
            QVERIFY(mustSearch(problem, {.decode = Decode::Paper, .starts = {start}}, 1).score.runtime ==
                    mustRun(problem, start).runtime);
        }
    }

    /// With the same number of evaluations on eight devices, where few schedules are without gaps. The best keys mean the best schedule, which the
    /// independent check accepts.
    void justifiedSchedulesAreShorter() {
        double plain = 0.0;
        double justified = 0.0;
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const PlantedGraph planted = plantedGraph({.devices = 8, .tasksPerDevice = 6}, seed);
            const Problem problem = mustMake(planted.graph, equalDevices(8));
            const BrkgaOptions options{.settings = {.seed = seed}, .justifies = true};
            const Placement found = mustSearch(problem, options, 2'000);
            QCOMPARE(found.evaluations, 2'000U);
            QVERIFY(found.score.runtime >= planted.optimum);
            const Timeline timeline = mustRun(problem, found.schedule);
            QCOMPARE(timeline.runtime, found.score.runtime);
            QVERIFY(faultsOf(problem.graph(), problem.machine(), {}, found.schedule, timeline).empty());
            BrkgaOptions parallel = options;
            parallel.threads = 2;
            parallel.ranksDuplicatesLast = true;
            QVERIFY(mustSearch(problem, parallel, 500).score.runtime >= planted.optimum);
            parallel.ranksDuplicatesLast = false;
            QVERIFY(mustSearch(problem, parallel, 2'000) == found);
            plain += mustSearch(problem, {.settings = {.seed = seed}}, 2'000).score.runtime / 6.0;
            justified += found.score.runtime / 6.0;
        }
        QVERIFY2(justified - 1'000.0 < 0.7 * (plain - 1'000.0),
                 qPrintable(QStringLiteral("%1 %2").arg(plain).arg(justified)));
    }

    /// Other devices, transfers or objectives, operations without duration, and a limit that allows no justification.
    void justifiesOnlyWhereItCan() {
        Random random(3);
        const TaskGraph graph = randomGraph(random, 12);
        const auto search = [](const Problem& problem, BrkgaOptions options, std::uint64_t evaluations) {
            options.justifies = true;
            return mustSearch(problem, options, evaluations);
        };
        const Problem equal = mustMake(graph, equalDevices(2));
        for (const std::uint64_t evaluations : {1U, 2U, 3U, 10U})
            QCOMPARE(search(equal, {}, evaluations).evaluations, evaluations);
        Machine machine = equalDevices(2);
        machine.devices[1].speed = 3.0;
        const Problem unlike = mustMake(graph, machine);
        QVERIFY(search(unlike, {}, 900).score.runtime <= mustSearch(unlike, {}, 300).score.runtime);
        const Problem limited = mustMake(graph, equalDevices(2, 100));
        QVERIFY(search(limited, {}, 300) == mustSearch(limited, {}, 300));
        const Problem sent = mustMake(graph, equalDevices(2, UnlimitedMemory, TransferMode::Async));
        QVERIFY(search(sent, {}, 300) == mustSearch(sent, {}, 300));
        QVERIFY(search(equal, {.decode = Decode::Paper}, 300) == mustSearch(equal, {.decode = Decode::Paper}, 300));
        const Problem empty = mustMake(makeGraph({{"a", 0.0, 1, {1}}, {"b", 0.0}}), equalDevices(2));
        QCOMPARE(search(empty, {}, 30).score.runtime, 0.0);
    }

    /// Among schedules that do not fit, the one that lacks least is best; one that fits is better, whatever its run time is.
    void fitsIntoMemoryFirst() {
        const TaskGraph graph = makeGraph({{"a", 1.0, 8, {2}}, {"b", 1.0, 8, {3}}, {"c", 1.0, 1}, {"d", 1.0, 1}});
        const auto search = [&](std::uint64_t memory) {
            return mustSearch(mustMake(graph, equalDevices(2, memory, TransferMode::Rendezvous)),
                              {.decode = Decode::Paper}, 2'000);
        };
        QCOMPARE(search(9).score.runtime, 2.0);
        QCOMPARE(search(9).score.overflow, 0U);
        QCOMPARE(search(5).score.overflow, 4U);
    }

    /// The same schedule with the devices swapped is equal, if they are alike.
    void recognizesEqualSchedules() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        const std::vector<float> keys{0.9F, 0.1F, 0.8F, 0.1F, 0.1F, 0.7F, 0.9F, 0.1F, 0.5F, 0.4F, 0.3F, 0.2F};
        std::vector<float> swapped = keys;
        for (std::size_t i = 0; i < 8; i += 2) std::swap(swapped[i], swapped[i + 1]);
        // The priorities have the same order.
        swapped[8] = 0.6F;
        std::vector<float> other = keys;
        std::swap(other[4], other[5]);  // c is on the device of a and b
        const auto hash = [](const Problem& solved, const std::vector<float>& given) {
            return decodedHash(solved, Decode::Paper, given);
        };
        QCOMPARE(hash(problem, swapped), hash(problem, keys));
        QVERIFY(hash(problem, other) != hash(problem, keys));
        Machine machine = equalDevices(2);
        machine.devices[0].memory = 100;
        const Problem unlike = mustMake(diamond(), machine);
        QVERIFY(hash(unlike, swapped) != hash(unlike, keys));
        // Priorities alone: the decoder of earliest ends.
        const auto earliest = [&](const std::vector<float>& priorities) {
            return decodedHash(problem, Decode::EarliestFinish, priorities);
        };
        QCOMPARE(earliest({0.9F, 0.8F, 0.7F, 0.1F}), earliest({0.5F, 0.4F, 0.3F, 0.2F}));
        QVERIFY(earliest({0.9F, 0.8F, 0.7F, 0.1F}) != earliest({0.9F, 0.7F, 0.8F, 0.1F}));
    }

    /// Where all keys mean one of few schedules, the elites are different ones only if duplicates rank last. The best is kept in both cases.
    void distinctElitesKeepTheBest() {
        Random random(12);
        for (int i = 0; i < 6; ++i) {
            const Problem problem = mustMake(randomGraph(random, 6), equalDevices(2));
            const Placement usual = mustSearch(problem, {.decode = Decode::Paper}, 2'000);
            const Placement distinct =
                mustSearch(problem, {.decode = Decode::Paper, .ranksDuplicatesLast = true}, 2'000);
            QCOMPARE(distinct.score.runtime, usual.score.runtime);
            QVERIFY(mustSearch(problem, {.decode = Decode::Paper, .ranksDuplicatesLast = true, .threads = 2}, 2'000) ==
                    distinct);
        }
    }

    void isTheSameForAnyNumberOfThreads() {
        Random random(1);
        const Problem problem = mustMake(randomGraph(random, 20), equalDevices(3, 60, TransferMode::Async));
        const Placement one = mustSearch(problem, {.decode = Decode::Paper}, 500);
        QVERIFY(mustSearch(problem, {.decode = Decode::Paper, .threads = 2}, 500) == one);
        const mitos::random_keys::Settings settings{.islands = 2, .relinkEvery = 1};
        const Placement relinked = mustSearch(problem, {.decode = Decode::Paper, .settings = settings}, 900);
        QVERIFY(relinked.schedule !=
                mustSearch(problem, {.decode = Decode::Paper, .settings = {.islands = 2}}, 900).schedule);
        QVERIFY(mustSearch(problem, {.decode = Decode::Paper, .settings = settings, .threads = 2}, 900) == relinked);
    }

    void refusesStartsOfOtherGraphs() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        const Result<Placement> found =
            searchByRandomKeys(problem, {.starts = {Schedule{{0}, {0.5F}}}}, {.evaluations = 10});
        QCOMPARE(QString::fromStdString(found.error().message),
                 QStringLiteral("the schedule has 1 devices and 1 priorities for 4 operations"));
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(!searchByRandomKeys(problem, {}, {.stop = stopped.get_token()}).ok());
    }
};

MITOS_TEST(TestPlacementBrkga)

}  // namespace tst_placement_brkga

#include "tst_placement_brkga.moc"
