// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/rewriting/value_learning.h"

#include "core/base/random.h"
#include "search/rewriting/internal/best_first.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
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
    const auto count = [](const char* name, const char* title, const char* help, std::uint64_t value, double least,
                          double most) {
        return ParameterInfo{.name = name,
                             .title = title,
                             .help = help,
                             .defaultValue = static_cast<std::int64_t>(value),
                             .minimum = least,
                             .maximum = most};
    };
    const auto number = [](const char* name, const char* title, const char* help, double value, double least,
                           double most) {
        return ParameterInfo{
            .name = name, .title = title, .help = help, .defaultValue = value, .minimum = least, .maximum = most};
    };
    return {
        depthParameter("Largest number of steps of a search from its start, and the times that the network has.",
                       usual.depth, {.least = 1, .most = 100}),
        count("search_evaluations", "Evaluations of a search", "how many expressions each search evaluates",
              usual.evaluations, 1, Many),
        count("labels", "Labels of a search",
              "states of a search from each of which another one tells what can be gained; 0: none, as in the "
              "Knossos paper, where the search itself tells it",
              usual.labels, 0, 1e6),
        count("label_evaluations", "Evaluations of a label", "of each of these searches", usual.labelEvaluations, 1,
              Many),
        number("discount", "Discount of steps",
               "what a gain in one step counts, of two the square, and so on; 1: all the same, as in the paper",
               usual.discount, 0.01, 1.0),
        number("time_weight", "Weight of time",
               "errors for t steps left are weighted by t to this power; 0: equally, as in the paper", usual.timeWeight,
               0.0, 4.0),
        count("passes", "Passes", "over the states of an epoch", usual.passes, 1, 1000),
        count("batch", "States of a step", "of Adam", usual.batch, 1, 10'000),
        count("samples", "States of a search", "that are fitted, drawn at random; 0: all", usual.samples, 0, Many),
        number("learning_rate", "Learning rate", "of Adam", usual.learningRate, 1e-9, 10.0),
        number("averaging", "Averaging",
               "how much of the average of the parameters stays in a step; the average is what searches use; 0: the "
               "parameters themselves",
               usual.averaging, 0.0, 0.999999)};
}

LearningSettings learningSettings(const ParameterValues& values) {
    const auto whole = [&](const char* name) { return std::get<std::int64_t>(values.at(name)); };
    const auto number = [&](const char* name) { return std::get<double>(values.at(name)); };
    return {.depth = static_cast<std::uint32_t>(whole("depth")),
            .evaluations = static_cast<std::uint64_t>(whole("search_evaluations")),
            .labels = static_cast<std::uint32_t>(whole("labels")),
            .labelEvaluations = static_cast<std::uint64_t>(whole("label_evaluations")),
            .discount = number("discount"),
            .passes = static_cast<std::uint32_t>(whole("passes")),
            .batch = static_cast<std::uint32_t>(whole("batch")),
            .samples = static_cast<std::uint64_t>(whole("samples")),
            .learningRate = number("learning_rate"),
            .averaging = number("averaging"),
            .timeWeight = number("time_weight")};
}

namespace {

/// A network with the parameters of another.
Result<std::unique_ptr<learned::ValueNetwork>> copyOf(const learned::ValueNetwork& network) {
    MITOS_TRY(std::unique_ptr<learned::ValueNetwork> copy, learned::makeValueNetwork(network.shape()));
    std::vector<float> parameters(network.parameterCount());
    network.getParameters(parameters);
    copy->setParameters(parameters);
    return copy;
}

/// The states of one search, without hints.
Result<Experience> searched(const SearchProblem& problem, const ValueModel& model, const learned::ValueNetwork& network,
                            const std::string& guide, std::uint32_t depth, const std::stop_token& stop) {
    SilentObserver observer;
    MITOS_TRY(const std::unique_ptr<StateSpace> space, StateSpace::open(problem, stop, observer));
    const auto within = [&](ParameterValues parameters) {
        return SearchProblem{space->bank(),  space->program(), problem.rules,        problem.cost,
                             problem.budget, problem.seed,     std::move(parameters)};
    };
    std::unique_ptr<ValueFunction> value;
    if (guide.empty()) {
        MITOS_TRY(std::unique_ptr<learned::ValueNetwork> own, copyOf(network));
        MITOS_TRY(value, LearnedValue::make(model, std::move(own), within({})));
    } else {
        MITOS_TRY(value, makeValue(allValueFunctions(), within({{"value", guide}, {"discount", UsualDiscount}})));
    }
    Experience experience;
    searchBestFirst(*space, *value,
                    {.depth = depth,
                     .reference = space->cost(space->start()),
                     .batch = value->leastBatch(),
                     .edges = &experience.edges});
    for (std::size_t i = 0; i < space->size(); ++i) {
        const ExpressionId id(static_cast<std::uint32_t>(i));
        experience.roots.push_back(space->root(id));
        experience.costs.push_back(space->cost(id));
    }
    experience.bank = space->sharedBank();
    experience.program = space->program();
    return experience;
}

/// The problem with a state of the experience as its program.
SearchProblem problemAt(const SearchProblem& problem, const Experience& experience, ir::TermId root,
                        std::uint64_t evaluations) {
    SearchProblem own{*experience.bank,
                      experience.program,
                      problem.rules,
                      problem.cost,
                      {.evaluations = evaluations},
                      problem.seed,
                      {}};
    own.program.root = root;
    return own;
}

/// The states to label: the start, those with the highest cost reduction so far plus value, and some drawn at random.
std::vector<std::uint32_t> chosenStates(const Experience& experience, LearnedValue& value,
                                        const LearningSettings& settings, Random& random) {
    const std::vector<double> values = value.values(experience.roots, {settings.depth, settings.depth});
    std::vector<std::uint32_t> order(experience.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, std::ranges::greater(), [&](std::uint32_t state) {
        return std::pair(values[state] - experience.costs[state], -static_cast<std::int64_t>(state));
    });
    const std::size_t half = std::min<std::size_t>(order.size(), settings.labels / 2);
    std::vector<std::uint32_t> chosen{0};
    chosen.insert(chosen.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(half));
    for (std::size_t i = half; i < settings.labels; ++i)
        chosen.push_back(static_cast<std::uint32_t>(random.below(order.size())));
    std::ranges::sort(chosen);
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

/// Adds the states on the best ways from the examples.
void addWays(Experience& experience, const ValueModel& model, const LearningSettings& settings) {
    constexpr double Tiny = 1e-9;
    const std::uint32_t times = model.shape.times;
    std::vector<double> costs;
    for (const double cost : experience.costs) costs.push_back(scaledCost(model, cost));
    const std::vector<double> within = reductionsWithin(costs, experience.edges, times, settings.discount);
    const auto known = [&](std::uint32_t state, std::uint32_t time) {
        return time == 0 ? 0.0 : within[std::size_t{state} * times + time - 1];
    };
    std::vector<std::size_t> first(experience.size() + 1, 0);  // edges are sorted by their start
    for (const StateEdge& edge : experience.edges) ++first[edge.from + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<char> isExample(experience.size(), 0);
    for (const std::uint32_t state : experience.examples) isExample[state] = 1;
    const std::size_t starts = experience.examples.size();
    for (std::size_t i = 0; i < starts; ++i) {
        std::uint32_t state = experience.examples[i];
        for (std::uint32_t time = times; time > 0 && known(state, time) > Tiny; --time) {
            const auto begin = experience.edges.begin() + static_cast<std::ptrdiff_t>(first[state]);
            const auto end = experience.edges.begin() + static_cast<std::ptrdiff_t>(first[state + 1]);
            const auto next = std::find_if(begin, end, [&](const StateEdge& edge) {
                const double gain = costs[state] - costs[edge.to] + known(edge.to, time - 1);
                return settings.discount * gain >= known(state, time) - Tiny;
            });
            if (next == end) break;
            state = next->to;
            if (isExample[state] != 0) continue;
            isExample[state] = 1;
            experience.examples.push_back(state);
        }
    }
}

/// The states that can be fitted.
std::vector<std::uint32_t> examplesOf(const Experience& experience) {
    if (!experience.examples.empty()) return experience.examples;
    std::vector<std::uint32_t> states;
    for (const StateEdge& edge : experience.edges) states.push_back(edge.from);
    std::ranges::sort(states);
    states.erase(std::unique(states.begin(), states.end()), states.end());
    return states;
}

void shuffle(auto& all, Random& random) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
}

/// The programs of a step, with their targets.
struct Examples {
    std::vector<ir::ProgramGraph> graphs;
    std::vector<float> hints;
    std::vector<double> targets;  ///< a row for each graph
};

/// Replaces the outputs by the derivatives of the mean loss by them. Returns the sum of the losses.
double replaceByDerivatives(std::span<float> outputs, const Examples& examples, std::uint32_t times,
                            double timeWeight) {
    const double share = 1.0 / static_cast<double>(examples.graphs.size());
    double loss = 0.0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double time = static_cast<double>(i % times) + 1.0;
        const double weight = std::pow(time, timeWeight);
        const double error = weight * (double{outputs[i]} - examples.targets[i] / time);
        loss += std::abs(error) <= 1.0 ? error * error / 2.0 : std::abs(error) - 0.5;
        outputs[i] = static_cast<float>(share * weight * std::clamp(error, -1.0, 1.0));
    }
    return loss;
}

}  // namespace

Result<Experience> visitedStates(const SearchProblem& problem, const ValueModel& model,
                                 const learned::ValueNetwork& network, const LearningSettings& settings,
                                 const std::stop_token& stop) {
    SearchProblem start = problem;
    start.budget = {.evaluations = settings.evaluations};
    MITOS_TRY(Experience experience, searched(start, model, network, settings.guide, settings.depth, stop));
    if (settings.labels > 0 && !stop.stop_requested()) {
        Random random(problem.seed);
        const SearchProblem here = problemAt(problem, experience, experience.program.root, 1);
        MITOS_TRY(std::unique_ptr<learned::ValueNetwork> own, copyOf(network));
        MITOS_TRY(const std::unique_ptr<LearnedValue> value, LearnedValue::make(model, std::move(own), here));
        MergedExperience merged;
        const std::vector<std::uint32_t> numbers = merged.add(experience);
        std::vector<std::uint32_t> examples;
        for (const std::uint32_t state : chosenStates(experience, *value, settings, random)) {
            if (stop.stop_requested()) break;
            MITOS_TRY(const Experience label,
                      searched(problemAt(problem, experience, experience.roots[state], settings.labelEvaluations),
                               model, network, settings.labelGuide, settings.depth, stop));
            merged.add(label);
            examples.push_back(numbers[state]);
        }
        experience = merged.take();
        experience.examples = std::move(examples);
        addWays(experience, model, settings);
    }
    if (!model.hints.empty()) {
        const SearchProblem here = problemAt(problem, experience, experience.program.root, 1);
        MITOS_TRY(ValueHints hints, ValueHints::make(model, here));
        addHints(experience, hints);
    }
    return experience;
}

void addHints(Experience& experience, ValueHints& hints) {
    experience.hints.resize(experience.size());
    for (const std::uint32_t state : examplesOf(experience))
        experience.hints[state] = hints.of({&experience.roots[state], 1});
}

Result<double> fit(const ValueModel& model, learned::ValueNetwork& network, learned::Adam& optimizer,
                   std::span<const Experience> experiences, const LearningSettings& settings, std::uint64_t seed,
                   const std::stop_token& stop) {
    Random random(seed);
    const std::uint32_t times = model.shape.times;
    const ir::NodeVocabulary vocabulary(model.vocabulary);
    struct Batch {
        std::size_t experience;
        std::vector<std::uint32_t> states;
    };
    std::vector<std::vector<double>> targets;
    std::vector<std::vector<std::uint32_t>> states;
    for (const Experience& one : experiences) {
        std::vector<double> costs;
        for (const double cost : one.costs) costs.push_back(scaledCost(model, cost));
        targets.push_back(reductionsWithin(costs, one.edges, times, settings.discount));
        states.push_back(examplesOf(one));
        shuffle(states.back(), random);
        if (settings.samples > 0 && states.back().size() > settings.samples) states.back().resize(settings.samples);
    }
    std::vector<float> parameters(network.parameterCount());
    std::vector<float> gradient(parameters.size());
    network.getParameters(parameters);
    double meanLoss = 0.0;
    for (std::uint32_t pass = 0; pass < settings.passes; ++pass) {
        std::vector<Batch> batches;
        for (std::size_t e = 0; e < experiences.size(); ++e) {
            shuffle(states[e], random);
            for (std::size_t from = 0; from < states[e].size(); from += settings.batch) {
                const std::size_t end = std::min<std::size_t>(states[e].size(), from + settings.batch);
                batches.push_back({e,
                                   {states[e].begin() + static_cast<std::ptrdiff_t>(from),
                                    states[e].begin() + static_cast<std::ptrdiff_t>(end)}});
            }
        }
        shuffle(batches, random);
        double sum = 0.0;
        std::size_t count = 0;
        for (const Batch& batch : batches) {
            if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
            const Experience& one = experiences[batch.experience];
            const ir::Sharing sharing = one.bank->function(one.program.function).sharing;
            Examples examples;
            for (const std::uint32_t state : batch.states) {
                Result<ir::ProgramGraph> graph = ir::programGraph(*one.bank, one.roots[state], sharing, vocabulary);
                if (!graph) continue;
                examples.graphs.push_back(*std::move(graph));
                if (model.shape.hints > 0) std::ranges::copy(one.hints[state], std::back_inserter(examples.hints));
                const auto row =
                    targets[batch.experience].begin() + static_cast<std::ptrdiff_t>(std::size_t{state} * times);
                examples.targets.insert(examples.targets.end(), row, row + times);
            }
            if (examples.graphs.empty()) continue;
            const auto derive = [&](std::span<float> outputs) {
                sum += replaceByDerivatives(outputs, examples, times, settings.timeWeight);
            };
            MITOS_REQUIRE(
                network.backward({*one.bank, examples.graphs, examples.hints}, random.next(), derive, gradient));
            learned::clipTo(settings.longestGradient, gradient);
            optimizer.step(parameters, gradient, settings.learningRate);
            if (settings.averaging > 0.0) optimizer.averageOver(parameters, settings.averaging);
            network.setParameters(parameters);
            count += examples.graphs.size();
        }
        meanLoss = count > 0 ? sum / static_cast<double>(count) : 0.0;
    }
    return meanLoss;
}

}  // namespace mitos::search
