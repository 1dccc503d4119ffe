// SPDX-License-Identifier: GPL-3.0-or-later
// The network that fits hash-consing, compared with its definition computed here in plain loops, and its derivatives with differences.
#include "core/base/random.h"
#include "core/dialects/dialects.h"
#include "core/ks/module.h"
#include "search/learned/term_features.h"
#include "search/learned/term_network.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace tst_term_network {

using namespace mitos;
using namespace mitos::search::learned;
using ir::ProgramGraph;
using ir::TermBank;
using ir::TermId;

namespace {

using Row = std::vector<double>;
using Numbers = std::vector<float>;

/// Rows × columns numbers, read one after another.
class Blocks {
public:
    explicit Blocks(const Numbers& numbers) : m_numbers(numbers) {}

    struct Block {
        const float* first;
        std::size_t columns;

        [[nodiscard]] double at(std::size_t row, std::size_t column) const {
            return static_cast<double>(first[row * columns + column]);
        }
        /// sums + x times the matrix
        [[nodiscard]] Row times(const Row& x, Row sums) const {
            for (std::size_t i = 0; i < x.size(); ++i) {
                for (std::size_t j = 0; j < columns; ++j) sums[j] += x[i] * at(i, j);
            }
            return sums;
        }
        [[nodiscard]] Row row(std::size_t number) const {
            return {first + number * columns, first + (number + 1) * columns};
        }
    };
    Block take(std::size_t rows, std::size_t columns) {
        const Block block{m_numbers.data() + m_done, columns};
        m_done += rows * columns;
        return block;
    }
    [[nodiscard]] bool isAtEnd() const { return m_done == m_numbers.size(); }

private:
    const Numbers& m_numbers;
    std::size_t m_done = 0;
};

double squashed(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// The definition, for one program.
class PlainNetwork {
public:
    PlainNetwork(const ValueNetworkShape& shape, const Numbers& parameters) : m_shape(shape), m_blocks(parameters) {
        const std::size_t hidden = shape.hidden;
        m_kinds = m_blocks.take(shape.kinds, 2 * hidden);
        m_features = m_blocks.take(TermFeatureCount, 2 * hidden);
        for (auto& place : m_places) place = m_blocks.take(hidden, 2 * hidden);
        m_candidate = {m_blocks.take(2 * hidden, hidden), m_blocks.take(1, hidden)};
        m_gate = {m_blocks.take(2 * hidden, hidden), m_blocks.take(1, hidden)};
        m_pass = {m_blocks.take(hidden, shape.readout), m_blocks.take(4, shape.readout)};
        m_amount = {m_blocks.take(hidden, shape.readout), m_blocks.take(4, shape.readout)};
    }

    Row outputs(const TermBank& bank, const ProgramGraph& program, const Numbers& hints) {
        std::map<std::uint32_t, std::vector<TermId>> values;
        std::map<TermId, std::uint32_t> kinds;
        for (std::size_t i = 0; i < program.size(); ++i) {
            values[program.values[i]].push_back(program.terms[i]);
            kinds[program.terms[i]] = program.kinds[i];
        }
        Row sum(m_shape.readout, 0.0);
        for (const auto& [value, terms] : values) {
            const std::size_t count = std::min<std::size_t>(4, terms.size()) - 1;
            const Row embedding = embedded(bank, terms.front(), kinds).first;
            const Row pass = m_pass.first.times(embedding, m_pass.second.row(count));
            const Row amount = m_amount.first.times(embedding, m_amount.second.row(count));
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += squashed(pass[i]) * std::tanh(amount[i]);
        }
        Row state = sum;
        const Row root = embedded(bank, program.terms.front(), kinds).first;
        state.insert(state.end(), root.begin(), root.end());
        state.insert(state.end(), hints.begin(), hints.end());
        for (std::uint32_t layer = 0; layer < m_shape.layers; ++layer) {
            const auto weights = m_blocks.take(state.size(), m_shape.readout);
            state = weights.times(state, m_blocks.take(1, m_shape.readout).row(0));
            for (double& x : state) x = std::tanh(x);
        }
        const auto last = m_blocks.take(state.size(), m_shape.times);
        Row outputs = last.times(state, m_blocks.take(1, m_shape.times).row(0));
        outputs = m_blocks.take(hints.size(), m_shape.times).times({hints.begin(), hints.end()}, outputs);
        if (!m_blocks.isAtEnd()) qFatal("the network has other parameters");
        return outputs;
    }

private:
    using Layer = std::pair<Blocks::Block, Blocks::Block>;

    std::pair<Row, LooseUses> embedded(const TermBank& bank, TermId term, std::map<TermId, std::uint32_t>& kinds) {
        const std::size_t hidden = m_shape.hidden;
        std::vector<LooseUses> uses;
        Row mean(hidden, 0.0);
        Row x = m_kinds.row(kinds.at(term));
        const std::size_t count = bank.childCount(term);
        for (std::size_t child = 0; child < count; ++child) {
            const auto [own, loose] = embedded(bank, bank.child(term, child), kinds);
            uses.push_back(loose);
            const std::size_t place = bank.is(term, ir::CoreOp::Tuple) ? 3 : std::min<std::size_t>(child, 3);
            x = m_places[place].times(own, x);
            for (std::size_t i = 0; i < hidden; ++i) mean[i] += own[i] / static_cast<double>(count);
        }
        const TermFeatures features = featuresOf(bank, term, uses);
        x = m_features.times({features.begin(), features.end()}, x);
        for (double& one : x) one = std::max(0.0, one);
        const Row candidate = m_candidate.first.times(x, m_candidate.second.row(0));
        const Row gate = m_gate.first.times(x, m_gate.second.row(0));
        Row embedding(hidden);
        for (std::size_t i = 0; i < hidden; ++i) {
            const double open = squashed(gate[i]);
            embedding[i] = open * std::tanh(candidate[i]) + (1.0 - open) * mean[i];
        }
        return {embedding, looseUses(bank, term, uses)};
    }

    ValueNetworkShape m_shape;
    Blocks m_blocks;
    Blocks::Block m_kinds{};
    Blocks::Block m_features{};
    std::array<Blocks::Block, 4> m_places{};
    Layer m_candidate, m_gate, m_pass, m_amount;
};

double farthest(const Numbers& a, const Numbers& b) {
    if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
    return largest;
}

}  // namespace

class TestTermNetwork : public QObject {
    Q_OBJECT

private:
    TermBank m_bank{dialects::makeRegistry()};
    std::vector<ProgramGraph> m_programs;
    std::uint32_t m_kinds = 0;

    [[nodiscard]] ValueNetworkShape shape(double dropout = 0.0) const {
        return {.kind = ValueNetworkKind::Terms,
                .kinds = m_kinds,
                .hidden = 4,
                .readout = 5,
                .layers = 2,
                .dropout = dropout,
                .hints = 2,
                .times = 3};
    }
    static std::unique_ptr<ValueNetwork> make(const ValueNetworkShape& shape) {
        auto network = makeValueNetwork(shape);
        if (!network) qFatal("%s", network.error().message.c_str());
        (*network)->setParameters(someNumbers((*network)->parameterCount(), 5));
        return *std::move(network);
    }
    TermId parsed(const char* text) {
        const auto program = ks::parseProgram(m_bank, "text", text);
        if (!program) qFatal("%s", program.error().render().c_str());
        return program->root;
    }
    static Numbers someNumbers(std::size_t count, std::uint64_t seed) {
        Random random(seed);
        Numbers numbers(count);
        for (float& one : numbers) one = static_cast<float>(random.uniform(-0.5, 0.5));
        return numbers;
    }
    [[nodiscard]] Numbers hintsOf(std::size_t programs) const { return someNumbers(2 * programs, 9); }
    Numbers outputsOf(ValueNetwork& network, std::span<const ProgramGraph> programs, const Numbers& hints) const {
        Numbers outputs(programs.size() * network.shape().times);
        if (const Status done = network.forward({m_bank, programs, hints}, outputs); !done)
            qFatal("%s", done.error().message.c_str());
        return outputs;
    }
    static float weight(std::size_t output) { return 0.25F + 0.125F * static_cast<float>(output % 7); }
    /// The sum of the outputs, each with a weight, and its derivative.
    double sumOf(ValueNetwork& network, std::uint64_t seed, Numbers& derivative) const {
        double sum = 0.0;
        derivative.assign(network.parameterCount(), 1.0F);
        const Status done = network.backward(
            {m_bank, m_programs, hintsOf(m_programs.size())}, seed,
            [&sum](std::span<float> outputs) {
                for (std::size_t i = 0; i < outputs.size(); ++i) {
                    sum += double{outputs[i]} * double{weight(i)};
                    outputs[i] = weight(i);
                }
            },
            derivative);
        if (!done) qFatal("%s", done.error().message.c_str());
        return sum;
    }

private Q_SLOTS:
    void initTestCase() {
        std::vector<TermId> roots;
        for (const char* const text :
             {"(div (div 1.0 x) (add 1.0 (div 1.0 x)))", "(mul x (exp x))",
              "(let (y (div 1.0 x)) (add (tuple y x y y 1.0) (let (z (exp y)) (tuple (mul z y) y z x y))))",
              "(add (mul (add x y) 2.0) (mul (add x y) (add x y)))", "x"}) {
            roots.push_back(parsed(text));
        }
        const auto vocabulary = ir::NodeVocabulary::of(m_bank, roots);
        m_kinds = vocabulary.size();
        for (const TermId root : roots)
            m_programs.push_back(*ir::programGraph(m_bank, root, ir::Sharing::Tree, vocabulary));
    }

    void outputsAreThoseOfTheDefinition() {
        const auto network = make(shape());
        Numbers parameters(network->parameterCount());
        network->getParameters(parameters);
        const Numbers hints = hintsOf(m_programs.size());
        const Numbers outputs = outputsOf(*network, m_programs, hints);
        for (std::size_t i = 0; i < m_programs.size(); ++i) {
            const Numbers own(hints.begin() + static_cast<std::ptrdiff_t>(2 * i),
                              hints.begin() + static_cast<std::ptrdiff_t>(2 * i + 2));
            const Row expected = PlainNetwork(shape(), parameters).outputs(m_bank, m_programs[i], own);
            for (std::size_t t = 0; t < 3; ++t) {
                QVERIFY2(std::abs(double{outputs[3 * i + t]} - expected[t]) < 1e-5,
                         qPrintable(QStringLiteral("program %1, time %2").arg(i).arg(t)));
            }
        }
    }

    /// What is known of terms is used again, in any order and company.
    void outputsDoNotDependOnTheCompany() {
        const auto network = make(shape());
        const Numbers hints = hintsOf(m_programs.size());
        const Numbers together = outputsOf(*network, m_programs, hints);
        Numbers alone;
        for (std::size_t i = m_programs.size(); i-- > 0;) {
            const Numbers own(hints.begin() + static_cast<std::ptrdiff_t>(2 * i),
                              hints.begin() + static_cast<std::ptrdiff_t>(2 * i + 2));
            const Numbers one = outputsOf(*network, {&m_programs[i], 1}, own);
            alone.insert(alone.begin(), one.begin(), one.end());
        }
        QVERIFY(farthest(together, alone) < 1e-6);
        QVERIFY(network->bytes() > 0);
        network->forget();
        QCOMPARE(outputsOf(*network, m_programs, hints), together);
    }

    void derivativesAreThoseOfDifferences_data() {
        QTest::addColumn<double>("dropout");
        QTest::newRow("without dropout") << 0.0;
        QTest::newRow("with dropout") << 0.3;
    }
    void derivativesAreThoseOfDifferences() {
        QFETCH(double, dropout);
        constexpr float Step = 1e-3F;  // so small that no number passes the bend of relu's graph
        const auto network = make(shape(dropout));
        Numbers derivative;
        sumOf(*network, 3, derivative);
        Numbers parameters(network->parameterCount());
        network->getParameters(parameters);
        Numbers ignored;
        for (std::size_t i = 0; i < parameters.size(); i += 3) {
            const float own = parameters[i];
            parameters[i] = own + Step;
            network->setParameters(parameters);
            const double above = sumOf(*network, 3, ignored);
            parameters[i] = own - Step;
            network->setParameters(parameters);
            const double below = sumOf(*network, 3, ignored);
            parameters[i] = own;
            const double difference = (above - below) / (2.0 * double{Step});
            QVERIFY2(std::abs(difference - double{derivative[i]}) < 2e-3 * (1.0 + std::abs(difference)),
                     qPrintable(
                         QStringLiteral("parameter %1: %2, not %3").arg(i).arg(double{derivative[i]}).arg(difference)));
        }
    }

    void theSeedDecidesWhatIsLeftOut() {
        const auto network = make(shape(0.5));
        Numbers derivative;
        Numbers same;
        Numbers other;
        const double sum = sumOf(*network, 3, derivative);
        QCOMPARE(sumOf(*network, 3, same), sum);
        QCOMPARE(same, derivative);
        QVERIFY(sumOf(*network, 4, other) != sum);
        const auto twin = makeTermNetwork(shape());
        twin->initialize(1);
        Numbers first(twin->parameterCount());
        twin->getParameters(first);
        twin->initialize(2);
        Numbers second(first.size());
        twin->getParameters(second);
        QVERIFY(first != second);
        twin->initialize(1);
        twin->getParameters(second);
        QCOMPARE(first, second);
    }

    void sizesThatMakeNoSenseAreErrors() {
        for (const auto change :
             {+[](ValueNetworkShape& s) { s.kinds = 0; }, +[](ValueNetworkShape& s) { s.hidden = 0; },
              +[](ValueNetworkShape& s) { s.hidden = 1'000'000; }, +[](ValueNetworkShape& s) { s.readout = 0; },
              +[](ValueNetworkShape& s) { s.times = 0; }, +[](ValueNetworkShape& s) { s.layers = 1000; },
              +[](ValueNetworkShape& s) { s.dropout = 1.0; },
              +[](ValueNetworkShape& s) { s.dropout = std::nan(""); }}) {
            ValueNetworkShape other = shape();
            change(other);
            QVERIFY(!makeValueNetwork(other));
        }
    }

    /// Features of terms, by hand: see the order in term_features.cpp.
    void featuresSayWhatChildrenHaveInCommon() {
        const auto features = [&](const char* text) {
            const TermId term = parsed(text);
            std::vector<LooseUses> uses;
            for (const TermId child : m_bank.children(term)) {
                std::vector<LooseUses> inner;
                for (const TermId one : m_bank.children(child)) inner.push_back(looseUses(m_bank, one, {}));
                uses.push_back(looseUses(m_bank, child, inner));
            }
            return featuresOf(m_bank, term, uses);
        };
        constexpr std::size_t Zero = 0;
        constexpr std::size_t Two = 3;
        constexpr std::size_t OtherLiteral = 4;
        constexpr std::size_t Free = 9;
        constexpr std::size_t Equal = 10;
        constexpr std::size_t FirstInSecond = 11;
        constexpr std::size_t SecondInFirst = 12;
        constexpr std::size_t OneSharedTerm = 13;
        constexpr std::size_t Unused = 17;
        QCOMPARE(features("0.0")[Zero], 1.0F);
        QCOMPARE(features("2.0")[Two], 1.0F);
        QCOMPARE(features("7.5")[OtherLiteral], 1.0F);
        QCOMPARE(features("x")[Free], 1.0F);
        QCOMPARE(features("(mul x x)")[Equal], 1.0F);
        QCOMPARE(features("(mul x y)")[Equal], 0.0F);
        QCOMPARE(features("(mul (exp x) (add 1.0 (exp x)))")[FirstInSecond], 1.0F);
        QCOMPARE(features("(mul (exp x) (add 1.0 (exp x)))")[OneSharedTerm], 1.0F);
        QCOMPARE(features("(mul (add 1.0 x) x)")[SecondInFirst], 1.0F);
        QCOMPARE(features("(let (y (exp x)) 1.0)")[Unused], 1.0F);
        QCOMPARE(features("(let (y (exp x)) y)")[Unused + 1], 1.0F);
        QCOMPARE(features("(let (y (exp x)) (mul y y))")[Unused + 2], 1.0F);
    }
};

MITOS_TEST(TestTermNetwork)

}  // namespace tst_term_network

#include "tst_term_network.moc"
