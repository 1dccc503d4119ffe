// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/policy_trainer.h"

#include "core/base/hash.h"
#include "core/schedule/generators.h"
#include "search/placement/internal/strategy_parts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace mitos::search::placement {

using namespace internal;

namespace {

using learned::TrainingState;
using nlohmann::json;
using schedule::Problem;

/// Parameters that are not those of the genetic algorithm.
std::vector<ParameterInfo> learningParameters() {
    constexpr double Many = 10'000.0;
    const learned::TrainingSettings usual;
    const learned::NetworkShape shape;
    return {
        {.name = "network",
         .title = "Network",
         .help = "graph: messages along the edges (REGAL paper); sequence: a recurrent network along a topological "
                 "order, the paper's baseline",
         .defaultValue = std::string(toString(shape.kind)),
         .choices = {toString(learned::NetworkKind::Graph), toString(learned::NetworkKind::Sequence)}},
        {.name = "hidden",
         .title = "Hidden units",
         .help = "the width of the network's layers",
         .defaultValue = std::int64_t{shape.hidden},
         .minimum = 1,
         .maximum = learned::LargestHidden},
        {.name = "rounds",
         .title = "Rounds of messages",
         .help = "of network=graph: how far an operation sees in it (T of the REGAL paper); 0: only itself",
         .defaultValue = std::int64_t{shape.rounds},
         .minimum = 0,
         .maximum = learned::MostRounds},
        {.name = "layers",
         .title = "Recurrent layers",
         .help = "of network=sequence",
         .defaultValue = std::int64_t{1},
         .minimum = 0,
         .maximum = learned::MostRounds},
        {.name = "features",
         .title = "Features",
         .help = "all; methods: also what simple methods do with an operation; no-levels: without the longest "
                 "paths before and behind an operation; nothing: the same choices for all operations, as a control",
         .defaultValue = std::string("methods"),
         .choices = {"all", "methods", "no-levels", "nothing"}},
        {.name = "variants",
         .title = "Variants of a graph",
         .help = "copies of each graph to train on, with other durations and sizes but for the first; graphs that "
                 "validate have none",
         .defaultValue = std::int64_t{1},
         .minimum = 1,
         .maximum = Many},
        {.name = "noise",
         .title = "Noise of variants",
         .help = "the standard deviation of the logarithms of the factors",
         .defaultValue = 0.2,
         .minimum = 0.0,
         .maximum = 3.0},
        {.name = "graphs_per_step",
         .title = "Graphs of a step",
         .help = "drawn at random",
         .defaultValue = std::int64_t{usual.graphsPerStep},
         .minimum = 1,
         .maximum = Many},
        {.name = "samples",
         .title = "Samples of a graph",
         .help = "sets of choices that are compared with each other",
         .defaultValue = std::int64_t{usual.samplesPerGraph},
         .minimum = 2,
         .maximum = Many},
        {.name = "learning_rate",
         .title = "Learning rate",
         .help = "of Adam",
         .defaultValue = usual.learningRate,
         .minimum = 1e-9,
         .maximum = 10.0},
        {.name = "entropy",
         .title = "Entropy bonus",
         .help = "keeps the choices from becoming certain too early",
         .defaultValue = usual.entropy,
         .minimum = 0.0,
         .maximum = 1e3},
        {.name = "imitation_steps",
         .title = "Steps of imitation",
         .help = "first steps, which learn from schedules of long searches instead of trials; 0: none, as in the REGAL "
                 "paper",
         .defaultValue = std::int64_t{1'000},
         .minimum = 0,
         .maximum = 1e9},
        {.name = "imitation_rate",
         .title = "Rate of imitation",
         .help = "learning rate of these steps",
         .defaultValue = usual.imitationRate,
         .minimum = 1e-9,
         .maximum = 10.0},
        {.name = "imitation_entropy",
         .title = "Entropy of imitation",
         .help = "entropy bonus of these steps",
         .defaultValue = usual.imitationEntropy,
         .minimum = 0.0,
         .maximum = 1e3},
        {.name = "example_searches",
         .title = "Examples of a graph",
         .help = "searches whose schedules are imitated",
         .defaultValue = std::int64_t{Examples{}.searches},
         .minimum = 1,
         .maximum = 1e3},
        {.name = "example_evaluations",
         .title = "Evaluations of an example",
         .help = "of each of these searches",
         .defaultValue = static_cast<std::int64_t>(Examples{}.evaluations),
         .minimum = 1,
         .maximum = 1e9},
        {.name = "validate_every",
         .title = "Validate every",
         .help = "steps between two points of the curve",
         .defaultValue = std::int64_t{usual.validateEvery},
         .minimum = 1,
         .maximum = 1e9}};
}

std::uint32_t small(const ParameterValues& values, const char* name) {
    return static_cast<std::uint32_t>(whole(values, name));
}

std::string machineText(const Problem& problem) {
    const auto& machine = problem.machine();
    return fmt::format("{} device{}, {} transfers", machine.devices.size(), machine.devices.size() == 1 ? "" : "s",
                       schedule::nameOf(machine.transfers));
}

/// Adds variants of the graphs that are trained on (REGAL paper, section 5.1): graph i of so many is followed by its variants.
Status addVariants(PolicyTraining& training) {
    const std::uint32_t variants = small(training.parameters, "variants");
    if (variants == 1 || training.trainingCount > training.problems.size()) return Success{};
    constexpr std::uint64_t VariantSeed = 0x76617269616E7473ULL;
    std::vector<Problem> problems;
    for (std::size_t i = 0; i < training.problems.size(); ++i) {
        const Problem& problem = training.problems[i];
        problems.push_back(problem);
        for (std::uint32_t k = 1; i < training.trainingCount && k < variants; ++k) {
            const std::uint64_t seed = combineHash(combineHash(VariantSeed ^ training.seed, i), k);
            MITOS_TRY(Problem variant,
                      Problem::make(schedule::withNoise(problem.graph(), number(training.parameters, "noise"), seed),
                                    problem.machine(), problem.options()));
            problems.push_back(std::move(variant));
        }
    }
    training.problems = std::move(problems);
    training.trainingCount *= variants;
    return Success{};
}

/// A number for the graphs of all problems, and for what is released.
std::string digestOfAll(std::span<const Problem> problems) {
    std::uint64_t hash = 1;
    for (const Problem& problem : problems) {
        hash = combineHash(hash, tasks::contentHash(problem.graph()));
        hash = combineHash(hash, problem.options().retainOutputs ? 1 : 0);
    }
    return fmt::format("{:016x}", hash);
}

/// The training that a state belongs to, beside the settings that it has itself.
json subjectOf(const PolicyTraining& training, const PolicyModel& model) {
    json subject = json::parse(descriptionOf(model), nullptr, false);
    // The digest of the graphs says all about their variants.
    for (const char* const field :
         {"curve", "command", "graphs", "machine", "node_features", "edge_features", "variants", "noise"})
        subject.erase(field);
    for (const char* const name : {"example_searches", "example_evaluations"})
        subject[name] = parameterText(training.parameters.at(name));
    subject["training graphs"] = training.trainingCount;
    subject["digest of the graphs"] = digestOfAll(training.problems);
    for (const ParameterInfo& info : geneticParameters())
        subject[info.name] = parameterText(training.parameters.at(info.name));
    return subject;
}

learned::TrainingSettings settingsOf(const PolicyTraining& training) {
    const ParameterValues& values = training.parameters;
    return {.seed = training.seed,
            .graphsPerStep = small(values, "graphs_per_step"),
            .samplesPerGraph = small(values, "samples"),
            .learningRate = number(values, "learning_rate"),
            .entropy = number(values, "entropy"),
            .validateEvery = small(values, "validate_every"),
            .imitationSteps = small(values, "imitation_steps"),
            .imitationRate = number(values, "imitation_rate"),
            .imitationEntropy = number(values, "imitation_entropy")};
}

Result<TrainingState> stateFor(const PolicyTraining& training, const json& subject,
                               const learned::GraphNetwork& network) {
    const learned::TrainingSettings settings = settingsOf(training);
    if (!training.resumes) return learned::startTraining(settings, network);
    const std::string path = learned::trainingPath(training.path);
    MITOS_TRY(const learned::ModelFile file, learned::loadTraining(training.path));
    MITOS_TRY(TrainingState state, learned::stateIn(file, path));
    MITOS_REQUIRE(learned::requireSameTraining(path, json::parse(file.description, nullptr, false), subject));
    if (state.settings != settings) return learned::otherTraining(path, "its settings of steps are different");
    if (state.parameters.size() != network.parameterCount() ||
        (!state.references.empty() && state.references.size() != training.problems.size())) {
        return Error{ErrorCode::Incompatible,
                     fmt::format("{} has the state of another network or of other graphs", path), std::nullopt,
                     "leave out --resume to begin anew"};
    }
    return state;
}

}  // namespace

std::vector<ParameterInfo> policyTrainingParameters() {
    std::vector<ParameterInfo> all = learningParameters();
    for (ParameterInfo& info : geneticParameters()) {
        // A state of one search makes no sense for thousands of them.
        if (info.name != "checkpoint") all.push_back(std::move(info));
    }
    return all;
}

std::vector<schedule::TaskGraph> policyGraphs(std::uint32_t count, std::uint64_t firstSeed) {
    constexpr std::array Families{schedule::GraphFamily::ErdosRenyi, schedule::GraphFamily::BarabasiAlbert,
                                  schedule::GraphFamily::WattsStrogatz, schedule::GraphFamily::StochasticBlocks};
    std::vector<schedule::TaskGraph> graphs;
    for (std::uint32_t i = 0; i < count; ++i)
        graphs.push_back(schedule::syntheticGraph({.family = Families[i % Families.size()]}, firstSeed + i));
    return graphs;
}

Result<PolicyModel> trainPolicy(const PolicyTraining& given) {
    if (given.problems.empty()) return inputError("there are no graphs to learn from", "give at least two");
    PolicyTraining training = given;
    training.parameters.insert_or_assign("checkpoint", std::string());
    MITOS_REQUIRE(addVariants(training));
    const ParameterValues& values = training.parameters;
    PolicyModel model{.objective = training.objective,
                      .decode = decodeIn(values, training.objective),
                      .devices = training.problems.front().deviceCount(),
                      .machine = machineText(training.problems.front()),
                      .features = *policyViewFrom(std::get<std::string>(values.at("features"))),
                      .seed = training.seed,
                      .evaluations = training.evaluations,
                      .generations = small(values, "generations"),
                      .variants = small(values, "variants"),
                      .noise = small(values, "variants") > 1 ? number(values, "noise") : 0.0,
                      .graphs = training.graphs,
                      .command = training.command};
    const learned::NetworkKind kind = *learned::networkKindFrom(std::get<std::string>(values.at("network")));
    const char* const depth = kind == learned::NetworkKind::Sequence ? "layers" : "rounds";
    model.shape = policyShape(model, small(values, "hidden"), small(values, depth), kind);
    MITOS_TRY(const learned::LearnedLibrary library, learned::LearnedLibrary::load(training.library));
    MITOS_TRY(const auto network, library.makeNetwork(model.shape));
    network->initialize(training.seed);
    const json subject = subjectOf(training, model);
    MITOS_TRY(TrainingState state, stateFor(training, subject, *network));
    MITOS_TRY(
        const auto task,
        PolicyTask::make(
            training.problems, training.trainingCount, model,
            {.objective = training.objective, .evaluations = training.evaluations, .parameters = training.parameters},
            training.jobs,
            {.searches = small(values, "example_searches"),
             .evaluations = static_cast<std::uint64_t>(whole(values, "example_evaluations"))}));
    const auto saveBest = [&]() -> Status {
        model.curve = state.curve;
        model.parameters = state.best;
        return learned::saveModel(training.path, toFile(model));
    };
    const auto saveState = [&] {
        return learned::saveModel(learned::trainingPath(training.path), learned::toFile(state, subject.dump()));
    };
    const auto report = [&](const TrainingState& now) -> Status {
        MITOS_REQUIRE(saveState());
        MITOS_REQUIRE(saveBest());
        if (training.observer) training.observer(now);
        return Success{};
    };
    MITOS_REQUIRE(learned::train(state, model.choices(), *network, *task,
                                 {.steps = training.steps, .seconds = training.seconds, .stop = training.stop},
                                 report));
    if (state.curve.empty())
        return Error{ErrorCode::Cancelled, "stopped before the first validation", std::nullopt, ""};
    // After a stop there are steps since the last validation.
    MITOS_REQUIRE(saveState());
    MITOS_REQUIRE(saveBest());
    return model;
}

}  // namespace mitos::search::placement
