// SPDX-License-Identifier: GPL-3.0-or-later
// Policies over choices and their training, with a network of two lines instead of LibTorch.
#include "core/base/random.h"
#include "search/learned/reinforce.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tst_reinforce {

using namespace mitos;
using namespace mitos::search::learned;
using namespace Qt::StringLiterals;

namespace {

/// Outputs are the node's one feature times a factor for each output.
class LineNetwork final : public GraphNetwork {
public:
    explicit LineNetwork(std::uint32_t outputs)
        : m_shape{.nodeFeatures = 1, .edgeFeatures = 1, .outputs = outputs},
          m_parameters(outputs) {}

    [[nodiscard]] const NetworkShape& shape() const override { return m_shape; }
    [[nodiscard]] std::size_t parameterCount() const override { return m_parameters.size(); }
    void initialize(std::uint64_t) override {}
    void getParameters(std::span<float> into) const override { std::ranges::copy(m_parameters, into.begin()); }
    void setParameters(std::span<const float> parameters) override {
        m_parameters.assign(parameters.begin(), parameters.end());
    }
    [[nodiscard]] bool forward(const GraphView& graph, std::span<float> outputs) override {
        for (std::size_t i = 0; i < outputs.size(); ++i)
            outputs[i] = graph.nodeFeatures[i / m_parameters.size()] * m_parameters[i % m_parameters.size()];
        return true;
    }
    [[nodiscard]] bool backward(const GraphView& graph, absl::FunctionRef<void(std::span<float>)> makeDerivatives,
                                std::span<float> byParameter) override {
        std::vector<float> byOutput(std::size_t{graph.nodes} * m_parameters.size());
        if (!forward(graph, byOutput)) return false;
        makeDerivatives(byOutput);
        std::ranges::fill(byParameter, 0.0F);
        for (std::size_t i = 0; i < byOutput.size(); ++i)
            byParameter[i % m_parameters.size()] += graph.nodeFeatures[i / m_parameters.size()] * byOutput[i];
        return true;
    }
    [[nodiscard]] const char* failure() const override { return ""; }

private:
    NetworkShape m_shape;
    std::vector<float> m_parameters;
};

/// Graphs of three nodes without edges, whose feature is 1 or -1. A decision costs less if it is 1 where the feature is 1, and 2 where it is -1.
class SignTask final : public Task {
public:
    [[nodiscard]] std::size_t trainingCount() const override { return 4; }
    [[nodiscard]] std::size_t graphCount() const override { return 6; }
    [[nodiscard]] GraphView graph(std::size_t number) const override { return {3, m_features[number % 2], {}, {}, {}}; }
    [[nodiscard]] Result<std::vector<double>> costs(std::span<const Trial> trials,
                                                    const std::stop_token& stop) override {
        if (stop.stop_requested() || m_calls == 0) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
        if (m_calls > 0) --m_calls;
        std::vector<double> costs;
        for (const Trial& trial : trials) {
            double cost = 10.0;
            for (std::size_t i = 0; i < trial.choices.size(); ++i)
                cost -= trial.choices[i] == (m_features[trial.graph % 2][i] > 0.0F ? 1 : 2) ? 1.0 : 0.0;
            costs.push_back(cost);
        }
        return costs;
    }
    [[nodiscard]] Result<std::vector<std::span<const float>>> values(std::span<const std::size_t> graphs,
                                                                     const std::stop_token&) override {
        std::vector<std::span<const float>> values;
        for (const std::size_t graph : graphs) {
            std::vector<float>& own = m_values[graph % 2];
            own.assign(9, 0.0F);
            for (std::size_t i = 0; i < 3; ++i) own[i * 3 + (m_features[graph % 2][i] > 0.0F ? 1 : 2)] = 1.0F;
            values.emplace_back(own);
        }
        return values;
    }
    void failAfter(int calls) { m_calls = calls; }

private:
    std::array<std::array<float, 3>, 2> m_features{{{1.0F, -1.0F, 1.0F}, {-1.0F, -1.0F, 1.0F}}};
    std::array<std::vector<float>, 2> m_values;
    int m_calls = -1;
};

const ChoiceSpace Space{.heads = 1, .prior = {1.5F, 0.0F, 0.0F}};
constexpr TrainingSettings Settings{.seed = 3,
                                    .graphsPerStep = 4,
                                    .samplesPerGraph = 4,
                                    .learningRate = 0.05,
                                    .longestGradient = 10.0,
                                    .entropy = 0.01,
                                    .validateEvery = 10,
                                    .validationSeeds = 2};

TrainingState trained(std::uint32_t steps, TrainingSettings settings = Settings) {
    LineNetwork network(3);
    SignTask task;
    TrainingState state = *startTraining(settings, network);
    if (const Status done = train(state, Space, network, task, {.steps = steps}); !done)
        qFatal("%s", done.error().message.c_str());
    return state;
}

/// The clock is no part of what is compared.
TrainingState withoutTimes(TrainingState state) {
    state.seconds = 0.0;
    for (CurvePoint& point : state.curve) point.seconds = 0.0;
    return state;
}

}  // namespace

class TestReinforce : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// e^1.5 / (e^1.5 + 2) and its rest in halves.
    void thePriorIsTheFirstPolicy() {
        const std::vector<float> outputs(6, 0.25F);
        const std::vector<double> probabilities = probabilitiesOf(Space, outputs);
        QVERIFY(std::abs(probabilities[0] - 0.69141) < 1e-4);
        QVERIFY(std::abs(probabilities[4] - 0.15430) < 1e-4);
        QCOMPARE(mostProbable(Space, probabilities), (Choices{0, 0}));
        QVERIFY(std::abs(meanEntropy(Space, probabilities) - 0.83188) < 1e-4);
    }

    void choicesAreDrawnByTheirProbability() {
        const std::vector<double> probabilities{0.5, 0.25, 0.25};
        Random random(1);
        std::array<int, 3> counts{};
        for (int i = 0; i < 4000; ++i) ++counts[drawn(Space, probabilities, random)[0]];
        QVERIFY(std::abs(counts[0] - 2000) < 130 && std::abs(counts[1] - 1000) < 110);
    }

    void derivativesAreThoseOfDifferences() {
        const ChoiceSpace space{.heads = 2, .prior = {0.5F, 0.0F, -0.5F}};
        Random random(5);
        std::vector<float> outputs(2 * 6);
        for (float& one : outputs) one = static_cast<float>(random.uniform(-1.0, 1.0));
        const std::vector<Sample> samples{{{0, 1, 2, 0}, 0.7}, {{1, 1, 0, 2}, -1.3}};
        constexpr double Entropy = 0.3;
        constexpr double Weight = 0.5;
        const auto loss = [&](const std::vector<float>& at) {
            const std::vector<double> p = probabilitiesOf(space, at);
            double sum = 0.0;
            for (const Sample& sample : samples) {
                for (std::size_t row = 0; row < 4; ++row)
                    sum -= sample.advantage * std::log(p[row * 3 + sample.choices[row]]) / 2.0;
            }
            for (const double one : p) sum += Entropy * one * std::log(one);
            return Weight * sum;
        };
        std::vector<float> derivative(outputs.size());
        addLossDerivative(space, probabilitiesOf(space, outputs), samples, Entropy, Weight, derivative);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            constexpr float Step = 1e-2F;
            std::vector<float> moved = outputs;
            moved[i] = outputs[i] + Step;
            const double above = loss(moved);
            moved[i] = outputs[i] - Step;
            const double difference = (above - loss(moved)) / (2.0 * static_cast<double>(Step));
            QVERIFY2(std::abs(difference - static_cast<double>(derivative[i])) < 1e-3, qPrintable(QString::number(i)));
        }
    }

    void derivativesOfValuesAreThoseOfDifferences() {
        const ChoiceSpace space{.heads = 1, .prior = {0.5F, 0.0F, -0.5F}};
        const std::vector<float> outputs{0.3F, -0.2F, 0.9F, 0.0F, 0.4F, -1.0F};
        const std::vector<float> values{1.0F, -2.0F, 0.5F, 0.0F, 3.0F, 1.0F};
        constexpr double Entropy = 0.3;
        const auto loss = [&](const std::vector<float>& at) {
            const std::vector<double> p = probabilitiesOf(space, at);
            double sum = 0.0;
            for (std::size_t i = 0; i < p.size(); ++i)
                sum += p[i] * (Entropy * std::log(p[i]) - static_cast<double>(values[i]));
            return 2.0 * sum / 2.0;
        };
        std::vector<float> derivative(outputs.size());
        addValueDerivative(space, probabilitiesOf(space, outputs), values, Entropy, 2.0, derivative);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            constexpr float Step = 1e-2F;
            std::vector<float> moved = outputs;
            moved[i] = outputs[i] + Step;
            const double above = loss(moved);
            moved[i] = outputs[i] - Step;
            const double difference = (above - loss(moved)) / (2.0 * static_cast<double>(Step));
            QVERIFY2(std::abs(difference - static_cast<double>(derivative[i])) < 1e-3, qPrintable(QString::number(i)));
        }
    }

    /// The first step of Adam has the length of the rate, whatever the gradient is.
    void adamStepsAgainstTheGradient() {
        std::vector<float> parameters{1.0F, 1.0F, 1.0F};
        Adam adam(3);
        adam.step(parameters, std::vector<float>{5.0F, -0.001F, 0.0F}, 0.1);
        QVERIFY(std::abs(parameters[0] - 0.9F) < 1e-4F && std::abs(parameters[1] - 1.1F) < 1e-4F);
        QCOMPARE(parameters[2], 1.0F);
    }

    void longGradientsAreClipped() {
        std::vector<float> gradient{3.0F, 4.0F};
        QCOMPARE(clipTo(10.0, gradient), 5.0);
        QCOMPARE(gradient[0], 3.0F);
        QCOMPARE(clipTo(1.0, gradient), 5.0);
        QVERIFY(std::abs(gradient[0] - 0.6F) < 1e-6F && std::abs(gradient[1] - 0.8F) < 1e-6F);
        gradient[0] = std::nanf("");
        static_cast<void>(clipTo(1.0, gradient));
        QCOMPARE(gradient, (std::vector<float>{0.0F, 0.0F}));
    }

    /// The best policy makes all three decisions right: costs of 7 instead of 10.
    void learnsWhatCostsLess() {
        const TrainingState state = trained(120);
        QCOMPARE(state.curve.front().improvement, 0.0);
        QCOMPARE(state.curve.front().step, 0U);
        QVERIFY(std::abs(state.bestPoint()->improvement - 0.3) < 1e-9);
        QCOMPARE(state.bestPoint()->better, 2U);
        QCOMPARE(state.curve.back().step, 120U);
        QVERIFY(state.curve.back().reward > -0.8);
        QVERIFY(state.curve.back().entropy < state.curve[1].entropy);
    }

    /// Solutions that are known teach the same without a trial; then trials go on from there.
    void imitatesGoodSolutions() {
        TrainingSettings settings = Settings;
        settings.imitationSteps = 60;
        settings.imitationRate = 0.05;
        const TrainingState state = trained(60, settings);
        QVERIFY(std::abs(state.curve.back().improvement - 0.3) < 1e-9);
        QCOMPARE(state.curve.back().reward, 0.0);
        QVERIFY(std::ranges::all_of(state.references, [](double cost) { return cost == 0.0; }));
        const TrainingState after = trained(80, settings);
        QVERIFY(after.curve.back().reward < 0.0);
        QVERIFY(std::abs(after.curve.back().improvement - 0.3) < 1e-9);
    }

    void withoutSolutionsThereIsNoImitation() {
        class NoSolutions final : public Task {
            [[nodiscard]] std::size_t trainingCount() const override { return 1; }
            [[nodiscard]] std::size_t graphCount() const override { return 2; }
            [[nodiscard]] GraphView graph(std::size_t) const override { return {1, m_feature, {}, {}, {}}; }
            [[nodiscard]] Result<std::vector<double>> costs(std::span<const Trial> trials,
                                                            const std::stop_token&) override {
                return std::vector<double>(trials.size(), 1.0);
            }
            std::array<float, 1> m_feature{1.0F};
        } task;
        LineNetwork network(3);
        TrainingSettings settings = Settings;
        settings.imitationSteps = 1;
        TrainingState state = *startTraining(settings, network);
        const Status done = train(state, Space, network, task, {.steps = 5});
        QVERIFY(!done.ok());
        QVERIFY(done.error().message.find("no solutions to imitate") != std::string::npos);
    }

    void isTheSameForASeed() {
        QVERIFY(withoutTimes(trained(25)) == withoutTimes(trained(25)));
        TrainingSettings other = Settings;
        other.seed = 4;
        QVERIFY(trained(25).parameters != trained(25, other).parameters);
    }

    void goesOnAsWithoutAPause() {
        TrainingState state = trained(20);
        const auto read = stateIn(toFile(state, R"({"a":1})"), "m.training");
        QVERIFY2(read.ok(), read ? "" : read.error().message.c_str());
        QVERIFY(*read == state);
        state = *read;
        LineNetwork network(3);
        SignTask task;
        QVERIFY(train(state, Space, network, task, {.steps = 40}).ok());
        QVERIFY(withoutTimes(state) == withoutTimes(trained(40)));
    }

    /// A stop within a step leaves the step before: the first validation takes two calls, a step one, after the one for references.
    void aStopLeavesWholeSteps() {
        LineNetwork network(3);
        SignTask task;
        task.failAfter(8);
        TrainingState state = *startTraining(Settings, network);
        const Status done = train(state, Space, network, task, {.steps = 100});
        QCOMPARE(done.error().code, ErrorCode::Cancelled);
        const std::uint32_t steps = state.step;
        QVERIFY(steps >= 2 && steps < 8);
        task.failAfter(-1);
        QVERIFY(train(state, Space, network, task, {.steps = 30}).ok());
        QVERIFY(withoutTimes(state) == withoutTimes(trained(30)));
        std::stop_source stop;
        stop.request_stop();
        const TrainingState before = state;
        QVERIFY(train(state, Space, network, task, {.steps = 90, .stop = stop.get_token()}).ok());
        QVERIFY(state == before);
    }

    void refusesWhatMakesNoSense() {
        LineNetwork network(3);
        const auto refused = [&](auto change) {
            TrainingSettings settings = Settings;
            change(settings);
            return !startTraining(settings, network).ok();
        };
        QVERIFY(refused([](auto& settings) { settings.samplesPerGraph = 1; }));
        QVERIFY(refused([](auto& settings) { settings.graphsPerStep = 0; }));
        QVERIFY(refused([](auto& settings) { settings.learningRate = 0.0; }));
        QVERIFY(refused([](auto& settings) { settings.validateEvery = 0; }));
        TrainingState state = *startTraining(Settings, network);
        LineNetwork other(6);
        SignTask task;
        QCOMPARE(train(state, Space, other, task, {.steps = 1}).error().code, ErrorCode::Incompatible);
    }

    void refusesOtherFiles() {
        const ModelFile good = toFile(trained(1), "{}");
        ModelFile file = good;
        file.kind = "policy";
        QVERIFY(!stateIn(file, "m"));
        file = good;
        file.parts.pop_back();
        QVERIFY(!stateIn(file, "m"));
        file = good;
        file.parts[1].values.push_back(0.0F);
        QVERIFY(!stateIn(file, "m"));
        file = good;
        file.description = "{}";
        QVERIFY(!stateIn(file, "m"));
    }
};

MITOS_TEST(TestReinforce)

}  // namespace tst_reinforce

#include "tst_reinforce.moc"
