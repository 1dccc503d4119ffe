// SPDX-License-Identifier: GPL-3.0-or-later
// The library with the networks: loading it, derivatives against differences, and that a network sees its graph.
#include "core/base/loaded_module.h"
#include "core/base/random.h"
#include "search/learned/learned_library.h"
#include "search/learned/learned_module.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <vector>

namespace tst_graph_network {

using namespace mitos;
using namespace mitos::search::learned;
using namespace Qt::StringLiterals;

namespace {

const QString File = QStringLiteral(MITOS_BINARY_DIR "/app/mitos-learned.so");

struct Graph {
    std::uint32_t nodes = 0;
    std::vector<float> nodeFeatures = {};
    std::vector<float> edgeFeatures = {};
    std::vector<std::uint32_t> from = {};
    std::vector<std::uint32_t> to = {};

    [[nodiscard]] GraphView view() const { return {nodes, nodeFeatures, edgeFeatures, from, to}; }
};

/// Features at random; 0 → 1, 0 → 2, 1 → 3, 2 → 3 twice, and a node without edges.
Graph sampleGraph(std::uint64_t seed) {
    Random random(seed);
    Graph graph{.nodes = 5, .from = {0, 0, 1, 2, 2}, .to = {1, 2, 3, 3, 3}};
    for (int i = 0; i < 5 * 3; ++i) graph.nodeFeatures.push_back(static_cast<float>(random.uniform(-1.0, 1.0)));
    for (int i = 0; i < 5 * 2; ++i) graph.edgeFeatures.push_back(static_cast<float>(random.uniform(-1.0, 1.0)));
    return graph;
}

std::vector<float> outputsOf(GraphNetwork& network, const Graph& graph) {
    std::vector<float> outputs(std::size_t{graph.nodes} * network.shape().outputs);
    if (!network.forward(graph.view(), outputs)) qFatal("%s", network.failure());
    return outputs;
}

double dotProduct(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

}  // namespace

class TestGraphNetwork : public QObject {
    Q_OBJECT

private:
    static std::unique_ptr<GraphNetwork> make(std::uint32_t rounds, std::uint64_t seed = 1) {
        const auto library = LearnedLibrary::load(File.toStdString());
        if (!library) qFatal("%s", library.error().message.c_str());
        auto network =
            library->makeNetwork({.nodeFeatures = 3, .edgeFeatures = 2, .hidden = 8, .rounds = rounds, .outputs = 4});
        if (!network) qFatal("%s", network.error().message.c_str());
        (*network)->initialize(seed);
        return *std::move(network);
    }
    static void requireLibrary() {
        if (!QFile::exists(File)) QSKIP("built without LibTorch");
    }

private Q_SLOTS:
    void saysWhatToInstall() {
        const auto missing = LearnedLibrary::load();
        QVERIFY(!missing);
        QCOMPARE(missing.error().code, ErrorCode::Unsupported);
        QVERIFY2(QString::fromStdString(missing.error().message).contains(u"there is no mitos-learned.so"_s),
                 missing.error().message.c_str());
        QVERIFY(QString::fromStdString(missing.error().hint).contains(u"libtorch-dev"_s));
    }

    void refusesOtherFiles() {
        const QTemporaryDir folder;
        QFile text(folder.filePath(u"mitos-learned.so"_s));
        QVERIFY(text.open(QIODevice::WriteOnly));
        text.write("no library");
        text.close();
        const auto foreign = LearnedLibrary::load(text.fileName().toStdString());
        QVERIFY(!foreign);
        QVERIFY2(QString::fromStdString(foreign.error().message).contains(u"LibTorch cannot be loaded"_s),
                 foreign.error().message.c_str());
        requireLibrary();
        const auto newer = loadModule(
            {.file = File.toStdString(), .library = "LibTorch", .function = GetLearnedModuleName, .version = 999});
        QVERIFY(!newer);
        QVERIFY(QString::fromStdString(newer.error().message).contains(u"another version"_s));
        QVERIFY(!loadModule({.file = File.toStdString(), .library = "LibTorch", .function = "other", .version = 1}));
    }

    void refusesShapesWithoutSense() {
        QVERIFY(!checkShape({.nodeFeatures = 0, .edgeFeatures = 1, .outputs = 1}));
        QVERIFY(!checkShape({.nodeFeatures = 1, .edgeFeatures = 1, .outputs = 0}));
        QVERIFY(!checkShape({.nodeFeatures = 1, .edgeFeatures = 1, .hidden = 100'000, .outputs = 1}));
        QVERIFY(checkShape({.nodeFeatures = 1, .edgeFeatures = 1, .rounds = 0, .outputs = 1}));
    }

    /// Weights and biases of the layers: 3·8 + 8 for the nodes, 8·8 + 8 and 8·4 + 4 for the head; with rounds 2·8 + 8 for
    /// the edges, six of 8·8 + 8 for messages, 24·8 + 8 and 8·8 + 8 for the update.
    void hasTheParametersOfItsLayers() {
        requireLibrary();
        QCOMPARE(make(0)->parameterCount(), 32U + 24U + 72U + 36U);
        QCOMPARE(make(3)->parameterCount(), 32U + 24U + 6U * 72U + 200U + 72U + 72U + 36U);
    }

    void derivativesAreThoseOfDifferences_data() {
        QTest::addColumn<std::uint32_t>("rounds");
        QTest::newRow("no rounds") << std::uint32_t{0};
        QTest::newRow("two rounds") << std::uint32_t{2};
    }
    void derivativesAreThoseOfDifferences() {
        requireLibrary();
        QFETCH(const std::uint32_t, rounds);
        const auto network = make(rounds);
        const Graph graph = sampleGraph(2);
        Random random(3);
        std::vector<float> byOutput(5 * 4);
        for (float& one : byOutput) one = static_cast<float>(random.uniform(-1.0, 1.0));
        std::vector<float> derivative(network->parameterCount());
        QVERIFY(network->backward(graph.view(), byOutput, derivative));
        std::vector<float> parameters(network->parameterCount());
        network->getParameters(parameters);
        // The function is piecewise linear or smooth in each parameter; a kink between the two points is rare.
        constexpr float Step = 1e-2F;
        int compared = 0;
        int wrong = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            std::vector<float> moved = parameters;
            moved[i] = parameters[i] + Step;
            network->setParameters(moved);
            const double above = dotProduct(outputsOf(*network, graph), byOutput);
            moved[i] = parameters[i] - Step;
            network->setParameters(moved);
            const double below = dotProduct(outputsOf(*network, graph), byOutput);
            const double difference = (above - below) / (2.0 * static_cast<double>(Step));
            const double own = static_cast<double>(derivative[i]);
            compared += std::abs(own) > 1e-4 ? 1 : 0;
            wrong += std::abs(own - difference) > 1e-3 + 0.02 * std::abs(own) ? 1 : 0;
        }
        QVERIFY2(compared > static_cast<int>(parameters.size() / 4), qPrintable(QString::number(compared)));
        QVERIFY2(wrong <= static_cast<int>(parameters.size() / 25), qPrintable(QString::number(wrong)));
    }

    void theSeedDeterminesTheParameters() {
        requireLibrary();
        const Graph graph = sampleGraph(2);
        const auto first = make(2, 7);
        const auto second = make(2, 7);
        const auto other = make(2, 8);
        QCOMPARE(outputsOf(*first, graph), outputsOf(*second, graph));
        QVERIFY(outputsOf(*first, graph) != outputsOf(*other, graph));
        std::vector<float> parameters(first->parameterCount());
        first->getParameters(parameters);
        other->setParameters(parameters);
        QCOMPARE(outputsOf(*first, graph), outputsOf(*other, graph));
    }

    /// Node 0 influences node 3 by way of 1 and 2, node 3 influences node 0 likewise, and none influences node 4.
    void eachRoundReachesNeighbours() {
        requireLibrary();
        for (const std::uint32_t rounds : {0U, 1U, 2U}) {
            const auto network = make(rounds);
            const Graph graph = sampleGraph(2);
            const std::vector<float> before = outputsOf(*network, graph);
            for (const std::uint32_t changed : {0U, 3U}) {
                Graph other = graph;
                for (std::size_t i = 0; i < 3; ++i) other.nodeFeatures[std::size_t{changed} * 3 + i] += 1.0F;
                const std::vector<float> after = outputsOf(*network, other);
                const auto isChanged = [&](std::size_t node) {
                    for (std::size_t i = 0; i < 4; ++i) {
                        if (before[node * 4 + i] != after[node * 4 + i]) return true;
                    }
                    return false;
                };
                QVERIFY(isChanged(changed));
                QCOMPARE(isChanged(1), rounds >= 1);
                QCOMPARE(isChanged(3 - changed), rounds >= 2);
                QVERIFY(!isChanged(4));
            }
        }
    }

    void worksWithoutEdges() {
        requireLibrary();
        const auto network = make(2);
        QCOMPARE(outputsOf(*network, {.nodes = 2, .nodeFeatures = {1, 2, 3, 1, 2, 3}}).size(), 8U);
    }
};

MITOS_TEST(TestGraphNetwork)

}  // namespace tst_graph_network

#include "tst_graph_network.moc"
