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

    std::vector<std::uint32_t> begins = {};

    [[nodiscard]] GraphView view() const { return {nodes, nodeFeatures, edgeFeatures, from, to, begins}; }
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
    static std::unique_ptr<GraphNetwork> make(std::uint32_t rounds, std::uint64_t seed = 1,
                                              NetworkKind kind = NetworkKind::Graph, std::uint32_t hidden = 8) {
        const auto library = LearnedLibrary::load(File.toStdString());
        if (!library) qFatal("%s", library.error().message.c_str());
        auto network = library->makeNetwork(
            {.kind = kind, .nodeFeatures = 3, .edgeFeatures = 2, .hidden = hidden, .rounds = rounds, .outputs = 4});
        if (!network) qFatal("%s", network.error().message.c_str());
        (*network)->initialize(seed);
        return *std::move(network);
    }
    static void requireLibrary() {
        if (!QFile::exists(File)) QSKIP("built without LibTorch");
    }
    static std::unique_ptr<GraphNetwork> makeSequence(std::uint32_t layers, std::uint64_t seed = 1,
                                                      std::uint32_t hidden = 8) {
        return make(layers, seed, NetworkKind::Sequence, hidden);
    }
    /// By node: whether one of its outputs is different.
    static std::vector<bool> changedNodes(GraphNetwork& network, const Graph& graph, const Graph& other) {
        const std::vector<float> before = outputsOf(network, graph);
        const std::vector<float> after = outputsOf(network, other);
        std::vector<bool> changed(graph.nodes, false);
        for (std::size_t i = 0; i < before.size(); ++i)
            if (before[i] != after[i]) changed[i / network.shape().outputs] = true;
        return changed;
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
        const auto refusal = [](const char* file) {
            const auto library = LearnedLibrary::load(std::string(MITOS_BINARY_DIR "/tests/learned/") + file);
            if (library) return u"loaded"_s;
            return QString::fromStdString(library.error().message + "; " + library.error().hint);
        };
        QVERIFY(refusal("other_learned.so").contains(u"belongs to another version of this program; install"_s));
        // LibTorch is too old for the library.
        QVERIFY(refusal("unmet_learned.so").contains(u"functionOfALaterLibTorch"_s));
        QVERIFY(refusal("unmet_learned.so").contains(u"install the package libtorch-dev (1.13 or newer)"_s));
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

    /// Of a layer, two units with two layers of 8·24 + 24 each, and 16·8 + 8 to merge them.
    void hasTheParametersOfItsUnits() {
        requireLibrary();
        QCOMPARE(makeSequence(0)->parameterCount(), 32U + 72U + 36U);
        QCOMPARE(makeSequence(2)->parameterCount(), 32U + 2U * (4U * 216U + 136U) + 72U + 36U);
    }

    void derivativesAreThoseOfDifferences_data() {
        QTest::addColumn<std::uint32_t>("rounds");
        QTest::addColumn<NetworkKind>("kind");
        QTest::newRow("no rounds") << std::uint32_t{0} << NetworkKind::Graph;
        QTest::newRow("two rounds") << std::uint32_t{2} << NetworkKind::Graph;
        QTest::newRow("one layer") << std::uint32_t{1} << NetworkKind::Sequence;
        QTest::newRow("two layers") << std::uint32_t{2} << NetworkKind::Sequence;
    }
    void derivativesAreThoseOfDifferences() {
        requireLibrary();
        QFETCH(const std::uint32_t, rounds);
        QFETCH(const NetworkKind, kind);
        const auto network = make(rounds, 1, kind);
        Graph graph = sampleGraph(2);
        graph.begins = {0, 4};
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

    /// Both directions: each node of the sequence influences each other one, also where no path leads to it.
    void aSequenceSeesAllOfItsGraph() {
        requireLibrary();
        const Graph graph = sampleGraph(2);
        const auto changedBy = [&](std::uint32_t layers, std::size_t node) {
            Graph other = graph;
            for (std::size_t i = 0; i < 3; ++i) other.nodeFeatures[node * 3 + i] += 1.0F;
            return changedNodes(*makeSequence(layers, 1, 32), graph, other);
        };
        for (std::size_t node = 0; node < 5; ++node) {
            QCOMPARE(changedBy(1, node), std::vector<bool>(5, true));
            std::vector<bool> itself(5, false);
            itself[node] = true;
            QCOMPARE(changedBy(0, node), itself);
        }
    }

    /// 1 and 2 change places if an edge leads from 2 to 1; an edge that leaves the order as it is changes nothing, as edges are not seen.
    void aSequenceDependsOnTheOrderAlone() {
        requireLibrary();
        const Graph graph = sampleGraph(2);
        Graph other = graph;
        other.from.push_back(2);
        other.to.push_back(1);
        other.edgeFeatures.insert(other.edgeFeatures.end(), {1.0F, 1.0F});
        QCOMPARE(changedNodes(*makeSequence(1, 1, 32), graph, other), std::vector<bool>(5, true));
        other.to.back() = 3;
        QCOMPARE(changedNodes(*makeSequence(1, 1, 32), graph, other), std::vector<bool>(5, false));
        Graph cyclic = graph;
        cyclic.from[0] = 3;
        const auto network = makeSequence(1);
        std::vector<float> outputs(20);
        QVERIFY(!network->forward(cyclic.view(), outputs));
        QVERIFY(QString::fromUtf8(network->failure()).contains(u"no topological order"_s));
    }

    /// The outputs for several graphs are those for each of them alone, up to the order of sums in products of matrices.
    void graphsOfABatchDoNotMeet() {
        requireLibrary();
        const auto network = makeSequence(2);
        const Graph first = sampleGraph(2);
        const Graph second = sampleGraph(3);
        Graph both = first;
        both.nodes = 10;
        both.begins = {0, 5};
        both.nodeFeatures.insert(both.nodeFeatures.end(), second.nodeFeatures.begin(), second.nodeFeatures.end());
        both.edgeFeatures.insert(both.edgeFeatures.end(), second.edgeFeatures.begin(), second.edgeFeatures.end());
        for (const std::uint32_t node : second.from) both.from.push_back(node + 5);
        for (const std::uint32_t node : second.to) both.to.push_back(node + 5);
        std::vector<float> apart = outputsOf(*network, first);
        const std::vector<float> behind = outputsOf(*network, second);
        apart.insert(apart.end(), behind.begin(), behind.end());
        const std::vector<float> together = outputsOf(*network, both);
        for (std::size_t i = 0; i < apart.size(); ++i) QVERIFY(std::abs(apart[i] - together[i]) < 1e-6F);
        both.begins.clear();
        const std::vector<float> mixed = outputsOf(*network, both);
        QVERIFY(std::abs(apart[0] - mixed[0]) > 1e-6F);
    }

    /// The definition of the unit, computed here: hidden size 1, where the head passes positive numbers on.
    void aUnitIsThatOfThePaper() {
        requireLibrary();
        const auto library = LearnedLibrary::load(File.toStdString());
        auto network = *library->makeNetwork({.kind = NetworkKind::Sequence,
                                              .nodeFeatures = 1,
                                              .edgeFeatures = 1,
                                              .hidden = 1,
                                              .rounds = 1,
                                              .outputs = 1});
        // Node encoder; x of the first unit (three weights, three biases), U of it; the same of the second; the merge; the head.
        const std::vector<float> parameters{1.0F,  0.0F, 0.5F,  -0.4F, 0.9F, 0.1F, 0.2F, 0.3F, -0.7F, 0.6F,  1.1F,
                                            0.05F, 0.0F, -0.2F, 0.8F,  0.3F, 0.2F, 0.0F, 0.4F, -0.1F, -0.5F, 0.7F,
                                            0.6F,  0.0F, 0.1F,  0.2F,  0.5F, 0.4F, 0.0F, 1.0F, 0.0F,  1.0F,  0.0F};
        QCOMPARE(network->parameterCount(), parameters.size());
        network->setParameters(parameters);
        const Graph graph{.nodes = 2, .nodeFeatures = {2.0F, 3.0F}, .edgeFeatures = {0.0F}, .from = {1}, .to = {0}};
        const auto next = [](const std::vector<double>& p, double x, double h) {
            const auto sigmoid = [](double value) { return 1.0 / (1.0 + std::exp(-value)); };
            const double reset = sigmoid(p[0] * x + p[3] + p[6] * h + p[9]);
            const double update = sigmoid(p[1] * x + p[4] + p[7] * h + p[10]);
            const double candidate = std::tanh(p[2] * x + p[5] + reset * (p[8] * h + p[11]));
            return (1.0 - update) * candidate + update * h;
        };
        const std::vector<double> first(parameters.begin() + 2, parameters.begin() + 14);
        const std::vector<double> second(parameters.begin() + 14, parameters.begin() + 26);
        // Node 1 comes first in the order.
        const double firstOf1 = next(first, 3.0, 0.0);
        const double firstOf0 = next(first, 2.0, firstOf1);
        const double secondOf0 = next(second, 2.0, 0.0);
        const double secondOf1 = next(second, 3.0, secondOf0);
        const std::vector<float> outputs = outputsOf(*network, graph);
        QVERIFY(std::abs(static_cast<double>(outputs[0]) - (2.0 + 0.5 * firstOf0 + 0.4 * secondOf0)) < 1e-5);
        QVERIFY(std::abs(static_cast<double>(outputs[1]) - (3.0 + 0.5 * firstOf1 + 0.4 * secondOf1)) < 1e-5);
    }

    void aSequenceRepeatsItself() {
        requireLibrary();
        const Graph graph = sampleGraph(2);
        const auto first = makeSequence(1, 7);
        const auto second = makeSequence(1, 7);
        QCOMPARE(outputsOf(*first, graph), outputsOf(*second, graph));
        QVERIFY(outputsOf(*first, graph) != outputsOf(*makeSequence(1, 8), graph));
        const std::vector<float> byOutput(20, 1.0F);
        std::vector<float> one(first->parameterCount());
        std::vector<float> other(one.size());
        QVERIFY(first->backward(graph.view(), byOutput, one));
        QVERIFY(second->backward(graph.view(), byOutput, other));
        QCOMPARE(one, other);
    }

    /// A policy adds 1.5 to the first of its outputs, so that this one stays the most probable.
    void firstOutputsAreNearZero() {
        requireLibrary();
        for (const NetworkKind kind : {NetworkKind::Graph, NetworkKind::Sequence}) {
            for (std::uint64_t seed = 1; seed <= 10; ++seed) {
                for (const float output : outputsOf(*make(1, seed, kind), sampleGraph(seed)))
                    QVERIFY(std::abs(output) < 0.3F);
            }
        }
    }
};

MITOS_TEST(TestGraphNetwork)

}  // namespace tst_graph_network

#include "tst_graph_network.moc"
