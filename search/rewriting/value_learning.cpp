// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/value_learning.h"

#include "core/base/random.h"
#include "search/rewriting/internal/best_first.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::search {

namespace {

constexpr double UsualDiscount = 0.999;

class SilentObserver final : public Observer {
public:
    void onEvent(const SearchEvent& /*event*/) override {}
};

}  // namespace

std::vector<ParameterInfo> learningParameters() {
    const LearningSettings usual;
    constexpr double Many = 1e9;
    return {depthParameter("Largest number of steps of a search from its start, and the times that the network has.",
                           usual.depth, {.least = 1, .most = 100}),
            {.name = "search_evaluations",
             .title = "Evaluations of a search",
             .help = "how many expressions each search evaluates",
             .defaultValue = static_cast<std::int64_t>(usual.evaluations),
             .minimum = 1,
             .maximum = Many},
            {.name = "batch",
             .title = "States of a step",
             .help = "of Adam",
             .defaultValue = std::int64_t{usual.batch},
             .minimum = 1,
             .maximum = 10'000},
            {.name = "samples",
             .title = "States of a search",
             .help = "drawn at random from those that the search expanded; 0: all",
             .defaultValue = static_cast<std::int64_t>(usual.samples),
             .minimum = 0,
             .maximum = Many},
            {.name = "learning_rate",
             .title = "Learning rate",
             .help = "of Adam",
             .defaultValue = usual.learningRate,
             .minimum = 1e-9,
             .maximum = 10.0}};
}

LearningSettings learningSettings(const ParameterValues& values) {
    const auto whole = [&](const char* name) { return std::get<std::int64_t>(values.at(name)); };
    return {.depth = static_cast<std::uint32_t>(whole("depth")),
            .evaluations = static_cast<std::uint64_t>(whole("search_evaluations")),
            .batch = static_cast<std::uint32_t>(whole("batch")),
            .samples = static_cast<std::uint64_t>(whole("samples")),
            .learningRate = std::get<double>(values.at("learning_rate"))};
}

Result<Experience> visitedStates(const SearchProblem& problem, const ValueModel& model,
                                 std::unique_ptr<learned::ValueNetwork> network, const LearningSettings& settings,
                                 std::stop_token stop) {
    SilentObserver observer;
    SearchProblem given = problem;
    given.budget = {.evaluations = settings.evaluations};
    MITOS_TRY(const std::unique_ptr<StateSpace> space, StateSpace::open(given, std::move(stop), observer));
    const auto within = [&](ParameterValues parameters) {
        return SearchProblem{space->bank(), space->program(), problem.rules,        problem.cost,
                             given.budget,  problem.seed,     std::move(parameters)};
    };
    MITOS_TRY(const std::unique_ptr<LearnedValue> value, LearnedValue::make(model, std::move(network), within({})));
    std::unique_ptr<ValueFunction> guide;
    if (!settings.guide.empty()) {
        MITOS_TRY(guide,
                  makeValue(allValueFunctions(), within({{"value", settings.guide}, {"discount", UsualDiscount}})));
    }
    Experience experience;
    ValueFunction& asked = guide ? *guide : *value;
    searchBestFirst(*space, asked,
                    {.depth = settings.depth,
                     .reference = space->cost(space->start()),
                     .batch = asked.leastBatch(),
                     .edges = &experience.edges});
    for (std::size_t i = 0; i < space->size(); ++i) {
        const ExpressionId id(static_cast<std::uint32_t>(i));
        experience.roots.push_back(space->root(id));
        experience.costs.push_back(space->cost(id));
    }
    if (!model.hints.empty()) addHints(experience, value->hints());
    experience.bank = space->sharedBank();
    experience.program = space->program();
    return experience;
}

void addHints(Experience& experience, ValueHints& hints) {
    experience.hints.resize(experience.size());
    for (const StateEdge& edge : experience.edges) {
        std::vector<float>& own = experience.hints[edge.from];
        if (own.empty()) own = hints.of({&experience.roots[edge.from], 1});
    }
}

Result<double> fit(const ValueModel& model, learned::ValueNetwork& network, learned::Adam& optimizer,
                   std::span<const Experience> experiences, const LearningSettings& settings, std::uint64_t seed) {
    Random random(seed);
    const std::uint32_t times = model.shape.times;
    const ir::NodeVocabulary vocabulary(model.vocabulary);
    struct Batch {
        std::size_t experience;
        std::vector<std::uint32_t> states;
    };
    std::vector<Batch> batches;
    std::vector<std::vector<double>> targets;
    for (std::size_t e = 0; e < experiences.size(); ++e) {
        const Experience& one = experiences[e];
        std::vector<double> costs;
        for (const double cost : one.costs) costs.push_back(scaledCost(model, cost));
        targets.push_back(reductionsWithin(costs, one.edges, times));
        std::vector<std::uint32_t> states;
        if (settings.expandedOnly) {
            for (const StateEdge& edge : one.edges)
                if (states.empty() || states.back() != edge.from) states.push_back(edge.from);
            std::ranges::sort(states);
            states.erase(std::unique(states.begin(), states.end()), states.end());
        } else {
            for (std::uint32_t i = 0; i < one.size(); ++i) states.push_back(i);
        }
        for (std::size_t i = states.size(); i > 1; --i) std::swap(states[i - 1], states[random.below(i)]);
        if (settings.samples > 0 && states.size() > settings.samples) states.resize(settings.samples);
        for (std::size_t from = 0; from < states.size(); from += settings.batch) {
            const std::size_t end = std::min(states.size(), from + settings.batch);
            batches.push_back({e,
                               {states.begin() + static_cast<std::ptrdiff_t>(from),
                                states.begin() + static_cast<std::ptrdiff_t>(end)}});
        }
    }
    for (std::size_t i = batches.size(); i > 1; --i) std::swap(batches[i - 1], batches[random.below(i)]);
    std::vector<float> parameters(network.parameterCount());
    std::vector<float> gradient(parameters.size());
    network.getParameters(parameters);
    double sum = 0.0;
    std::size_t count = 0;
    for (const Batch& batch : batches) {
        const Experience& one = experiences[batch.experience];
        const ir::Sharing sharing = one.bank->function(one.program.function).sharing;
        std::vector<ir::ProgramGraph> graphs;
        std::vector<std::uint32_t> states;
        std::vector<float> hints;
        for (const std::uint32_t state : batch.states) {
            Result<ir::ProgramGraph> graph = ir::programGraph(*one.bank, one.roots[state], sharing, vocabulary);
            if (!graph) continue;
            graphs.push_back(*std::move(graph));
            states.push_back(state);
            if (model.shape.hints > 0) hints.insert(hints.end(), one.hints[state].begin(), one.hints[state].end());
        }
        if (graphs.empty()) continue;
        double loss = 0.0;
        const auto huber = [&](std::span<float> outputs) {
            const auto weight = static_cast<float>(1.0 / static_cast<double>(graphs.size()));
            for (std::size_t i = 0; i < states.size(); ++i) {
                for (std::uint32_t t = 0; t < times; ++t) {
                    float& output = outputs[i * times + t];
                    const double target = targets[batch.experience][std::size_t{states[i]} * times + t] / (t + 1.0);
                    const double error = static_cast<double>(output) - target;
                    loss += std::abs(error) <= 1.0 ? error * error / 2 : std::abs(error) - 0.5;
                    output = weight * static_cast<float>(std::clamp(error, -1.0, 1.0));
                }
            }
        };
        MITOS_REQUIRE(network.backward({*one.bank, graphs, hints}, random.next(), huber, gradient));
        learned::clipTo(settings.longestGradient, gradient);
        optimizer.step(parameters, gradient, settings.learningRate);
        network.setParameters(parameters);
        sum += loss;
        count += graphs.size();
    }
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

}  // namespace mitos::search
