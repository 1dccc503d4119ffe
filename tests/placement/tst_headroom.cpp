// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs are kept by what a long search gains.
#include "core/base/result.h"
#include "search/placement/headroom.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace tst_headroom {

using namespace Qt::StringLiterals;
using namespace mitos::schedule;
using namespace mitos::search::placement;
using namespace mitos::tests;
using mitos::Result;

namespace {

Headroom mustMeasure(const Problem& problem, const HeadroomOptions& options) {
    Result<Headroom> headroom = headroomOf(problem, options);
    if (!headroom) qFatal("%s", headroom.error().message.c_str());
    return *headroom;
}

}  // namespace

class TestHeadroom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isThatOfTwoSearches() {
        const Problem problem = mustMake(syntheticGraph({.operations = 60}, 4), equalDevices(2));
        for (const Objective objective : {Objective::Runtime, Objective::Memory}) {
            const auto scoreAfter = [&](std::uint64_t evaluations) {
                const BrkgaOptions options{.objective = objective, .decode = Decode::Paper, .settings = {.seed = 3}};
                return searchByRandomKeys(problem, options, {.evaluations = evaluations})->score;
            };
            HeadroomOptions options{.objective = objective, .settings = {.seed = 3}, .low = 100, .high = 3'000};
            const Headroom headroom = mustMeasure(problem, options);
            QVERIFY(headroom.low == scoreAfter(100));
            QVERIFY(headroom.high == scoreAfter(3'000));
            const double low =
                objective == Objective::Runtime ? headroom.low.runtime : static_cast<double>(headroom.low.peak);
            const double high =
                objective == Objective::Runtime ? headroom.high.runtime : static_cast<double>(headroom.high.peak);
            QVERIFY(high < low);
            QCOMPARE(headroom.gain, low / high - 1.0);
            // Just enough, and just not.
            options.least = headroom.gain;
            QVERIFY(mustMeasure(problem, options).isEnough);
            options.least = std::nextafter(headroom.gain, 9.0);
            QVERIFY(!mustMeasure(problem, options).isEnough);
        }
    }

    void nothingIsGainedWithoutChoices() {
        const Problem problem = mustMake(makeGraph({{"a", 2.0, 8}}), equalDevices(1));
        const Headroom headroom = mustMeasure(problem, {.low = 1, .high = 200});
        QCOMPARE(headroom.gain, 0.0);
        QVERIFY(!headroom.isEnough);
        QVERIFY(mustMeasure(mustMake(makeGraph({{"a", 0.0, 0}}), equalDevices(1)), {.low = 1, .high = 2}).gain == 0.0);
    }

    /// A long search that alone fits into memory is enough, even if its run time is longer; one that does not fit is not.
    void fittingIntoMemoryIsEnough() {
        const TaskGraph graph = makeGraph({{"a", 1.0, 8, {2}}, {"b", 1.0, 8, {3}}, {"c", 1.0, 1}, {"d", 1.0, 1}});
        const auto measure = [&](std::uint64_t memory, std::uint64_t seed) {
            return mustMeasure(mustMake(graph, equalDevices(2, memory)),
                               {.settings = {.seed = seed}, .low = 1, .high = 2'000, .least = 2.0});
        };
        int fitting = 0;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const Headroom headroom = measure(9, seed);
            QCOMPARE(headroom.high.overflow, 0U);
            QCOMPARE(headroom.isEnough, headroom.low.overflow != 0);
            fitting += headroom.isEnough ? 1 : 0;
            QVERIFY(!measure(5, seed).isEnough);
        }
        QVERIFY2(fitting > 0 && fitting < 20, qPrintable(QString::number(fitting)));
    }

    void findsTheNextGraph() {
        const SyntheticOptions graphs{.operations = 30};
        const KeptGraphSearch search{.firstSeed = 5, .mostSeeds = 12};
        HeadroomOptions options{.low = 100, .high = 1'000, .least = 0.0};
        // Each graph gains at least nothing.
        QCOMPARE(nextKeptGraph(graphs, search, options)->seed, 5U);
        std::vector<double> gains;
        for (std::uint64_t seed = 5; seed < 17; ++seed) {
            const Problem problem = mustMake(syntheticGraph(graphs, seed), equalDevices(2), {.retainOutputs = false});
            gains.push_back(mustMeasure(problem, options).gain);
        }
        const auto most = std::ranges::max_element(gains);
        options.least = *most;
        const Result<KeptGraph> kept = nextKeptGraph(graphs, search, options);
        QVERIFY(kept.ok());
        QCOMPARE(kept->seed, 5U + static_cast<std::uint64_t>(most - gains.begin()));
        QVERIFY(kept->graph == syntheticGraph(graphs, kept->seed));
        QCOMPARE(kept->headroom.gain, *most);
        options.least = 5.0;
        const Result<KeptGraph> none = nextKeptGraph(graphs, search, options);
        QVERIFY(!none.ok());
        QCOMPARE(QString::fromStdString(none.error().message),
                 u"none of 12 graphs from seed 5 on is 500 % better after 1000 evaluations than after 100"_s);
    }

    void refusesOtherLimits() {
        const Problem problem = mustMake(diamond(), equalDevices(2));
        const auto message = [&](const HeadroomOptions& options) {
            const Result<Headroom> headroom = headroomOf(problem, options);
            return headroom ? QString() : QString::fromStdString(headroom.error().message);
        };
        QCOMPARE(message({.low = 0}),
                 u"the limits of 0 and 50000 evaluations do not make a short and a longer search"_s);
        QCOMPARE(message({.low = 9, .high = 9}),
                 u"the limits of 9 and 9 evaluations do not make a short and a longer search"_s);
        QCOMPARE(message({.least = -0.2}), u"a gain of at least -0.2 is not a condition"_s);
        std::stop_source stopped;
        stopped.request_stop();
        QVERIFY(!headroomOf(problem, {.stop = stopped.get_token()}).ok());
    }
};

MITOS_TEST(TestHeadroom)

}  // namespace tst_headroom

#include "tst_headroom.moc"
