// SPDX-License-Identifier: GPL-3.0-or-later
// The network of the Knossos paper, compared with equations 4 and 5 computed here in plain loops, and its derivatives with differences.
#include "core/base/random.h"
#include "core/dialects/dialects.h"
#include "search/learned/knossos_network.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTest>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace tst_knossos_network {

using namespace mitos;
using namespace mitos::search::learned;
using namespace Qt::StringLiterals;
using ir::ProgramGraph;

namespace {

const QString File = QStringLiteral(MITOS_BINARY_DIR "/app/mitos-learned.so");
using Vector = std::vector<double>;
using Floats = std::vector<float>;

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// The numbers of a network one after another, as they are in files.
class Reader {
public:
    explicit Reader(const Vector& numbers) : m_numbers(numbers) {}

    struct Dense {
        const double* weights;
        const double* biases;
        std::size_t inputs;
        std::size_t outputs;

        [[nodiscard]] Vector operator()(const Vector& x) const {
            Vector y(biases, biases + outputs);
            for (std::size_t i = 0; i < outputs; ++i) {
                for (std::size_t j = 0; j < inputs; ++j) y[i] += weights[i * inputs + j] * x[j];
            }
            return y;
        }
    };
    Dense dense(std::size_t inputs, std::size_t outputs) {
        const double* const weights = m_numbers.data() + m_done;
        m_done += (inputs + 1) * outputs;
        return {weights, weights + inputs * outputs, inputs, outputs};
    }
    [[nodiscard]] bool isAtEnd() const { return m_done == m_numbers.size(); }

private:
    const Vector& m_numbers;
    std::size_t m_done = 0;
};

/// The definition: one message at a time.
Vector plainOutputs(const ValueNetworkShape& shape, const Vector& parameters, const ProgramGraph& graph) {
    Reader reader(parameters);
    const std::size_t hidden = shape.hidden;
    std::vector<Reader::Dense> messages;
    std::vector<Reader::Dense> unit;
    if (shape.rounds > 0) {
        for (int i = 0; i < 9; ++i) messages.push_back(reader.dense(hidden, hidden));
        unit = {reader.dense(hidden, 3 * hidden), reader.dense(hidden, 3 * hidden)};
    }
    const auto gate = reader.dense(2 * hidden, hidden);
    const auto value = reader.dense(hidden, hidden);
    std::vector<Vector> first(graph.size(), Vector(hidden, 0.0));
    for (std::size_t node = 0; node < graph.size(); ++node) first[node][graph.kinds[node]] = 1.0;
    std::vector<Vector> states = first;
    for (std::uint32_t round = 0; round < shape.rounds; ++round) {
        std::vector<Vector> sums(graph.size(), Vector(hidden, 0.0));
        const auto send = [&](std::size_t from, std::size_t to, std::size_t type) {
            const Vector message = messages[type](states[from]);
            for (std::size_t i = 0; i < hidden; ++i) sums[to][i] += message[i];
        };
        for (const auto& [parent, child, place] : graph.edges) {
            send(parent, child, static_cast<std::size_t>(place));
            send(child, parent, 4 + static_cast<std::size_t>(place));
        }
        for (std::size_t one = 0; one < graph.size(); ++one) {
            for (std::size_t other = 0; other < graph.size(); ++other) {
                if (one != other && graph.values[one] == graph.values[other]) send(one, other, 8);
            }
            if (graph.binders[one] != one) {
                send(one, graph.binders[one], 8);
                send(graph.binders[one], one, 8);
            }
        }
        for (std::size_t node = 0; node < graph.size(); ++node) {
            const Vector x = unit[0](sums[node]);
            const Vector u = unit[1](states[node]);
            for (std::size_t i = 0; i < hidden; ++i) {
                const double reset = sigmoid(x[i] + u[i]);
                const double update = sigmoid(x[hidden + i] + u[hidden + i]);
                const double candidate = std::tanh(x[2 * hidden + i] + reset * u[2 * hidden + i]);
                states[node][i] = (1.0 - update) * candidate + update * states[node][i];
            }
        }
    }
    Vector sum(hidden, 0.0);
    for (std::size_t node = 0; node < graph.size(); ++node) {
        Vector both = states[node];
        both.insert(both.end(), first[node].begin(), first[node].end());
        const Vector gates = gate(both);
        const Vector values = value(states[node]);
        for (std::size_t i = 0; i < hidden; ++i) sum[i] += sigmoid(gates[i]) * values[i];
    }
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
        sum = reader.dense(sum.size(), shape.readout)(sum);
        for (double& x : sum) x = std::tanh(x);
    }
    Vector outputs = reader.dense(sum.size(), shape.times)(sum);
    if (!reader.isAtEnd()) qFatal("the network has other parameters");
    return outputs;
}

Vector inDouble(const Floats& numbers) { return {numbers.begin(), numbers.end()}; }

double largestDifference(const Floats& a, const Floats& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return largest;
}

}  // namespace

class TestKnossosNetwork : public QObject {
    Q_OBJECT

private:
    ir::TermBank m_bank{dialects::makeRegistry()};
    std::vector<ProgramGraph> m_programs;
    std::uint32_t m_kinds = 0;

    [[nodiscard]] ValueNetworkShape shape(std::uint32_t rounds = 2) const {
        return {.kind = ValueNetworkKind::Knossos,
                .kinds = m_kinds,
                .hidden = m_kinds + 1,
                .rounds = rounds,
                .readout = 5,
                .layers = 2,
                .times = 3};
    }
    /// With parameters that are far from 0, those of the last layer included.
    static std::unique_ptr<ValueNetwork> make(const ValueNetworkShape& shape) {
        auto network = makeKnossosNetwork(shape, File.toStdString());
        if (!network) qFatal("%s", network.error().message.c_str());
        Random random(5);
        Floats parameters((*network)->parameterCount());
        for (float& one : parameters) one = static_cast<float>(random.uniform(-0.5, 0.5));
        (*network)->setParameters(parameters);
        return *std::move(network);
    }
    static Floats parametersOf(const ValueNetwork& network) {
        Floats parameters(network.parameterCount());
        network.getParameters(parameters);
        return parameters;
    }
    Floats outputsOf(ValueNetwork& network, std::span<const ProgramGraph> programs) const {
        Floats outputs(programs.size() * network.shape().times);
        if (const Status done = network.forward({m_bank, programs}, outputs); !done)
            qFatal("%s", done.error().message.c_str());
        return outputs;
    }
    struct Backward {
        Floats outputs = {};
        Floats derivative = {};
    };
    /// Of a sum of the outputs, each with a weight.
    Backward backwardOf(ValueNetwork& network, std::span<const ProgramGraph> programs, std::uint64_t seed) const {
        Backward found{.derivative = Floats(network.parameterCount())};
        const Status done = network.backward(
            {m_bank, programs}, seed,
            [&found](std::span<float> outputs) {
                found.outputs.assign(outputs.begin(), outputs.end());
                for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = weight(i);
            },
            found.derivative);
        if (!done) qFatal("%s", done.error().message.c_str());
        return found;
    }
    static float weight(std::size_t output) { return 0.25F + 0.125F * static_cast<float>(output % 7); }
    static void requireLibrary() {
        if (!QFile::exists(File)) QSKIP("built without LibTorch");
    }

private Q_SLOTS:
    void initTestCase() {
        std::vector<ir::TermId> roots;
        for (const char* const text :
             {"(div (div 1.0 x) (add 1.0 (div 1.0 x)))", "(mul x (exp x))",
              "(let (y (div 1.0 x)) (add (tuple y x y y 1.0) (let (z (exp y)) (tuple (mul z y) y z x y))))", "x"}) {
            const Result<ir::Program> parsed = dialects::parseProgram(m_bank, "test", text);
            if (!parsed) qFatal("%s", parsed.error().render().c_str());
            roots.push_back(parsed->root);
        }
        const auto vocabulary = ir::NodeVocabulary::of(m_bank, roots);
        m_kinds = vocabulary.size();
        for (const ir::TermId root : roots)
            m_programs.push_back(*ir::programGraph(m_bank, root, ir::Sharing::Tree, vocabulary));
    }

    /// The paper's fraction has 8 links of each direction and 10 between identical nodes.
    void programsBecomeOneGraph() {
        ProgramBatch batch;
        batch.add(m_programs[1]);
        batch.add(m_programs[0]);
        const GraphView view = batch.view();
        // mul x exp x
        QCOMPARE(view.nodes, 13U);
        QCOMPARE(Vector(view.begins.begin(), view.begins.end()), (Vector{0, 4}));
        QCOMPARE(view.edges(), std::size_t(8 + 26));
        std::array<int, 9> counts{};
        for (const std::uint32_t type : view.edgeTypes) ++counts.at(type);
        QCOMPARE(counts, (std::array<int, 9>{2 + 4, 1 + 4, 0, 0, 2 + 4, 1 + 4, 0, 0, 2 + 10}));
        const std::vector<std::uint32_t> from(view.from.begin(), view.from.begin() + 8);
        const std::vector<std::uint32_t> to(view.to.begin(), view.to.begin() + 8);
        QCOMPARE(from, (std::vector<std::uint32_t>{0, 1, 0, 2, 2, 3, 1, 3}));
        QCOMPARE(to, (std::vector<std::uint32_t>{1, 0, 2, 0, 3, 2, 3, 1}));
        batch.clear();
        QCOMPARE(batch.view().nodes, 0U);
    }

    void largeGroupsAreStars() {
        for (const auto& [count, expected] : {std::pair(32U, 32U * 31U), std::pair(33U, 2U * 32U)}) {
            ProgramGraph graph;
            graph.kinds.assign(count, 0);
            graph.values.assign(count, 0);
            graph.valueCount = 1;
            graph.terms.resize(count);
            graph.binders.resize(count);
            std::iota(graph.binders.begin(), graph.binders.end(), 0U);
            ProgramBatch batch;
            batch.add(graph);
            QCOMPARE(batch.view().edges(), std::size_t(expected));
        }
    }

    void computesTheEquations_data() {
        QTest::addColumn<std::uint32_t>("rounds");
        QTest::addColumn<std::uint32_t>("layers");
        QTest::newRow("with recurrence") << 3U << 2U;
        QTest::newRow("one dense layer, as in equation 5") << 2U << 0U;
        QTest::newRow("without recurrence") << 0U << 1U;
    }
    void computesTheEquations() {
        requireLibrary();
        QFETCH(const std::uint32_t, rounds);
        QFETCH(const std::uint32_t, layers);
        ValueNetworkShape own = shape(rounds);
        own.layers = layers;
        const auto network = make(own);
        QCOMPARE(network->shape(), own);
        const Vector parameters = inDouble(parametersOf(*network));
        const Floats outputs = outputsOf(*network, m_programs);
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            const Vector expected = plainOutputs(own, parameters, m_programs[i]);
            for (std::size_t k = 0; k < expected.size(); ++k)
                QVERIFY(std::abs(static_cast<double>(outputs[i * expected.size() + k]) - expected[k]) < 2e-6);
        }
    }

    void derivativesAreThoseOfTheEquations_data() {
        QTest::addColumn<std::uint32_t>("rounds");
        QTest::newRow("with recurrence") << 2U;
        QTest::newRow("without recurrence") << 0U;
    }
    void derivativesAreThoseOfTheEquations() {
        requireLibrary();
        QFETCH(const std::uint32_t, rounds);
        const auto network = make(shape(rounds));
        const Backward found = backwardOf(*network, m_programs, 1);
        QVERIFY(largestDifference(found.outputs, outputsOf(*network, m_programs)) < 1e-6);
        const Vector parameters = inDouble(parametersOf(*network));
        const auto total = [&](const Vector& moved) {
            double sum = 0.0;
            std::size_t output = 0;
            for (const ProgramGraph& program : m_programs) {
                for (const double one : plainOutputs(shape(rounds), moved, program))
                    sum += static_cast<double>(weight(output++)) * one;
            }
            return sum;
        };
        constexpr double Step = 1e-5;
        std::size_t compared = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            Vector moved = parameters;
            moved[i] += Step;
            const double above = total(moved);
            moved[i] -= 2.0 * Step;
            const double difference = (above - total(moved)) / (2.0 * Step);
            const double own = static_cast<double>(found.derivative[i]);
            if (std::abs(own - difference) > 1e-5 + 1e-4 * std::abs(own))
                QFAIL(qPrintable(u"%1: %2 and %3"_s.arg(i).arg(own).arg(difference)));
            compared += std::abs(own) > 1e-4 ? 1 : 0;
        }
        QVERIFY2(compared > parameters.size() / 3, qPrintable(QString::number(compared)));
    }

    /// Of the network itself, whose outputs have the same numbers left out as its derivatives.
    void derivativesAreThoseOfOutputsWithDropout() {
        requireLibrary();
        ValueNetworkShape own = shape(1);
        own.dropout = 0.4;
        const auto network = make(own);
        const Backward found = backwardOf(*network, m_programs, 3);
        const Floats parameters = parametersOf(*network);
        const auto total = [&](const Floats& moved) {
            network->setParameters(moved);
            const Floats outputs = backwardOf(*network, m_programs, 3).outputs;
            double sum = 0.0;
            for (std::size_t i = 0; i < outputs.size(); ++i)
                sum += static_cast<double>(weight(i)) * static_cast<double>(outputs[i]);
            return sum;
        };
        constexpr float Step = 1e-2F;
        std::size_t compared = 0;
        for (std::size_t i = 0; i < parameters.size(); i += 3) {
            Floats moved = parameters;
            moved[i] = parameters[i] + Step;
            const double above = total(moved);
            moved[i] = parameters[i] - Step;
            const double difference = (above - total(moved)) / (2.0 * static_cast<double>(Step));
            const double derivative = static_cast<double>(found.derivative[i]);
            if (std::abs(derivative - difference) > 5e-4 + 0.01 * std::abs(derivative))
                QFAIL(qPrintable(u"%1: %2 and %3"_s.arg(i).arg(derivative).arg(difference)));
            compared += std::abs(derivative) > 1e-3 ? 1 : 0;
        }
        QVERIFY2(compared > parameters.size() / 12, qPrintable(QString::number(compared)));
    }

    void dropoutIsOfTheSeed() {
        requireLibrary();
        ValueNetworkShape own = shape();
        own.dropout = 0.5;
        const auto network = make(own);
        const Backward first = backwardOf(*network, m_programs, 7);
        const Backward second = backwardOf(*network, m_programs, 7);
        QCOMPARE(first.outputs, second.outputs);
        QCOMPARE(first.derivative, second.derivative);
        QVERIFY(first.outputs != backwardOf(*network, m_programs, 8).outputs);
        QVERIFY(first.outputs != outputsOf(*network, m_programs));
        // It is for training only.
        const auto without = make(shape());
        QCOMPARE(outputsOf(*network, m_programs), outputsOf(*without, m_programs));
        QVERIFY(largestDifference(backwardOf(*without, m_programs, 7).outputs, outputsOf(*without, m_programs)) < 1e-6);
    }

    /// With one layer the outputs are linear in what is left out, so that their mean is the output without.
    void dropoutKeepsTheMean() {
        requireLibrary();
        ValueNetworkShape own = shape(0);
        own.layers = 1;
        own.dropout = 0.3;
        const auto network = make(own);
        const std::span<const ProgramGraph> one(m_programs.data(), 1);
        constexpr int Count = 2'000;
        Vector sum(own.times, 0.0);
        Vector squares(own.times, 0.0);
        for (std::uint64_t seed = 0; seed < Count; ++seed) {
            const Floats outputs = backwardOf(*network, one, seed).outputs;
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                sum[i] += static_cast<double>(outputs[i]);
                squares[i] += static_cast<double>(outputs[i]) * static_cast<double>(outputs[i]);
            }
        }
        const Floats expected = outputsOf(*network, one);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const double mean = sum[i] / Count;
            const double deviation = std::sqrt(squares[i] / Count - mean * mean);
            QVERIFY(deviation > 0.01);
            QVERIFY(std::abs(mean - static_cast<double>(expected[i])) < 4.0 * deviation / std::sqrt(double{Count}));
        }
    }

    void programsOfABatchDoNotMeet() {
        requireLibrary();
        const auto network = make(shape(3));
        Floats apart;
        for (const ProgramGraph& program : m_programs) {
            const Floats outputs = outputsOf(*network, {&program, 1});
            apart.insert(apart.end(), outputs.begin(), outputs.end());
        }
        QVERIFY(largestDifference(outputsOf(*network, m_programs), apart) < 1e-6);
        std::vector<ProgramGraph> reversed(m_programs.rbegin(), m_programs.rend());
        Floats expected;
        for (std::size_t i = m_programs.size(); i-- > 0;)
            expected.insert(expected.end(), apart.begin() + static_cast<std::ptrdiff_t>(i * 3),
                            apart.begin() + static_cast<std::ptrdiff_t>(i * 3 + 3));
        QVERIFY(largestDifference(outputsOf(*network, reversed), expected) < 1e-6);
        QVERIFY(outputsOf(*network, {}).empty());
    }

    /// More programs than are computed at once.
    void partsAddUp() {
        requireLibrary();
        ValueNetworkShape own = shape(1);
        const auto network = make(own);
        std::vector<ProgramGraph> many;
        for (int i = 0; i < 75; ++i) many.insert(many.end(), m_programs.begin(), m_programs.end());
        const Floats once = outputsOf(*network, m_programs);
        const Floats outputs = outputsOf(*network, many);
        for (std::size_t i = 0; i < outputs.size(); ++i) QVERIFY(std::abs(outputs[i] - once[i % once.size()]) < 1e-6F);
        const Backward all = backwardOf(*network, many, 1);
        QVERIFY(largestDifference(all.outputs, outputs) < 1e-6);
        Vector sum(all.derivative.size(), 0.0);
        // The weights repeat after 7 outputs.
        for (std::size_t i = 0; i < 75; ++i) {
            Floats derivative(sum.size());
            QVERIFY(network->backward(
                {m_bank, m_programs}, 1,
                [i](std::span<float> own) {
                    for (std::size_t k = 0; k < own.size(); ++k) own[k] = weight(i * own.size() + k);
                },
                derivative));
            for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += static_cast<double>(derivative[k]);
        }
        for (std::size_t k = 0; k < sum.size(); ++k)
            QVERIFY(std::abs(static_cast<double>(all.derivative[k]) - sum[k]) < 2e-3 + 1e-4 * std::abs(sum[k]));
        // Parts have masks of their own, which outputs and derivatives share.
        own.dropout = 0.5;
        const auto dropping = make(own);
        const Backward first = backwardOf(*dropping, many, 1);
        QCOMPARE(first.outputs, backwardOf(*dropping, many, 1).outputs);
        QVERIFY(Floats(first.outputs.begin(), first.outputs.begin() + static_cast<std::ptrdiff_t>(once.size())) !=
                Floats(first.outputs.end() - static_cast<std::ptrdiff_t>(once.size()), first.outputs.end()));
        // No program at all.
        Floats none(all.derivative.size(), 1.0F);
        QVERIFY(network->backward(
            {m_bank}, 1, [](std::span<float>) {}, none));
        QCOMPARE(none, Floats(none.size(), 0.0F));
    }

    void theSeedDeterminesTheParameters() {
        requireLibrary();
        const auto first = make(shape());
        const auto second = make(shape());
        first->initialize(3);
        second->initialize(3);
        QCOMPARE(parametersOf(*first), parametersOf(*second));
        second->initialize(4);
        QVERIFY(parametersOf(*first) != parametersOf(*second));
        // Uniform up to 1/√hidden in the recurrent unit, and small in the last layer: the first outputs are near 0.
        const Floats parameters = parametersOf(*first);
        const std::size_t hidden = shape().hidden;
        const std::size_t begin = 9 * (hidden + 1) * hidden;
        float largest = 0.0F;
        for (std::size_t i = 0; i < 3 * hidden * hidden; ++i)
            largest = std::max(largest, std::abs(parameters[begin + i]));
        const float bound = 1.0F / std::sqrt(static_cast<float>(hidden));
        QVERIFY(largest <= bound && largest > 0.9F * bound);
        for (const float output : outputsOf(*first, m_programs)) QVERIFY(std::abs(output) < 0.1F);
    }

    void impossibleShapesAreErrors_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("message");
        QTest::newRow("kinds") << 0 << u"a network with 0 kinds of nodes"_s;
        QTest::newRow("hidden") << 1 << u"a network with 0 hidden units"_s;
        QTest::newRow("too many hidden") << 2 << u"a network with 1025 hidden units"_s;
        QTest::newRow("too few hidden") << 3 << u"a network with 4 hidden units for 8 kinds of nodes"_s;
        QTest::newRow("rounds") << 4 << u"a network with 65 rounds"_s;
        QTest::newRow("width") << 5 << u"a network with 0 units of a layer behind the read-out"_s;
        QTest::newRow("layers") << 6 << u"a network with 17 layers behind the read-out"_s;
        QTest::newRow("dropout") << 7 << u"a network that leaves out a part of 1 in training"_s;
        QTest::newRow("no number") << 8 << u"a network that leaves out a part of nan in training"_s;
        QTest::newRow("times") << 9 << u"a network with 0 outputs"_s;
    }
    void impossibleShapesAreErrors() {
        QFETCH(const int, which);
        QFETCH(const QString, message);
        ValueNetworkShape own{.kind = ValueNetworkKind::Knossos, .kinds = 8};
        switch (which) {
            case 0: own.kinds = 0; break;
            case 1: own.hidden = 0; break;
            case 2: own.hidden = 1025; break;
            case 3: own.hidden = 4; break;
            case 4: own.rounds = 65; break;
            case 5: own.readout = 0; break;
            case 6: own.layers = 17; break;
            case 7: own.dropout = 1.0; break;
            case 8: own.dropout = std::numeric_limits<double>::quiet_NaN(); break;
            default: own.times = 0; break;
        }
        const auto made = makeKnossosNetwork(own, File.toStdString());
        QVERIFY(!made);
        QCOMPARE(made.error().code, ErrorCode::InvalidInput);
        QCOMPARE(QString::fromStdString(made.error().message), message);
        QVERIFY(!made.error().hint.empty());
    }

    void foreignKindsAreErrors() {
        requireLibrary();
        const auto network = make(shape());
        ProgramGraph other = m_programs[1];
        other.kinds[2] = m_kinds;
        Floats outputs(3);
        const Status done = network->forward({m_bank, {&other, 1}}, outputs);
        QVERIFY(!done);
        QCOMPARE(done.error().code, ErrorCode::Evaluation);
        QVERIFY(QString::fromStdString(done.error().message).contains(u"a kind that the network does not know"_s));
    }

    void saysWhatToInstall() {
        const auto missing = makeKnossosNetwork(shape());
        QVERIFY(!missing);
        QCOMPARE(missing.error().code, ErrorCode::Unsupported);
        QVERIFY2(QString::fromStdString(missing.error().message).contains(u"there is no mitos-learned.so"_s),
                 missing.error().message.c_str());
        QVERIFY(QString::fromStdString(missing.error().hint).contains(u"libtorch-dev"_s));
    }
};

MITOS_TEST(TestKnossosNetwork)

}  // namespace tst_knossos_network

#include "tst_knossos_network.moc"
