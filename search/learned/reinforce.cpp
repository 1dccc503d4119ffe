// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/reinforce.h"

#include "core/base/hash.h"
#include "core/base/random.h"
#include "search/learned/learned_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace mitos::search::learned {

namespace {

/// Several graphs of a task as one.
class Batch {
public:
    Batch(const Task& task, std::span<const std::size_t> graphs) {
        for (const std::size_t number : graphs) {
            const GraphView graph = task.graph(number);
            m_begins.push_back(m_nodes);
            for (const std::uint32_t node : graph.from) m_from.push_back(node + m_nodes);
            for (const std::uint32_t node : graph.to) m_to.push_back(node + m_nodes);
            m_nodeFeatures.insert(m_nodeFeatures.end(), graph.nodeFeatures.begin(), graph.nodeFeatures.end());
            m_edgeFeatures.insert(m_edgeFeatures.end(), graph.edgeFeatures.begin(), graph.edgeFeatures.end());
            m_nodes += graph.nodes;
        }
    }
    [[nodiscard]] GraphView view() const { return {m_nodes, m_nodeFeatures, m_edgeFeatures, m_from, m_to, m_begins}; }
    /// The outputs of one of the graphs.
    template <typename T>
    [[nodiscard]] std::span<T> part(std::vector<T>& outputs, std::size_t graph) const {
        const std::size_t width = outputs.size() / m_nodes;
        const std::size_t begin = m_begins[graph];
        const std::size_t end = graph + 1 < m_begins.size() ? m_begins[graph + 1] : m_nodes;
        return std::span<T>(outputs).subspan(begin * width, (end - begin) * width);
    }

private:
    std::uint32_t m_nodes = 0;
    std::vector<std::uint32_t> m_begins;
    std::vector<float> m_nodeFeatures;
    std::vector<float> m_edgeFeatures;
    std::vector<std::uint32_t> m_from;
    std::vector<std::uint32_t> m_to;
};

/// One call of train().
class Training {
public:
    Training(TrainingState& state, const ChoiceSpace& space, GraphNetwork& network, Task& task,
             const TrainingLimits& limits)
        : m_state(state),
          m_space(space),
          m_network(network),
          m_task(task),
          m_limits(limits),
          m_before(state.seconds) {}

    Status run(const std::function<Status(const TrainingState&)>& report) {
        const auto validated = [&]() -> Status {
            MITOS_REQUIRE(validate());
            return report ? report(m_state) : Status(Success{});
        };
        m_network.setParameters(m_state.parameters);
        if (m_state.curve.empty()) {
            MITOS_REQUIRE(validated());
        }
        while (!isOver()) {
            MITOS_REQUIRE(step());
            if (m_state.step % m_state.settings.validateEvery == 0) {
                MITOS_REQUIRE(validated());
            }
        }
        if (m_state.curve.back().step != m_state.step) {
            MITOS_REQUIRE(validated());
        }
        return Success{};
    }

private:
    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    }
    [[nodiscard]] bool isOver() const {
        return m_limits.stop.stop_requested() || (m_limits.steps != 0 && m_state.step >= m_limits.steps) ||
               (m_limits.seconds && elapsed() >= *m_limits.seconds);
    }

    /// The costs of the first choice on graphs where they are not known yet.
    Status findReferences(std::span<const std::size_t> graphs) {
        std::vector<Trial> trials;
        for (const std::size_t graph : graphs) {
            if (m_state.references[graph] == 0.0) trials.push_back({.graph = graph, .seed = m_state.settings.seed});
        }
        MITOS_TRY(const std::vector<double> costs, m_task.costs(trials, m_limits.stop));
        for (std::size_t i = 0; i < trials.size(); ++i) m_state.references[trials[i].graph] = costs[i];
        return Success{};
    }

    /// Steps of imitation and steps with trials differ only in how the derivatives by the outputs are made.
    Status step() {
        const TrainingSettings& settings = m_state.settings;
        const bool imitates = m_state.step < settings.imitationSteps;
        if (m_state.step == settings.imitationSteps) m_state.optimizer = Adam(m_state.parameters.size());
        Random random(combineHash(settings.seed, m_state.step + 1));
        std::vector<std::size_t> graphs(settings.graphsPerStep);
        for (std::size_t& graph : graphs) graph = random.below(m_task.trainingCount());
        const Batch batch(m_task, graphs);
        std::vector<float> outputs(std::size_t{batch.view().nodes} * m_space.outputs());
        if (!m_network.forward(batch.view(), outputs)) return networkFailed(m_network);
        std::vector<double> probabilities = probabilitiesOf(m_space, outputs);
        std::vector<float> byOutput(outputs.size());
        MITOS_REQUIRE(imitates ? addImitation(graphs, batch, probabilities, byOutput)
                               : addTrials(graphs, random, batch, probabilities, byOutput));
        std::vector<float> gradient(m_state.parameters.size());
        if (!m_network.backward(batch.view(), byOutput, gradient)) return networkFailed(m_network);
        clipTo(settings.longestGradient, gradient);
        m_state.optimizer.step(m_state.parameters, gradient, imitates ? settings.imitationRate : settings.learningRate);
        m_network.setParameters(m_state.parameters);
        m_state.entropySum += meanEntropy(m_space, probabilities);
        ++m_state.sumCount;
        ++m_state.step;
        m_state.seconds = m_before + elapsed();
        return Success{};
    }

    Status addImitation(std::span<const std::size_t> graphs, const Batch& batch, std::vector<double>& probabilities,
                        std::vector<float>& byOutput) {
        MITOS_TRY(const auto values, m_task.values(graphs, m_limits.stop));
        const double weight = 1.0 / static_cast<double>(graphs.size());
        for (std::size_t g = 0; g < graphs.size(); ++g)
            addValueDerivative(m_space, batch.part(probabilities, g), values[g], m_state.settings.imitationEntropy,
                               weight, batch.part(byOutput, g));
        return Success{};
    }

    Status addTrials(std::span<const std::size_t> graphs, Random& random, const Batch& batch,
                     std::vector<double>& probabilities, std::vector<float>& byOutput) {
        const TrainingSettings& settings = m_state.settings;
        MITOS_REQUIRE(findReferences(graphs));
        std::vector<std::vector<Sample>> samples(graphs.size());
        std::vector<Trial> trials;
        for (std::size_t g = 0; g < graphs.size(); ++g) {
            const std::uint64_t seed = random.next();
            for (std::uint32_t s = 0; s < settings.samplesPerGraph; ++s)
                samples[g].push_back({.choices = drawn(m_space, batch.part(probabilities, g), random)});
            for (const Sample& sample : samples[g])
                trials.push_back({.graph = graphs[g], .choices = sample.choices, .seed = seed});
        }
        MITOS_TRY(std::vector<double> costs, m_task.costs(trials, m_limits.stop));
        for (std::size_t i = 0; i < costs.size(); ++i) costs[i] /= m_state.references[trials[i].graph];
        setAdvantages(samples, costs);

        const double weight = 1.0 / static_cast<double>(graphs.size());
        for (std::size_t g = 0; g < graphs.size(); ++g)
            addLossDerivative(m_space, batch.part(probabilities, g), samples[g], settings.entropy, weight,
                              batch.part(byOutput, g));
        for (const double cost : costs) m_state.rewardSum -= cost / static_cast<double>(costs.size());
        ++m_state.trialCount;
        return Success{};
    }

    /// How much less than the mean of the others of its graph each sample costs, divided by the deviation over all.
    static void setAdvantages(std::vector<std::vector<Sample>>& samples, std::span<const double> costs) {
        double squares = 0.0;
        std::size_t next = 0;
        for (std::vector<Sample>& ofGraph : samples) {
            const auto count = static_cast<double>(ofGraph.size());
            double sum = 0.0;
            for (std::size_t i = 0; i < ofGraph.size(); ++i) sum += costs[next + i];
            for (Sample& sample : ofGraph) {
                const double own = costs[next++];
                sample.advantage = (sum - own) / (count - 1.0) - own;
                squares += sample.advantage * sample.advantage;
            }
        }
        const double deviation = std::sqrt(squares / static_cast<double>(next));
        for (std::vector<Sample>& ofGraph : samples) {
            for (Sample& sample : ofGraph) sample.advantage = deviation > 0.0 ? sample.advantage / deviation : 0.0;
        }
    }

    Status validate() {
        const std::size_t first = m_task.trainingCount();
        const std::size_t count = m_task.graphCount() - first;
        const std::uint32_t seeds = m_state.settings.validationSeeds;
        std::vector<Choices> choices(count);
        std::vector<Trial> trials;
        std::vector<Trial> references;
        for (std::size_t i = 0; i < count; ++i) {
            const GraphView graph = m_task.graph(first + i);
            std::vector<float> outputs(std::size_t{graph.nodes} * m_space.outputs());
            if (!m_network.forward(graph, outputs)) return networkFailed(m_network);
            choices[i] = mostProbable(m_space, probabilitiesOf(m_space, outputs));
            for (std::uint32_t seed = 0; seed < seeds; ++seed) {
                const std::uint64_t own = combineHash(m_state.settings.seed, seed);
                trials.push_back({.graph = first + i, .choices = choices[i], .seed = own});
                references.push_back({.graph = first + i, .seed = own});
            }
        }
        if (m_state.validations.empty()) {
            MITOS_TRY(m_state.validations, m_task.costs(references, m_limits.stop));
        }
        MITOS_TRY(const std::vector<double> costs, m_task.costs(trials, m_limits.stop));
        CurvePoint point{.step = m_state.step};
        for (std::size_t i = 0; i < count; ++i) {
            double cost = 0.0;
            double reference = 0.0;
            for (std::uint32_t seed = 0; seed < seeds; ++seed) {
                cost += costs[i * seeds + seed];
                reference += m_state.validations[i * seeds + seed];
            }
            point.improvement += (1.0 - cost / reference) / static_cast<double>(count);
            point.better += cost < reference ? 1 : 0;
            point.worse += cost > reference ? 1 : 0;
        }
        point.reward = m_state.rewardSum / std::max(1U, m_state.trialCount);
        point.entropy = m_state.entropySum / std::max(1U, m_state.sumCount);
        m_state.rewardSum = m_state.entropySum = 0.0;
        m_state.sumCount = m_state.trialCount = 0;
        m_state.seconds = m_before + elapsed();
        point.seconds = m_state.seconds;
        m_state.add(point);
        return Success{};
    }

    TrainingState& m_state;
    const ChoiceSpace& m_space;
    GraphNetwork& m_network;
    Task& m_task;
    const TrainingLimits& m_limits;
    double m_before;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

}  // namespace

Result<std::vector<std::span<const float>>> Task::values(std::span<const std::size_t> /*graphs*/,
                                                         const std::stop_token& /*stop*/) {
    return inputError("there are no solutions to imitate", "train without steps of imitation");
}

Result<TrainingState> startTraining(const TrainingSettings& settings, const GraphNetwork& network) {
    const auto require = [](bool isGood, const char* what, const char* hint) -> Status {
        if (isGood) return Success{};
        return inputError(what, hint);
    };
    MITOS_REQUIRE(require(settings.graphsPerStep >= 1, "a step without graphs", "at least 1"));
    MITOS_REQUIRE(require(settings.samplesPerGraph >= 2, "samples are compared with each other", "at least 2"));
    MITOS_REQUIRE(require(settings.learningRate > 0.0 && std::isfinite(settings.learningRate),
                          "a learning rate that makes no sense", "a number above 0"));
    MITOS_REQUIRE(require(settings.longestGradient > 0.0, "a gradient of length 0", "a number above 0"));
    MITOS_REQUIRE(require(settings.entropy >= 0.0, "an entropy below 0", "0 or more"));
    MITOS_REQUIRE(require(
        settings.imitationRate > 0.0 && std::isfinite(settings.imitationRate) && settings.imitationEntropy >= 0.0,
        "an imitation that makes no sense", "a rate above 0, and an entropy of at least 0"));
    MITOS_REQUIRE(require(settings.validateEvery >= 1 && settings.validationSeeds >= 1, "no validation", "at least 1"));
    TrainingState state;
    state.settings = settings;
    state.parameters.resize(network.parameterCount());
    state.optimizer = Adam(network.parameterCount());
    network.getParameters(state.parameters);
    state.best = state.parameters;
    return state;
}

Status train(TrainingState& state, const ChoiceSpace& space, GraphNetwork& network, Task& task,
             const TrainingLimits& limits, const std::function<Status(const TrainingState&)>& report) {
    if (task.trainingCount() == 0 || task.graphCount() <= task.trainingCount()) {
        return inputError(fmt::format("{} graphs to train on and {} to validate with", task.trainingCount(),
                                      task.graphCount() - task.trainingCount()),
                          "at least one of each is needed");
    }
    if (network.shape().outputs != space.outputs() || state.parameters.size() != network.parameterCount()) {
        return Error{ErrorCode::Incompatible, "the training belongs to a network of another shape", std::nullopt,
                     "go on with the settings that it began with"};
    }
    state.references.resize(task.graphCount());
    Status done = Training(state, space, network, task, limits).run(report);
    // A stop within a step leaves the step before.
    if (!done && limits.stop.stop_requested() && done.error().code == ErrorCode::Cancelled && !state.curve.empty())
        return Success{};
    return done;
}

}  // namespace mitos::search::learned
