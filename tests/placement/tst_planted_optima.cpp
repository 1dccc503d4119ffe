// SPDX-License-Identifier: GPL-3.0-or-later
// No strategy goes below a planted optimum, and exact searches find it.
#include "core/schedule/generators.h"
#include "core/schedule/timeline_check.h"
#include "search/placement/exact.h"
#include "search/placement/frontier.h"
#include "search/placement/strategies.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <set>
#include <string>

namespace tst_planted_optima {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Result;

namespace {

Problem problemOf(const PlantedGraph& planted) { return mustMake(planted.graph, planted.machine, planted.model); }

}  // namespace

class TestPlantedOptima : public QObject {
    Q_OBJECT

private:
    /// Runs every strategy that can handle the problem. Returns the names of those that found the optimum.
    static std::set<std::string> runAll(const PlantedGraph& planted, Objective objective, std::uint64_t seed) {
        const Problem problem = problemOf(planted);
        std::set<std::string> optimal;
        for (const Strategy& strategy : strategies()) {
            Request request{.objective = objective, .seed = seed, .evaluations = 400};
            if (strategy.name == "exact") request.parameters["nodes"] = std::int64_t{2'000};
            if (strategy.name == "frontier") request.parameters["states"] = std::int64_t{20'000};
            if (strategy.name == "brkga-learned") request.parameters["model"] = std::string("critical-path");
            const Result<Placement> found = place(strategy, problem, request);
            if (!found) {
                if (strategy.name != "frontier") qFatal("%s", found.error().message.c_str());
                continue;
            }
            const Timeline timeline = mustRun(problem, found->schedule);
            const double value =
                objective == Objective::Runtime ? timeline.runtime : static_cast<double>(timeline.highestPeak());
            if (value < planted.optimum || found->bound.value_or(0.0) > planted.optimum ||
                !faultsOf(planted.graph, planted.machine, planted.model, found->schedule, timeline).empty()) {
                optimal.insert(strategy.name + " is wrong");
            }
            if (value == planted.optimum) optimal.insert(strategy.name);
        }
        return optimal;
    }

private Q_SLOTS:
    void noStrategyGoesBelow() {
        std::set<std::string> ofTime;
        std::set<std::string> ofMemory;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const std::uint32_t devices = 1 + static_cast<std::uint32_t>(seed % 4);
            PlantedOptions options{.devices = devices, .tasksPerDevice = 12, .length = 200};
            ofMemory.merge(runAll(plantedMemoryGraph(options, seed), Objective::Memory, seed));
            options.latency = 2.0;
            options.bandwidth = 25.0;
            ofTime.merge(runAll(plantedGraph(options, seed), Objective::Runtime, seed));
        }
        for (const Strategy& strategy : strategies()) {
            const std::string wrong = strategy.name + " is wrong";
            QVERIFY2(!ofTime.contains(wrong) && !ofMemory.contains(wrong), wrong.c_str());
        }
        QVERIFY(ofTime.contains("brkga"));
        QVERIFY(ofMemory.contains("frontier"));
    }

    void exactSearchFindsRunTimes() {
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const PlantedGraph planted = plantedGraph(
                {.devices = 2, .tasksPerDevice = 4, .length = 60, .latency = 2.0, .bandwidth = 25.0}, seed);
            const Result<Placement> found = searchExactly(problemOf(planted), {});
            QVERIFY(found.ok());
            QVERIFY(found->isProven == true);
            QCOMPARE(found->score.runtime, 60.0);
        }
    }

    void exactSearchFindsPeaks() {
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const PlantedGraph planted = plantedMemoryGraph({.devices = 2, .tasksPerDevice = 4, .length = 60}, seed);
            const Result<Placement> found = searchExactly(problemOf(planted), {.objective = Objective::Memory});
            QVERIFY(found.ok());
            QVERIFY(found->isProven == true);
            QCOMPARE(static_cast<double>(found->score.peak), planted.optimum);
        }
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
            const PlantedGraph planted = plantedMemoryGraph({.devices = 1, .tasksPerDevice = 20}, seed);
            const MemoryOrder order = leastMemoryOrder(problemOf(planted));
            QVERIFY(order.isProven());
            QCOMPARE(static_cast<double>(order.peak), planted.optimum);
        }
    }
};

MITOS_TEST(TestPlantedOptima)

}  // namespace tst_planted_optima

#include "tst_planted_optima.moc"
