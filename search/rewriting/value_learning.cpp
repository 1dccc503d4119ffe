// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/value_trainer.h"

#include "core/base/random.h"
#include "search/rewriting/internal/best_first.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::search {

namespace {

class NoObserver final : public Observer {
public:
    void onEvent(const SearchEvent& /*event*/) override {}
};

}  // namespace

Result<Experience> visitedStates(const SearchProblem& problem, const ValueModel& model,
                                 std::unique_ptr<learned::ValueNetwork> network, std::uint32_t depth,
                                 std::stop_token stop, double* best, const char* other) {
    NoObserver observer;
    MITOS_TRY(const std::unique_ptr<StateSpace> space, StateSpace::open(problem, std::move(stop), observer));
    LearnedValue value(space->bank(), space->bank().function(space->program().function).sharing, model,
                       std::move(network), problem.cost->evaluator(space->bank(), space->program().function), [&] {
                           std::vector<std::unique_ptr<ValueFunction>> hints;
                           if (model.shape.hints == 0) return hints;
                           for (const char* name : {"sharing", "algebra"}) {
                               const SearchProblem own{space->bank(),
                                                       space->program(),
                                                       problem.rules,
                                                       problem.cost,
                                                       problem.budget,
                                                       problem.seed,
                                                       {{"value", std::string(name)}, {"discount", 1.0}}};
                               hints.push_back(*makeValue(allValueFunctions(), own));
                           }
                           return hints;
                       }());
    Experience experience;
    std::unique_ptr<ValueFunction> given;
    if (other != nullptr) {
        const SearchProblem own{space->bank(),
                                space->program(),
                                problem.rules,
                                problem.cost,
                                problem.budget,
                                problem.seed,
                                {{"value", std::string(other)}, {"discount", 0.999}}};
        given = *makeValue(allValueFunctions(), own);
    }
    searchBestFirst(*space, other != nullptr ? *given : static_cast<ValueFunction&>(value),
                    {.depth = depth, .reference = space->cost(space->start()), .edges = &experience.edges});
    for (std::size_t i = 0; i < space->size(); ++i) {
        const ExpressionId id(static_cast<std::uint32_t>(i));
        experience.roots.push_back(space->root(id));
        experience.costs.push_back(space->cost(id));
    }
    if (model.shape.hints > 0) {
        experience.hints.resize(experience.size());
        for (const StateEdge& edge : experience.edges) {
            auto& hint = experience.hints[edge.from];
            if (hint.empty()) hint = value.hintsOf({&experience.roots[edge.from], 1});
        }
    }
    *best = *std::ranges::min_element(experience.costs);
    experience.bank = space->sharedBank();
    experience.program = space->program();
    return experience;
}

Result<double> fit(const ValueModel& model, learned::ValueNetwork& network, learned::Adam& optimizer,
                   std::span<const Experience> experiences, ir::Sharing sharing, const FitSettings& settings,
                   std::uint64_t seed) {
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
