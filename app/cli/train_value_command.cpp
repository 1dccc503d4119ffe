// SPDX-License-Identifier: GPL-3.0-or-later
// `train value`: a value function for searches of programs.
#include "app/cli/commands.h"
#include "app/cli/context.h"
#include "app/cli/learning_output.h"
#include "app/cli/search_options.h"
#include "app/cli/session_log.h"
#include "search/judged_run.h"
#include "search/rewriting/value_training_run.h"
#include "storage/workspace/training_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mitos::cli {

namespace {

struct TrainValueOptions : CommonOptions {
    std::vector<std::string> programs;
    std::vector<std::string> validate;
    std::string output;
    std::string session;
    std::optional<double> seconds;
    std::uint32_t epochs = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> set;
    unsigned jobs = 0;
    bool insists = false;
    bool resumes = false;
    bool quiet = false;
};

/// The other parameters of a training have options of their own.
Result<ParameterValues> valuesOf(const TrainValueOptions& options, const search::StrategyInfo& info) {
    search::StrategyInfo settable;
    settable.name = "train value";
    settable.parameters = search::valueTrainingParameters();
    MITOS_TRY(const ParameterValues asked, parametersOf(settable, options.set));
    MITOS_TRY(ParameterValues values, search::resolveParameters(info, asked));
    values.insert_or_assign("model", options.output);
    values.insert_or_assign("programs", search::learned::pathsText(options.programs));
    values.insert_or_assign("validate", search::learned::pathsText(options.validate));
    values.insert_or_assign("epochs", std::int64_t{options.epochs});
    values.insert_or_assign("resume", options.resumes);
    return values;
}

void printResult(const TrainValueOptions& options, const search::CurvePoint& best, std::size_t validating,
                 const search::TrainingPrograms& found) {
    constexpr double Percent = 100.0;
    if (!found.threads.empty() || found.leftOut > 0)
        fmt::print("{} stored threads; {} more do not replay with these rules\n", found.threads.size(), found.leftOut);
    fmt::print(
        "best at epoch {}: {:+.2f} % on {} programs for validation, {} better and {} worse than A* without "
        "learning\n",
        best.step, Percent * best.improvement, validating, best.better, best.worse);
    fmt::print("{}: use it with --strategy astar, greedy, beam or mcts and --set value=learned:{}\n", options.output,
               options.output);
}

Result<int> runTrainValue(TrainValueOptions options) {
    std::vector<std::string> inputs = options.programs;
    inputs.insert(inputs.end(), options.validate.begin(), options.validate.end());
    MITOS_REQUIRE(checkTrainingFiles(options.output, options.session, "PROGRAMS", inputs));
    InterruptGuard interrupt;
    MITOS_TRY(options.program, storage::firstTrainingProgram(options.programs));
    options.file = options.program.path;
    options.settleDialect();
    MITOS_TRY(const rules::RuleBook book, openRules(options));
    MITOS_TRY(OpenProgram open, openProgram(options, book));
    MITOS_REQUIRE(requireRules(book, open.dialect()));
    MITOS_TRY(const auto model, openCostModel(options, open.bank->registry(), open.dialect().name));
    const eval::TrustedRules trusted = trustedRules(book, {.insists = options.insists}, interrupt.token());
    // Read now, so that what is wrong with files is said before the session is written.
    MITOS_TRY(const search::TrainingPrograms found,
              storage::trainingPrograms(options.programs, book, interrupt.token()));
    const auto strategy = search::valueTrainingRun(
        [&](const std::vector<std::string>& paths, const std::stop_token& stop) {
            return paths == options.programs ? Result(found) : storage::trainingPrograms(paths, book, stop);
        },
        options.rules, options.jobs);
    MITOS_TRY(ParameterValues values, valuesOf(options, strategy->info()));
    search::SearchTask task{.strategy = strategy,
                            .problem = {.bank = *open.bank,
                                        .program = open.program,
                                        .rules = trusted.directions,
                                        .cost = model,
                                        .budget = {.seconds = options.seconds},
                                        .seed = options.seed,
                                        .parameters = std::move(values)}};
    task.run = search::requestedRun(strategy->info().name, task.problem, options.rules);
    task.run.startedAt = utcNow();
    std::optional<SessionLog> log;
    if (!options.session.empty()) {
        MITOS_TRY(log, SessionLog::open(options.session, options, open, *model));
        task.run.rules = log->rules();
        task.record = log->recording();
    }
    CurvePrinter printer(!options.json && !options.quiet);
    const search::JudgedRun over = search::runJudged(task, interrupt.token(), printer);
    MITOS_TRY(const search::learned::ModelValue* const value, modelOf(over, options.output));
    if (options.json) {
        const bool splits = options.validate.empty() && found.programs.size() > 1;
        print(trainingJson(*value, options.output,
                           {{"training_programs", found.programs.size() - (splits ? printer.subjects() : 0)},
                            {"validation_programs", printer.subjects()},
                            {"threads", found.threads.size()},
                            {"threads_left_out", found.leftOut}}));
    } else {
        printResult(options, *search::bestIn(value->curve()), printer.subjects(), found);
    }
    if (over.recordError) return *over.recordError;
    return Success;
}

}  // namespace

void addTrainValueCommand(CLI::App& train, const Choose& choose) {
    CLI::App* command =
        train.add_subcommand("value",
                             "a network that estimates how much the cost of a program can be reduced (Knossos paper). "
                             "For value=learned of the strategies astar, greedy, beam and mcts");
    auto options = std::make_shared<TrainValueOptions>();
    command
        ->add_option("PROGRAMS", options->programs,
                     "programs, folders of them, and sessions, whose threads are learned from first")
        ->required();
    command->add_option("-o,--output", options->output, "the model, a file that ends in .model")
        ->required()
        ->type_name("FILE");
    options->addRules(*command);
    options->addCost(*command);
    command
        ->add_option("--validate", options->validate,
                     "programs and folders that validate (default: each fourth of PROGRAMS, or the only one)")
        ->type_name("FILE");
    command->add_option("--epochs", options->epochs, "epochs in all, also of those before --resume")
        ->check(CLI::Range(1, 1'000'000'000));
    command->add_option("--seconds", options->seconds, "time to train (default: 600, if there is no other limit)")
        ->check(positiveNumber());
    command->add_option("--seed", options->seed, "of everything random; the same seed gives the same model")
        ->check(wholeNumber())
        ->capture_default_str();
    std::vector<std::string> names;
    for (const ParameterInfo& parameter : search::valueTrainingParameters()) {
        names.push_back(fmt::format("  {}={} ({}; {})", parameter.name, parameterText(parameter.defaultValue),
                                    parameter.help, rangeText(parameter)));
    }
    command->add_option("--set", options->set, fmt::format("name=value, may be repeated:\n{}", fmt::join(names, "\n")));
    command
        ->add_option("--jobs", options->jobs,
                     "searches at a time (default: one a processor); the model is the same for any number")
        ->check(CLI::Range(1, 1024));
    addInsist(*command, options->insists);
    command->add_flag("--resume", options->resumes, "go on with the training whose state stands beside the model");
    command->add_option("--session", options->session, "keep the run in that session file");
    command->add_flag("--json", options->json, "print the result and the curve as JSON");
    command->add_flag("--quiet", options->quiet, "print no curve");
    command->callback([options, choose] { choose([options] { return runTrainValue(*options); }); });
}

}  // namespace mitos::cli
