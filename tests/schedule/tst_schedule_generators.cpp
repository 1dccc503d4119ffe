// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs made at random have the properties that their descriptions promise.
#include "core/schedule/generators.h"
#include "core/schedule/timeline_check.h"
#include "tests/schedule/schedule_samples.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace tst_schedule_generators {

using namespace mitos::schedule;
using namespace mitos::tests;

namespace {

std::size_t dataEdgesOf(const TaskGraph& graph) {
    std::size_t count = 0;
    for (const Tensor& tensor : graph.tensors) count += tensor.consumers.size();
    return count;
}

}  // namespace

class TestScheduleGenerators : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Edges without those of source and sink, for 150 operations: 0.05 of 11,175 pairs; 2 for each node; 2 for each node; 0.3 and 0.01.
    void familiesHaveTheirEdges_data() {
        QTest::addColumn<int>("family");
        QTest::addColumn<double>("edges");
        QTest::newRow("Erdős–Rényi") << static_cast<int>(GraphFamily::ErdosRenyi) << 559.0;
        QTest::newRow("Barabási–Albert") << static_cast<int>(GraphFamily::BarabasiAlbert) << 297.0;
        QTest::newRow("Watts–Strogatz") << static_cast<int>(GraphFamily::WattsStrogatz) << 298.0;
        QTest::newRow("blocks") << static_cast<int>(GraphFamily::StochasticBlocks) << 900.0;
    }
    void familiesHaveTheirEdges() {
        QFETCH(const int, family);
        QFETCH(const double, edges);
        double all = 0.0;
        double data = 0.0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const SyntheticOptions options{.family = static_cast<GraphFamily>(family), .operations = 150};
            const TaskGraph graph = syntheticGraph(options, seed);
            QVERIFY(checkGraph(graph).ok());
            QCOMPARE(graph.operations.size(), 152U);
            QCOMPARE(graph.operations[150].name, "source");
            data += static_cast<double>(dataEdgesOf(graph)) / 10.0;
            const auto inner = std::ranges::count_if(
                graph.controlEdges, [](const auto& edge) { return edge.first < 150 && edge.second < 150; });
            all += static_cast<double>(dataEdgesOf(graph) + static_cast<std::size_t>(inner)) / 10.0;
            QVERIFY(graph == syntheticGraph(options, seed));
        }
        QVERIFY2(std::abs(all - edges) < 0.05 * edges, qPrintable(QString::number(all)));
        QVERIFY2(std::abs(data / all - 0.8) < 0.03, qPrintable(QString::number(data / all)));
    }

    void numbersAreAboutFifty() {
        double sum = 0.0;
        double squares = 0.0;
        const TaskGraph graph = syntheticGraph({.family = GraphFamily::WattsStrogatz, .operations = 5'000}, 3);
        for (const Tensor& tensor : graph.tensors) {
            sum += static_cast<double>(tensor.bytes) / 5'000.0;
            squares += static_cast<double>(tensor.bytes * tensor.bytes) / 5'000.0;
            QVERIFY(tensor.bytes >= 1);
        }
        QVERIFY(std::abs(sum - 50.0) < 1.0);
        QVERIFY(std::abs(std::sqrt(squares - sum * sum) - 10.0) < 0.5);
        const TaskGraph drawn = syntheticGraph({}, 3);
        QVERIFY(drawn.operations.size() >= 52 && drawn.operations.size() <= 202);
    }

    /// The mean number of edges of 100 operations: 0.1 of 4,950 pairs; 3 for each operation that has 3 before it (and 0, 1 and 2 for the first
    /// ones); in 10 layers, pairs of different ones are 4,950 less those of each layer, and each operation not in the first layer
    /// has 3 predecessors.
    void standardGraphsHaveTheirEdges_data() {
        QTest::addColumn<int>("edges");
        QTest::addColumn<double>("density");
        QTest::addColumn<double>("least");
        QTest::addColumn<double>("most");
        QTest::newRow("sameprob") << static_cast<int>(StandardEdges::SameProbability) << 0.1 << 475.0 << 515.0;
        QTest::newRow("samepred") << static_cast<int>(StandardEdges::SamePredecessors) << 3.0 << 282.0 << 300.0;
        // A layer has its one operation and 90 / 10 others on average, whose number is binomial: 10 layers have about 495 pairs inside.
        QTest::newRow("layrprob") << static_cast<int>(StandardEdges::LayersByProbability) << 0.1 << 430.0 << 460.0;
        QTest::newRow("layrpred") << static_cast<int>(StandardEdges::LayersByPredecessors) << 3.0 << 260.0 << 280.0;
    }
    void standardGraphsHaveTheirEdges() {
        QFETCH(const int, edges);
        QFETCH(const double, density);
        QFETCH(const double, least);
        QFETCH(const double, most);
        constexpr std::uint64_t Graphs = 40;
        double mean = 0.0;
        for (std::uint64_t seed = 1; seed <= Graphs; ++seed) {
            const StandardOptions options{
                .edges = static_cast<StandardEdges>(edges), .operations = 100, .density = density, .layers = 10};
            const TaskGraph graph = standardGraph(options, seed);
            QVERIFY(checkGraph(graph).ok());
            QVERIFY(graph == standardGraph(options, seed));
            QCOMPARE(graph.operations.size(), 100U);
            mean += static_cast<double>(dataEdgesOf(graph)) / static_cast<double>(Graphs);
            for (const Tensor& tensor : graph.tensors) {
                QVERIFY(
                    std::ranges::all_of(tensor.consumers, [&](std::uint32_t next) { return next > tensor.producer; }));
            }
            // No chain is longer than there are layers.
            TaskGraph units = graph;
            for (Operation& operation : units.operations) operation.duration = 1.0;
            const double chain = runtimeBounds(mustMake(units, equalDevices(1))).criticalPath;
            QVERIFY(edges < static_cast<int>(StandardEdges::LayersByProbability) || chain <= 10.0);
        }
        QVERIFY2(mean > least && mean < most, qPrintable(QString::number(mean)));
    }

    /// Whole, at least 1, and with the moments of their distribution, for a mean of 10: variances of (19² - 1) / 12 = 30, 100 and 6.25.
    void standardDurationsHaveTheirMoments() {
        const std::vector<double> variances{30.0, 100.0, 6.25};
        for (int kind = 0; kind < 3; ++kind) {
            const TaskGraph graph = standardGraph({.edges = StandardEdges::SameProbability,
                                                   .durations = static_cast<StandardDurations>(kind),
                                                   .operations = 4'000,
                                                   .density = 0.0,
                                                   .meanDuration = 10.0},
                                                  2);
            double sum = 0.0;
            double squares = 0.0;
            for (const Operation& operation : graph.operations) {
                QVERIFY(operation.duration >= 1.0);
                QCOMPARE(operation.duration, std::round(operation.duration));
                QVERIFY(kind != 0 || operation.duration <= 19.0);
                sum += operation.duration / 4'000.0;
                squares += operation.duration * operation.duration / 4'000.0;
            }
            QVERIFY2(std::abs(sum - 10.0) < 0.5, qPrintable(QString::number(sum)));
            const double variance = squares - sum * sum;
            const double expected = variances[static_cast<std::size_t>(kind)];
            QVERIFY2(std::abs(variance - expected) < 0.1 * expected, qPrintable(QString::number(variance)));
        }
        QVERIFY(standardGraph({.operations = 0}, 1).operations.empty());
        QCOMPARE(standardGraph({.edges = StandardEdges::LayersByPredecessors, .operations = 1}, 1).operations.size(),
                 1U);
    }

    void plantedOptimaAreBounds() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            const std::uint32_t devices = 2 + static_cast<std::uint32_t>(seed % 7);
            const PlantedGraph planted = plantedGraph({.devices = devices, .tasksPerDevice = 12, .length = 300}, seed);
            QCOMPARE(planted.graph.operations.size(), std::size_t{12} * devices);
            QVERIFY(dataEdgesOf(planted.graph) > 12);
            const RuntimeBounds bounds = runtimeBounds(mustMake(planted.graph, equalDevices(devices)));
            QCOMPARE(bounds.work, 300.0);
            QVERIFY(bounds.criticalPath <= 300.0);
            QCOMPARE(planted.optimum, 300.0);
            const Timeline timeline = mustRun(mustMake(planted.graph, planted.machine), planted.schedule);
            QCOMPARE(timeline.runtime, 300.0);
        }
    }

    /// The planted schedule is right and has the planted run time, which is all work divided among the devices.
    void plantedOptimaWithTransfers() {
        std::size_t transfers = 0;
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            const std::uint32_t devices = 1 + static_cast<std::uint32_t>(seed % 5);
            PlantedOptions options{.devices = devices, .tasksPerDevice = 20, .length = 400};
            if (seed % 3 != 0) options.latency = 3.0;
            if (seed % 3 != 1) options.bandwidth = 1.5;
            const PlantedGraph planted = plantedGraph(options, seed);
            QVERIFY(planted.graph == plantedGraph(options, seed).graph);
            QCOMPARE(planted.optimum, 400.0);
            QVERIFY(planted.machine.transfers == TransferMode::Async);
            const Problem problem = mustMake(planted.graph, planted.machine, planted.model);
            QCOMPARE(runtimeBounds(problem).work, 400.0);
            const Timeline timeline = mustRun(problem, planted.schedule);
            QCOMPARE(timeline.runtime, 400.0);
            QVERIFY(faultsOf(planted.graph, planted.machine, planted.model, planted.schedule, timeline).empty());
            for (const TransferRun& run : timeline.transfers) QVERIFY(run.end - run.start >= 3.0);
            transfers += timeline.transfers.size();
            // Edges are there in good number: a hundred and twenty pairs for 40 tasks, of which some overlap or find no free link.
            QVERIFY2(dataEdgesOf(planted.graph) >= 20 * devices,
                     qPrintable(QString::number(dataEdgesOf(planted.graph))));
        }
        QVERIFY2(transfers > 40 * 20, qPrintable(QString::number(transfers)));
        QVERIFY(plantedGraph({.devices = 0, .latency = 1.0}, 1).graph.operations.empty());
    }

    /// Logarithms of the factors are normal: their mean is 0 and their standard deviation the amount.
    void noiseMultiplies() {
        TaskGraph graph;
        for (std::uint32_t i = 0; i < 4'000; ++i) {
            graph.operations.push_back({std::string(), 3.0});
            graph.tensors.push_back({.bytes = 1'000'000, .producer = i, .consumers = {}});
        }
        graph.operations.push_back({"free", 0.0});
        graph.tensors.push_back({.bytes = 0, .producer = 4'000, .consumers = {}});
        graph.tensors.push_back({.bytes = 1, .producer = 4'000, .consumers = {}});
        graph.controlEdges.emplace_back(0, 1);
        const TaskGraph noisy = withNoise(graph, 0.3, 7);
        QVERIFY(checkGraph(noisy).ok());
        const auto expectNormal = [](const std::vector<double>& logarithms) {
            double sum = 0.0;
            double squares = 0.0;
            for (const double one : logarithms) {
                sum += one;
                squares += one * one;
            }
            const auto count = static_cast<double>(logarithms.size());
            QVERIFY2(std::abs(sum / count) < 0.02, qPrintable(QString::number(sum / count)));
            QVERIFY2(std::abs(std::sqrt(squares / count) - 0.3) < 0.015, qPrintable(QString::number(squares)));
        };
        std::vector<double> durations;
        std::vector<double> sizes;
        for (std::size_t i = 0; i < 4'000; ++i) {
            durations.push_back(std::log(noisy.operations[i].duration / 3.0));
            sizes.push_back(std::log(static_cast<double>(noisy.tensors[i].bytes) / 1e6));
        }
        expectNormal(durations);
        expectNormal(sizes);
        QCOMPARE(noisy.operations.back().duration, 0.0);
        QCOMPARE(noisy.tensors[4'000].bytes, 0U);
        QVERIFY(noisy.tensors[4'001].bytes >= 1);
        QVERIFY(noisy.controlEdges == graph.controlEdges);
        QVERIFY(noisy == withNoise(graph, 0.3, 7));
        QVERIFY(noisy != withNoise(graph, 0.3, 8));
        QVERIFY(withNoise(graph, 0.0, 7) == graph);
    }

    void noiseStaysWithinTheLimits() {
        TaskGraph graph;
        for (std::uint32_t i = 0; i < 100; ++i) {
            graph.operations.push_back({std::string(), LongestDuration});
            graph.tensors.push_back({.bytes = 1, .producer = i, .consumers = {}});
        }
        const TaskGraph noisy = withNoise(graph, 100.0, 1);
        for (const Operation& operation : noisy.operations) QVERIFY(operation.duration <= LongestDuration);
        for (const Tensor& tensor : noisy.tensors) QVERIFY(tensor.bytes >= 1 && tensor.bytes <= 1ULL << 53U);
    }

    /// The planted schedule has the planted peak, and one operation needs as much on any device.
    void plantedPeaks() {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const std::uint32_t devices = 1 + static_cast<std::uint32_t>(seed % 4);
            const PlantedOptions options{.devices = devices,
                                         .tasksPerDevice = seed % 7 == 0 ? 2U : 15U,
                                         .length = 100,
                                         .edgesPerTask = static_cast<double>(seed % 6)};
            const PlantedGraph planted = plantedMemoryGraph(options, seed);
            QVERIFY(planted.graph == plantedMemoryGraph(options, seed).graph);
            const Problem problem = mustMake(planted.graph, planted.machine, planted.model);
            const Timeline timeline = mustRun(problem, planted.schedule);
            QVERIFY(faultsOf(planted.graph, planted.machine, planted.model, planted.schedule, timeline).empty());
            QCOMPARE(static_cast<double>(timeline.highestPeak()), planted.optimum);
            QCOMPARE(static_cast<double>(peakBound(problem)), planted.optimum);
            if (options.edgesPerTask < 2.0 || options.tasksPerDevice < 15) continue;
            // Memory is full most of the time: on the first device, for more than half of its operations.
            int full = 0;
            for (const Tensor& tensor : planted.graph.tensors) full += tensor.consumers.empty() ? 1 : 0;
            QVERIFY(full > static_cast<int>(planted.graph.operations.size()) / 2);
        }
        QVERIFY(plantedMemoryGraph({.devices = 0}, 1).graph.operations.empty());
    }
};

MITOS_TEST(TestScheduleGenerators)

}  // namespace tst_schedule_generators

#include "tst_schedule_generators.moc"
