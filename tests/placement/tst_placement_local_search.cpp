// SPDX-License-Identifier: GPL-3.0-or-later
// Random search and local search: budgets, and what they find.
#include "core/base/result.h"
#include "core/schedule/generators.h"
#include "search/placement/local_search.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_placement_local_search {

using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;

class TestPlacementLocalSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findTheOptimumOfTheDiamond() {
        for (const TransferMode mode : {TransferMode::Instant, TransferMode::Rendezvous}) {
            const Problem problem = mustMake(diamond(), equalDevices(2, UnlimitedMemory, mode));
            QCOMPARE(searchAtRandom(problem, {}, {.evaluations = 500})->score.runtime, 7.0);
            QCOMPARE(searchLocally(problem, {}, {.evaluations = 500})->score.runtime, 7.0);
        }
    }

    void keepTheBudget() {
        const Problem problem = mustMake(plantedGraph({.tasksPerDevice = 10}, 1).graph, equalDevices(2));
        for (const std::uint64_t budget : {1U, 7U, 200U}) {
            QCOMPARE(searchAtRandom(problem, {}, {.evaluations = budget})->evaluations, budget);
            QCOMPARE(searchLocally(problem, {}, {.evaluations = budget})->evaluations, budget);
        }
        QVERIFY(*searchLocally(problem, {.seed = 3}, {.evaluations = 100}) ==
                *searchLocally(problem, {.seed = 3}, {.evaluations = 100}));
    }

    void localSearchIsBetterThanRandomSearch() {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const Problem problem = mustMake(plantedGraph({.tasksPerDevice = 20}, seed).graph, equalDevices(2));
            const LocalSearchOptions options{.seed = seed};
            QVERIFY(searchLocally(problem, options, {.evaluations = 2'000})->score.runtime <
                    searchAtRandom(problem, options, {.evaluations = 2'000})->score.runtime);
            const LocalSearchOptions memory{.objective = Objective::Memory, .seed = seed};
            QVERIFY(searchLocally(problem, memory, {.evaluations = 200}).ok());
        }
    }

    void needALimit() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        QVERIFY(!searchAtRandom(problem, {}, {}).ok());
        QVERIFY(!searchLocally(problem, {}, {}).ok());
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(!searchLocally(problem, {}, {.stop = stopped.get_token()}).ok());
    }
};

MITOS_TEST(TestPlacementLocalSearch)

}  // namespace tst_placement_local_search

#include "tst_placement_local_search.moc"
