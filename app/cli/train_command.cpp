// SPDX-License-Identifier: GPL-3.0-or-later
// `train`, and `train policy`: trains what searches of schedules can learn, from task graphs and models.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/learning_output.h"
#include "app/cli/search_options.h"
#include "app/cli/session_log.h"
#include "core/dialects/dialects.h"
#include "core/tasks/files/task_text.h"
#include "search/judged_run.h"
#include "search/learned/model_fields.h"
#include "search/placement/policy_trainer.h"
#include "search/placement/training_run.h"
#include "storage/workspace/training_graphs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace mitos::cli {

namespace {

using search::placement::TrainingGraphs;

struct TrainOptions {
    std::vector<std::string> files;
    std::string output;
    std::string session;
    std::string objective = "memory";
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

/// A graph as a program, which the run of a training belongs to in a session.
Result<OpenProgram> programOf(const schedule::TaskGraph& graph, const std::string& name, CommonOptions& options) {
    options.program = storage::typedProgram(SourceText(name, tasks::printGraph(graph, "graph").text));
    MITOS_TRY(OpenProgram open, openProgram(options, dialects::makeRegistry()));
    options.cost = settledCost(open.dialect().defaultCost);
    options.rules = open.dialect().defaultRules;
    return open;
}

/// The other parameters of a training have options of their own.
Result<ParameterValues> valuesOf(const TrainOptions& options, const search::StrategyInfo& info) {
    search::StrategyInfo settable;
    settable.name = "train policy";
    settable.parameters = search::placement::policyTrainingParameters();
    MITOS_TRY(const ParameterValues asked, parametersOf(settable, options.set));
    MITOS_TRY(ParameterValues values, search::resolveParameters(info, asked));
    values.insert_or_assign("model", options.output);
    values.insert_or_assign("graphs", options.files.empty() ? std::string(search::placement::GeneratedGraphs)
                                                            : search::learned::pathsText(options.files));
    values.insert_or_assign("generated", std::int64_t{options.generated});
    values.insert_or_assign("objective", options.objective);
    values.insert_or_assign("devices", std::int64_t{options.devices});
    values.insert_or_assign("release_outputs", options.releasesOutputs);
    values.insert_or_assign("search_evaluations", static_cast<std::int64_t>(options.evaluations));
    values.insert_or_assign("steps", std::int64_t{options.steps});
    values.insert_or_assign("resume", options.resumes);
    return values;
}

Result<int> runTrainPolicy(const TrainOptions& options) {
    MITOS_REQUIRE(checkTrainingFiles(options.output, options.session, "GRAPHS", options.files));
    InterruptGuard interrupt;
    TrainingGraphs graphs;
    if (options.files.empty()) {
        graphs = {search::placement::policyGraphs(1, 1), {"generated graphs"}};
    } else {
        MITOS_TRY(graphs, storage::trainingGraphs(options.files, options.devices, interrupt.token()));
    }
    CommonOptions common;
    MITOS_TRY(OpenProgram open, programOf(graphs.graphs.front(), graphs.names.front(), common));
    MITOS_TRY(const auto model, openCostModel(common, open.bank->registry(), open.dialect().name));
    const auto strategy = search::placement::policyTrainingRun(
        [&](const auto&, std::size_t, const auto&) -> Result<TrainingGraphs> { return graphs; }, options.jobs);
    MITOS_TRY(ParameterValues values, valuesOf(options, strategy->info()));
    search::SearchTask task{.strategy = strategy,
                            .problem = {.bank = *open.bank,
                                        .program = open.program,
                                        .rules = {},
                                        .cost = model,
                                        .budget = {.seconds = options.seconds},
                                        .seed = options.seed,
                                        .parameters = std::move(values)}};
    task.run = search::requestedRun(strategy->info().name, task.problem, "");
    task.run.startedAt = utcNow();
    std::optional<SessionLog> log;
    if (!options.session.empty()) {
        MITOS_TRY(log, SessionLog::open(options.session, common, open, *model));
        task.run.rules = log->rules();
        task.record = log->recording();
    }
    CurvePrinter printer(!options.json && !options.quiet);
    const search::JudgedRun over = search::runJudged(task, interrupt.token(), printer);
    MITOS_TRY(const search::learned::ModelValue* const value, modelOf(over, options.output));
    const search::CurvePoint& best = *search::bestIn(value->curve());
    if (options.json) {
        const std::size_t all = options.files.empty() ? options.generated : graphs.graphs.size();
        print(trainingJson(*value, options.output,
                           {{"training_graphs", all - printer.subjects()}, {"validation_graphs", printer.subjects()}}));
    } else {
        constexpr double Percent = 100.0;
        fmt::print(
            "best at step {}: {:+.2f} % on {} graphs for validation, {} better and {} worse than uniform mutants\n",
            best.step, Percent * best.improvement, printer.subjects(), best.better, best.worse);
        fmt::print("{}: use it with --strategy brkga-learned --set model={}\n", options.output, options.output);
    }
    if (over.recordError) return *over.recordError;
    return Success;
}

}  // namespace

void addTrainCommand(CLI::App& app, const Choose& choose) {
    CLI::App* train = app.add_subcommand(
        "train", "train what searches can learn; Ctrl-C keeps the best so far, and --resume goes on");
    train->require_subcommand(1);
    addTrainRulesCommand(*train, choose);
    addTrainValueCommand(*train, choose);
    CLI::App* command =
        train->add_subcommand("policy",
                              "a graph network that chooses, for each operation of a task graph or model, where the "
                              "genetic algorithm looks for "
                              "schedules (REGAL paper); needs LibTorch. For --strategy brkga-learned of `schedule`");
    auto options = std::make_shared<TrainOptions>();
    command->add_option("GRAPHS", options->files,
                        "task graphs, tensor programs, folders of them, and sessions with schedules; each fourth graph "
                        "validates. None: generated graphs of REGAL's four families");
    command->add_option("-o,--output", options->output, "the model, a file that ends in .model")
        ->required()
        ->type_name("FILE");
    command
        ->add_option(
            "--objective", options->objective,
            "time or memory, as for `schedule`; with the usual keys for time there is next to nothing to learn")
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
    command->add_option("--session", options->session, "keep the run in that session file");
    command->add_flag("--json", options->json, "print the result and the curve as JSON");
    command->add_flag("--quiet", options->quiet, "print no curve");
    command->callback([options, choose] { choose([options] { return runTrainPolicy(*options); }); });
}

}  // namespace mitos::cli
