// SPDX-License-Identifier: GPL-3.0-or-later
// Exact search against all schedules of small graphs, and on larger ones with a known optimum.
#include "core/base/result.h"
#include "core/schedule/generators.h"
#include "core/schedule/timeline_check.h"
#include "search/placement/exact.h"
#include "search/placement/list_scheduling.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

namespace tst_exact {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Random;
using mitos::random_keys::Fitness;

namespace {

/// The best fitness over all devices and all orders in which operations and transfers can start.
class AllSchedules {
public:
    AllSchedules(const Problem& problem, Objective objective)
        : m_problem(problem),
          m_objective(objective),
          m_model(problem) {}

    Fitness best() {
        const std::uint32_t devices = m_problem.deviceCount();
        m_schedule.device.assign(m_problem.operationCount(), 0);
        m_schedule.priority.assign(m_problem.operationCount(), 0.0F);
        bool isLast = false;
        while (!isLast) {
            visitOrders();
            std::size_t digit = 0;
            while (digit < m_schedule.device.size() && ++m_schedule.device[digit] == devices)
                m_schedule.device[digit++] = 0;
            isLast = digit == m_schedule.device.size();
        }
        return m_best;
    }

private:
    void visitOrders() {
        const std::uint32_t count = m_problem.operationCount();
        m_next.assign(count, {});
        m_transfers.clear();
        const bool isInstant = m_problem.machine().transfers == TransferMode::Instant;
        m_schedule.transferPriority.assign(
            isInstant ? 0 : std::size_t{m_problem.tensorCount()} * m_problem.deviceCount(), 0.0F);
        for (std::uint32_t i = 0; i < count; ++i) {
            for (const std::uint32_t next : m_problem.controlledBy(i)) m_next[i].push_back(next);
        }
        for (std::uint32_t t = 0; t < m_problem.tensorCount(); ++t) {
            const std::uint32_t producer = m_problem.producerOf(t);
            for (std::uint32_t to = 0; to < m_problem.deviceCount(); ++to) {
                std::vector<std::uint32_t> users;
                for (const std::uint32_t consumer : m_problem.consumersOf(t)) {
                    if (m_schedule.device[consumer] == to) users.push_back(consumer);
                }
                std::vector<std::uint32_t>* next = &m_next[producer];
                if (!users.empty() && to != m_schedule.device[producer] && !isInstant) {
                    next->push_back(static_cast<std::uint32_t>(m_next.size()));
                    m_transfers.push_back(t * m_problem.deviceCount() + to);
                    next = &m_next.emplace_back();
                }
                next->insert(next->end(), users.begin(), users.end());
            }
        }
        m_waits.assign(m_next.size(), 0);
        for (const auto& list : m_next) {
            for (const std::uint32_t next : list) ++m_waits[next];
        }
        m_isDone.assign(m_next.size(), false);
        visit(0);
    }

    void visit(std::size_t place) {
        if (place == m_next.size()) {
            const Score score = m_model.score({m_schedule.device, m_schedule.priority, m_schedule.transferPriority});
            m_best = std::min(m_best, fitnessOf(score, m_objective));
            return;
        }
        for (std::uint32_t i = 0; i < m_next.size(); ++i) {
            if (m_isDone[i] || m_waits[i] != 0) continue;
            const bool isOperation = i < m_problem.operationCount();
            float& priority = isOperation ? m_schedule.priority[i]
                                          : m_schedule.transferPriority[m_transfers[i - m_problem.operationCount()]];
            priority = -static_cast<float>(place);
            m_isDone[i] = true;
            for (const std::uint32_t next : m_next[i]) --m_waits[next];
            visit(place + 1);
            for (const std::uint32_t next : m_next[i]) ++m_waits[next];
            m_isDone[i] = false;
        }
    }

    const Problem& m_problem;
    Objective m_objective;
    PerformanceModel m_model;
    Fitness m_best{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    Schedule m_schedule;
    std::vector<std::vector<std::uint32_t>> m_next;
    std::vector<std::uint32_t> m_transfers;
    std::vector<std::uint32_t> m_waits;
    std::vector<bool> m_isDone;
};

/// The least run time on equal devices with instant transfers: every order of the operations, each on the device that is free first.
double leastRuntime(const Problem& problem) {
    EarliestFinishDecoder decoder(problem);
    std::vector<float> priority(problem.operationCount());
    for (std::size_t i = 0; i < priority.size(); ++i) priority[i] = static_cast<float>(i);
    std::vector<std::uint32_t> device(priority.size());
    double least = std::numeric_limits<double>::infinity();
    do {
        least = std::min(least, decoder.place(priority, device));
    } while (std::ranges::next_permutation(priority).found);
    return least;
}

Placement mustFind(const Problem& problem, const ExactOptions& options) {
    auto found = searchExactly(problem, options);
    if (!found) qFatal("%s", found.error().message.c_str());
    return *std::move(found);
}

}  // namespace

class TestExact : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isTheBestOfAllSchedules_data() {
        QTest::addColumn<int>("mode");
        QTest::newRow("instant") << static_cast<int>(TransferMode::Instant);
        QTest::newRow("rendezvous") << static_cast<int>(TransferMode::Rendezvous);
        QTest::newRow("async") << static_cast<int>(TransferMode::Async);
    }
    /// Speeds, memories, costs of transfers and durations that are not whole numbers change from graph to graph.
    void isTheBestOfAllSchedules() {
        QFETCH(const int, mode);
        Random random(17);
        for (int i = 0; i < 48; ++i) {
            Machine machine = equalDevices(i % 6 == 5 ? 3 : 2, UnlimitedMemory, static_cast<TransferMode>(mode));
            if (i % 4 == 1) machine.devices[1].speed = i % 8 == 1 ? 2.0 : 3.0;
            if (i % 4 == 3) {
                for (Device& device : machine.devices) device.memory = 6 + static_cast<std::uint64_t>(i % 13);
            }
            if (mode != 0 && i % 3 != 0) machine.latency = i % 3 == 1 ? 1.0 : 0.5;
            if (mode != 0 && i % 5 == 0) machine.bandwidth = 4.0;
            TaskGraph graph = randomGraph(random, 4);
            if (i % 3 == 1) {
                for (Operation& operation : graph.operations) operation.duration = operation.duration / 3.0 + 0.1;
            }
            const Objective objective = i % 4 == 2 ? Objective::Memory : Objective::Runtime;
            const Problem problem = mustMake(std::move(graph), machine, {.retainOutputs = i % 2 == 0});
            const Placement found = mustFind(problem, {.objective = objective});
            const Fitness best = AllSchedules(problem, objective).best();
            QVERIFY(found.isProven == true);
            const Fitness own = fitnessOf(found.score, objective);
            QCOMPARE(own.primary, best.primary);
            if (objective == Objective::Runtime) QVERIFY(own.secondary <= best.secondary * (1.0 + 1e-12));
            const double value = objective == Objective::Memory ? best.primary : best.secondary;
            if (objective == Objective::Memory || best.primary == 0.0) {
                QVERIFY(found.bound.value() <= value);
                QVERIFY(found.bound.value() >= value * (1.0 - 1e-12));
            }
            QVERIFY(
                faultsOf(problem.graph(), machine, problem.options(), found.schedule, mustRun(problem, found.schedule))
                    .empty());
        }
    }

    void isTheBestOfAllOrdersOnEqualDevices() {
        Random random(3);
        for (int i = 0; i < 30; ++i) {
            const std::uint32_t devices = 2 + static_cast<std::uint32_t>(i % 2);
            const Problem problem =
                mustMake(randomGraph(random, 5 + static_cast<std::uint32_t>(i % 4)), equalDevices(devices));
            const Placement found = mustFind(problem, {});
            QVERIFY(found.isProven == true);
            QCOMPARE(found.score.runtime, leastRuntime(problem));
            QCOMPARE(found.bound.value(), found.score.runtime);
        }
    }

    void findsPlantedOptima() {
        int proven = 0;
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const auto devices = static_cast<std::uint32_t>(2 + seed % 3);
            const PlantedGraph planted =
                plantedGraph({.devices = devices, .tasksPerDevice = seed % 2 == 0 ? 8U : 30U, .length = 200}, seed);
            const Placement found = mustFind(mustMake(planted.graph, equalDevices(devices)), {.nodes = 20'000});
            QVERIFY(found.score.runtime >= planted.optimum);
            QVERIFY2(found.bound.value() <= planted.optimum, qPrintable(QString::number(seed)));
            if (found.isProven == true) {
                ++proven;
                QCOMPARE(found.score.runtime, planted.optimum);
            }
        }
        QVERIFY2(proven >= 10, qPrintable(QString::number(proven)));
    }

    /// A dozen operations, where transfers take time.
    void provesADozenOperations() {
        Random random(5);
        for (const TransferMode mode : {TransferMode::Rendezvous, TransferMode::Async}) {
            for (int i = 0; i < 4; ++i) {
                Machine machine = equalDevices(2, UnlimitedMemory, mode);
                machine.latency = 1.0;
                const Placement found = mustFind(mustMake(randomGraph(random, 12), machine), {});
                QVERIFY(found.isProven == true);
                QCOMPARE(found.bound.value(), found.score.runtime);
            }
        }
    }

    void provesThatNothingFits() {
        const Problem problem = mustMake(diamond(), equalDevices(2, 1));
        const Placement found = mustFind(problem, {});
        QVERIFY(found.isProven == true);
        QVERIFY(found.score.overflow > 0);
        QVERIFY(mustFind(mustMake(diamond(), equalDevices(1, 1)), {}).isProven == true);
        QCOMPARE(mustFind(mustMake(diamond(), equalDevices(1, 3)), {}).score.runtime, 8.0);
    }

    void givesABoundWhenItEndsEarly() {
        Random random(7);
        std::stop_source stopped;
        stopped.request_stop();
        for (int i = 0; i < 12; ++i) {
            Machine machine = equalDevices(2, UnlimitedMemory, static_cast<TransferMode>(i % 3));
            if (i % 3 != 0) machine.latency = 1.0;
            const Objective objective = i % 2 == 0 ? Objective::Runtime : Objective::Memory;
            const Problem problem = mustMake(randomGraph(random, 25), machine);
            for (const ExactOptions& options : {ExactOptions{.objective = objective, .nodes = 500},
                                                ExactOptions{.objective = objective, .stop = stopped.get_token()}}) {
                const Placement found = mustFind(problem, options);
                const double value =
                    objective == Objective::Runtime ? found.score.runtime : static_cast<double>(found.score.peak);
                QVERIFY(found.bound.value() <= value);
                QVERIFY(found.isProven.has_value());
                QVERIFY(found.evaluations <= 500);
            }
        }
    }

    /// Without a limit on nodes these take hours, so that the test ends only if a stop ends the search.
    void stopsWhenAsked() {
        Random random(9);
        Machine machine = equalDevices(3, UnlimitedMemory, TransferMode::Async);
        machine.latency = 1.0;
        for (const Problem& problem :
             {mustMake(randomGraph(random, 40), machine),
              mustMake(syntheticGraph({.family = GraphFamily::StochasticBlocks, .operations = 150}, 2),
                       equalDevices(8))}) {
            std::stop_source source;
            const std::jthread timer([&source] {
                // Some of the search should be done by then; the test holds if none is.
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
                source.request_stop();
            });
            const Placement found = mustFind(problem, {.nodes = 0, .stop = source.get_token()});
            QVERIFY(found.bound.value() <= found.score.runtime);
        }
    }

    /// Larger graphs get bounds alone.
    void boundsLargeGraphs() {
        const Problem problem = mustMake(syntheticGraph({.operations = 600}, 1), equalDevices(2));
        const Placement found = mustFind(problem, {});
        QVERIFY(found.bound.value() <= found.score.runtime);
        const Problem memory = mustMake(syntheticGraph({.operations = 300}, 1), equalDevices(2));
        QVERIFY(mustFind(memory, {.objective = Objective::Memory}).isProven == false);
    }
};

MITOS_TEST(TestExact)

}  // namespace tst_exact

#include "tst_exact.moc"
