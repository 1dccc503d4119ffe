// SPDX-License-Identifier: GPL-3.0-or-later
// `train`: trains what searches can learn, from task graphs and models.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/search_options.h"
#include "core/dialects/dialects.h"
#include "search/parallel.h"
#include "search/placement/policy_trainer.h"
#include "search/placement/schedule_searches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace mitos::cli {

namespace {

using search::placement::Objective;
using search::placement::PolicyTraining;

struct TrainOptions {
    std::vector<std::string> files;
    std::string output;
    std::string objective = "time";
    std::uint32_t devices = 2;
    bool releasesOutputs = false;
    std::uint32_t generated = 160;
    std::uint64_t evaluations = 1'000;
    std::optional<double> seconds;
    std::uint32_t steps = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> set;
    unsigned jobs = 0;
    bool resumes = false;
    bool json = false;
    bool quiet = false;
};

/// One graph in so many is for validation.
constexpr std::uint32_t ValidationShare = 4;

Result<schedule::TaskGraph> graphIn(const std::string& file, std::size_t devices) {
    CommonOptions one;
    one.file = file;
    MITOS_REQUIRE(one.settle());
    MITOS_TRY(const OpenProgram open, openProgram(one, dialects::makeRegistry()));
    if (!open.dialect().can(ir::Capability::Schedule)) {
        return inputError(fmt::format("{}: {} programs are not scheduled", file, open.dialect().name),
                          "give tensor programs, models, or task graphs (.tasks, .stg, .pbtxt, .json)");
    }
    one.cost = settledCost(open.dialect().defaultCost);
    MITOS_TRY(const auto model, openCostModel(one, open.bank->registry(), open.dialect().name));
    MITOS_TRY(schedule::ProgramGraph graph,
              search::placement::graphUnder(*model, model->info(), *open.bank, open.program, devices));
    return std::move(graph.graph);
}

/// The graphs to train on, then those to validate with, and what they are in words.
Status addGraphs(const TrainOptions& options, PolicyTraining& training) {
    std::vector<schedule::TaskGraph> graphs;
    if (options.files.empty()) {
        graphs = search::placement::policyGraphs(options.generated, 1);
        training.graphs = {fmt::format("{} generated graphs of REGAL's four families, seeds 1 to {}", options.generated,
                                       options.generated)};
        training.trainingCount = options.generated - options.generated / ValidationShare;
    } else {
        std::vector<schedule::TaskGraph> others;
        std::vector<std::string> names;
        for (std::size_t i = 0; i < options.files.size(); ++i) {
            MITOS_TRY(schedule::TaskGraph graph, graphIn(options.files[i], options.devices));
            const bool isLastOfFew = options.files.size() < ValidationShare && i + 1 == options.files.size();
            const bool validates = i % ValidationShare == ValidationShare - 1 || isLastOfFew;
            (validates ? others : graphs).push_back(std::move(graph));
            (validates ? names : training.graphs).push_back(options.files[i]);
        }
        training.trainingCount = graphs.size();
        std::ranges::move(others, std::back_inserter(graphs));
        for (const std::string& name : names) training.graphs.push_back(name + " (validation)");
    }
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        auto problem = schedule::Problem::make(std::move(graphs[i]), schedule::equalDevices(options.devices),
                                               {.retainOutputs = !options.releasesOutputs});
        if (!problem) return std::move(problem).error();
        training.problems.push_back(*std::move(problem));
    }
    return mitos::Success{};
}

Json pointJson(const search::learned::CurvePoint& point) {
    return {{"step", point.step},      {"seconds", point.seconds}, {"improvement", point.improvement},
            {"better", point.better},  {"worse", point.worse},     {"reward", point.reward},
            {"entropy", point.entropy}};
}

void printPoint(const search::learned::CurvePoint& point, std::size_t graphs) {
    constexpr double Percent = 100.0;
    fmt::print("{:>7} {:>9.1f} {:>+11.2f} % {:>6} / {:<6} {:>9.4f} {:>8.3f}\n", point.step, point.seconds,
               Percent * point.improvement, point.better, graphs, point.reward, point.entropy);
    std::fflush(stdout);
}

/// The command with all that the model depends on, so that it can be trained again.
std::string commandText(const TrainOptions& options) {
    std::string text = fmt::format("mitos-cli train policy --objective {} --devices {} --evaluations {} --seed {}",
                                   options.objective, options.devices, options.evaluations, options.seed);
    if (options.files.empty()) text += fmt::format(" --generated {}", options.generated);
    if (options.releasesOutputs) text += " --release-outputs";
    for (const std::string& setting : options.set) text += " --set " + setting;
    if (options.steps != 0) text += fmt::format(" --steps {}", options.steps);
    if (options.seconds) text += fmt::format(" --seconds {:g}", *options.seconds);
    for (const std::string& file : options.files) text += " " + file;
    return text;
}

Status checkFiles(const TrainOptions& options) {
    if (!options.output.ends_with(search::placement::PolicyEnding)) {
        return inputError(
            fmt::format("-o {}: names of models end in {}", options.output, search::placement::PolicyEnding),
            "strategies recognize them by it");
    }
    CommonOptions none;
    std::vector<NamedFile> inputs;
    for (const std::string& file : options.files) inputs.push_back({"GRAPHS", file});
    return requireOutputs(
        none, {{"-o", options.output}, {"the state of the training", search::placement::trainingPath(options.output)}},
        inputs);
}

Result<int> runTrainPolicy(const TrainOptions& options) {
    MITOS_REQUIRE(checkFiles(options));
    InterruptGuard interrupt;
    PolicyTraining training{.objective = options.objective == "memory" ? Objective::Memory : Objective::Runtime,
                            .command = commandText(options),
                            .seed = options.seed,
                            .evaluations = options.evaluations,
                            .path = options.output,
                            .resumes = options.resumes,
                            .steps = options.steps,
                            .seconds = options.seconds,
                            .jobs = options.jobs > 0 ? options.jobs : search::defaultJobs(),
                            .stop = interrupt.token()};
    search::StrategyInfo info;
    info.name = "train policy";
    info.parameters = search::placement::policyTrainingParameters();
    MITOS_TRY(training.parameters, parametersOf(info, options.set));
    if (options.steps == 0 && !options.seconds) {
        constexpr double TenMinutes = 600.0;
        training.seconds = TenMinutes;
    }
    MITOS_REQUIRE(addGraphs(options, training));
    const std::size_t validating =
        training.problems.size() - std::min(training.problems.size(), training.trainingCount);
    bool hasHead = false;
    training.observer = [&](const search::learned::TrainingState& state) {
        if (options.json || options.quiet) return;
        if (!hasHead)
            fmt::print("{:>7} {:>9} {:>13} {:>15} {:>9} {:>8}\n", "step", "seconds", "improvement", "better", "reward",
                       "entropy");
        hasHead = true;
        printPoint(state.curve.back(), validating);
    };
    MITOS_TRY(const search::placement::PolicyModel model, search::placement::trainPolicy(training));
    const auto best = std::ranges::max_element(model.curve, {}, &search::learned::CurvePoint::improvement);
    if (best == model.curve.end())
        return Error{ErrorCode::Cancelled, "stopped before the first validation", std::nullopt, ""};
    if (options.json) {
        Json curve = Json::array();
        for (const auto& point : model.curve) curve.push_back(pointJson(point));
        print({{"model", options.output},
               {"training_graphs", training.trainingCount},
               {"validation_graphs", validating},
               {"parameters", model.parameters.size()},
               {"best", pointJson(*best)},
               {"curve", std::move(curve)}});
    } else {
        constexpr double Percent = 100.0;
        fmt::print(
            "best at step {}: {:+.2f} % on {} graphs for validation, {} better and {} worse than uniform mutants\n",
            best->step, Percent * best->improvement, validating, best->better, best->worse);
        fmt::print("{}: use it with --strategy brkga-learned --set model={}\n", options.output, options.output);
    }
    return Success;
}

}  // namespace

void addTrainCommand(CLI::App& app, const Choose& choose) {
    CLI::App* train = app.add_subcommand(
        "train", "train what searches can learn; Ctrl-C keeps the best so far, and --resume goes on");
    train->require_subcommand(1);
    CLI::App* command =
        train->add_subcommand("policy",
                              "a graph network that chooses, for each operation of a task graph or model, where the "
                              "genetic algorithm looks for "
                              "schedules (REGAL paper); needs LibTorch. For --strategy brkga-learned of `schedule`");
    auto options = std::make_shared<TrainOptions>();
    command->add_option("GRAPHS", options->files,
                        "task graphs and tensor programs; each fourth one validates. None: generated graphs of REGAL's "
                        "four families");
    command->add_option("-o,--output", options->output, "the model, a file that ends in .model")
        ->required()
        ->type_name("FILE");
    command->add_option("--objective", options->objective, "time or memory, as for `schedule`")
        ->check(CLI::IsMember({"time", "memory"}))
        ->capture_default_str();
    command->add_option("--devices", options->devices, "number of devices")
        ->check(CLI::Range(1U, schedule::MostDevices))
        ->capture_default_str();
    command->add_flag("--release-outputs", options->releasesOutputs, "as for `schedule`");
    command->add_option("--generated", options->generated, "number of graphs without GRAPHS; a quarter validates")
        ->check(CLI::Range(4, 100'000))
        ->capture_default_str();
    command->add_option("--evaluations", options->evaluations, "schedules that each search evaluates")
        ->check(wholeNumber(1))
        ->capture_default_str();
    command->add_option("--seconds", options->seconds, "time to train (default: 600, if --steps is not given)")
        ->check(positiveNumber());
    command->add_option("--steps", options->steps, "steps of training in all, also of those before --resume")
        ->check(CLI::Range(1, 1'000'000'000));
    command->add_option("--seed", options->seed, "of everything random; the same seed gives the same model")
        ->check(wholeNumber())
        ->capture_default_str();
    std::vector<std::string> names;
    for (const ParameterInfo& parameter : search::placement::policyTrainingParameters()) {
        names.push_back(fmt::format("  {}={} ({}; {})", parameter.name, parameterText(parameter.defaultValue),
                                    parameter.help, rangeText(parameter)));
    }
    command->add_option("--set", options->set, fmt::format("name=value, may be repeated:\n{}", fmt::join(names, "\n")));
    command
        ->add_option("--jobs", options->jobs,
                     "searches at a time (default: one a processor); the model is the same for any number")
        ->check(CLI::Range(1, 1024));
    command->add_flag("--resume", options->resumes, "go on with the training whose state stands beside the model");
    command->add_flag("--json", options->json, "print the result and the curve as JSON");
    command->add_flag("--quiet", options->quiet, "print no curve");
    command->callback([options, choose] { choose([options] { return runTrainPolicy(*options); }); });
}

}  // namespace mitos::cli
