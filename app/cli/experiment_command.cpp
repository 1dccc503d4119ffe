// SPDX-License-Identifier: GPL-3.0-or-later
// experiment: a paper's tables and figures, run for real, beside the paper's numbers.
#include "app/cli/commands.h"
#include "app/cli/compare_output.h"
#include "app/cli/search_options.h"
#include "core/dialects/dialects.h"
#include "core/experiments/coarsening.h"
#include "core/experiments/coarsening_report.h"
#include "core/networks/networks.h"
#include "core/rules/rule_sets.h"
#include "core/tensor/dialect.h"
#include "search/experiments/experiment.h"
#include "search/experiments/summary.h"
#include "search/experiments/write_report.h"
#include "search/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

namespace mitos::cli {

namespace {

using search::experiments::ExperimentPlan;
using search::experiments::ExperimentResults;

struct ExperimentOptions : CommonOptions {
    std::string models;
    std::string only;
    std::string output;
    std::string paperDevice = "a100";
    std::string beside;
    std::string profile;
    std::uint32_t repetitions = ExperimentPlan{}.repetitions;
    std::uint32_t budget = ExperimentPlan{}.budget;
    std::uint64_t nodes = ExperimentPlan{}.nodes;
    double secondsPerRun = ExperimentPlan{}.secondsPerRun;
    unsigned jobs = 0;
    bool quiet = false;
    bool insist = false;
};

/// The networks as the papers build them. Their weights do not matter to the search.
Result<std::vector<search::ComparisonPlan::Subject>> subjectsOf(
    const ExperimentOptions& options, const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    std::vector<std::string> names = splitList(options.models);
    if (options.models.empty()) {
        for (const networks::Network& network : networks::allNetworks()) names.push_back(network.name);
    }
    if (names.empty())
        return inputError("--models names none", "separate their names by commas; see `mitos-cli model`");
    std::vector<search::ComparisonPlan::Subject> subjects;
    for (const std::string& name : names) {
        MITOS_TRY(const networks::Network* network, networks::findNetwork(name));
        if (std::ranges::find(subjects, network->name, &search::ComparisonPlan::Subject::name) != subjects.end()) {
            continue;
        }
        auto bank = std::make_shared<ir::TermBank>(registry);
        MITOS_TRY(const tensor::Model model, networks::build(*bank, *network, networks::Style::Paper));
        subjects.push_back({network->name, std::move(bank), model.program});
    }
    return subjects;
}

Result<std::set<search::experiments::Part>> partsOf(const ExperimentOptions& options) {
    std::set<search::experiments::Part> parts;
    for (const std::string& name : splitList(options.only)) {
        MITOS_TRY(const search::experiments::Part part, search::experiments::partNamed(name));
        parts.insert(part);
    }
    if (options.only.empty()) {
        for (const search::experiments::PartInfo& part : search::experiments::allParts()) parts.insert(part.part);
    }
    if (parts.empty()) return inputError("--only names no part", "separate them by commas, as in table1,figure5");
    return parts;
}

std::string progressText(const search::experiments::ExperimentProgress& progress) {
    const std::string count = fmt::format("{:>4} of {} runs  {}", progress.done, progress.wanted, progress.run);
    if (progress.ended == nullptr) return count + " …";
    const auto& run = *progress.ended;
    return fmt::format("{}: {:+.2f} % in {:.1f} s, {} e-nodes, {}", count, -run.gain(), run.seconds, run.nodes(),
                       run.stop);
}

/// Every run is a line of its own where standard error is a file.
search::experiments::OnProgress progressOf(const ExperimentOptions& options, const ProgressLine& line) {
    if (options.quiet) return {};
    return [&line](const search::experiments::ExperimentProgress& progress) {
        if (progress.ended != nullptr) {
            line.clear();
            fmt::print(stderr, "{}\n", progressText(progress));
        } else {
            line.show(progressText(progress));
        }
    };
}

std::vector<std::pair<std::string, std::string>> environmentOf(const ExperimentPlan& plan) {
    return {{"Mitos", MITOS_VERSION},
            {"Machine", machineText()},
            {"Searches at a time", fmt::format("{}", plan.jobs)},
            {"Rules", fmt::format("{} ({} directions)", plan.ruleSets, plan.rules.directions.size())},
            {"Cost model", plan.costName},
            {"E-nodes", fmt::format("at most {}", plan.nodes)},
            {"Search budget", fmt::format("{}", plan.budget)},
            {"Repetitions", fmt::format("{}", plan.repetitions)},
            {"Time limit of a run", fmt::format("{:g} s", plan.secondsPerRun)},
            {"Made", utcNow()}};
}

Result<int> runEGraphMcts(ExperimentOptions options) {
    MITOS_TRY(const rules::RuleBook book, openRules(options));
    MITOS_REQUIRE(rules::requireFor(book, tensor::dialect()));
    MITOS_TRY(const auto subjects, subjectsOf(options, book.registry()));
    MITOS_TRY(const auto parts, partsOf(options));
    if (!options.profile.empty()) options.cost = "measured:" + options.profile;
    MITOS_TRY(const auto model, openCostModel(options, *book.registry(), ir::Sharing::Graph));
    MITOS_TRY(const auto paperDevice, search::experiments::paperDeviceNamed(options.paperDevice));
    std::optional<search::experiments::OtherExperiment> beside;
    if (!options.beside.empty()) {
        MITOS_TRY(beside, search::experiments::readExperiment(options.beside));
    }
    const InterruptGuard interrupt;
    const ExperimentPlan plan{
        .programs = subjects,
        .rules = trustedRules(book, {.insists = options.insist}, interrupt.token()),
        .ruleSets = rules::withWholePaths(options.rules),
        .cost = model,
        .costName = options.cost,
        .parts = parts,
        .repetitions = options.repetitions,
        .budget = options.budget,
        .nodes = options.nodes,
        .secondsPerRun = options.secondsPerRun,
        .jobs = options.jobs > 0 ? options.jobs : search::defaultJobs(),
        .paperDevice = paperDevice,
        .beside = std::move(beside),
    };
    const ProgressLine line(!options.quiet && !options.json);
    MITOS_TRY(const ExperimentResults results,
              search::experiments::runExperiment(plan, options.output, interrupt.token(), progressOf(options, line)));
    line.clear();
    const search::experiments::Summary summary = search::experiments::summaryOf(plan, results);
    MITOS_REQUIRE(search::experiments::writeReport(plan, results, summary, environmentOf(plan), options.output));
    if (options.json) {
        print(Json::parse(search::experiments::summaryJson(plan, results, summary)));
    } else {
        fmt::print("{}", search::experiments::summaryText(plan, results, summary));
        fmt::print("report: {}/report.html\n", options.output);
    }
    return results.failures.empty() ? ExitStatus::Success : ExitStatus::CheckFailed;
}

void addEGraphMcts(CLI::App& experiments, const Choose& choose) {
    CLI::App* command = experiments.add_subcommand(
        "egraph-mcts",
        "saturation guided by Monte Carlo tree search, on thirteen networks: Tables 1 to 4, Figures 5 to 8, 10, 13 "
        "and 14");
    auto options = std::make_shared<ExperimentOptions>();
    options->rules = tensor::dialect().defaultRules;
    options->cost = "roofline";  // as in the paper, whose costs are those of single operators
    options->addJson(*command);
    options->addRules(*command);
    options->addCost(*command);
    command->add_option("--profile", options->profile, "a cost profile: short for --cost measured:PROFILE")
        ->excludes("--cost");
    command->add_option("--models", options->models, "networks, separated by commas (default: all thirteen)");
    std::vector<std::string> names;
    for (const auto& part : search::experiments::allParts()) names.emplace_back(part.name);
    command->add_option("--only", options->only,
                        fmt::format("parts, separated by commas (default: all): {}", fmt::join(names, ", ")));
    command->add_option("--repetitions", options->repetitions, "runs of every approach, with the seeds 1, 2, …")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--budget", options->budget, "iterations of the tree search before each application of a rule")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--nodes", options->nodes, "the most e-nodes of an e-graph")
        ->check(wholeNumber(1))
        ->capture_default_str();
    command->add_option("--seconds-per-run", options->secondsPerRun, "time limit of a run, extraction included")
        ->check(positiveNumber())
        ->capture_default_str();
    command->add_option("--jobs", options->jobs, "runs at the same time (default: one a processor)")
        ->check(CLI::Range(1, 1024));
    command
        ->add_option("-o,--output", options->output,
                     "the folder of the experiment; one that holds runs with these settings is continued")
        ->required();
    command
        ->add_option("--paper-device", options->paperDevice,
                     "the paper's numbers to show beside: those for its a100 (thirteen networks), or its p100 (nine)")
        ->capture_default_str();
    command->add_option("--beside", options->beside,
                        "the folder of another such experiment, under the costs of another device, to compare with");
    addInsist(*command, options->insist);
    command->add_flag("--quiet", options->quiet, "no progress");
    command->callback([options, choose] { choose([options] { return runEGraphMcts(*options); }); });
}

struct CoarseningOptions : CommonOptions {
    std::string only;
    std::string output;
    std::string compiler = experiments::CoarseningPlan{}.compiler;
    double seconds = experiments::CoarseningPlan{}.secondsPerConfiguration;
    std::size_t sizeLimit = experiments::CoarseningPlan{}.sizeLimit;
    bool quiet = false;
};

Json timesJson(const std::vector<experiments::ToolTime>& times) {
    Json json = Json::array();
    for (const experiments::ToolTime& time : times) {
        json.push_back({{"tool", time.tool},
                        {"median_seconds", time.call.seconds.median},
                        {"lowest_seconds", time.call.seconds.least},
                        {"highest_seconds", time.call.seconds.most},
                        {"spread", time.spread()},
                        {"calls", time.calls()},
                        {"apart", time.apart}});
    }
    return json;
}

Json configurationJson(const experiments::ConfigurationTimes& times) {
    Json memory = Json::array();
    for (const experiments::ToolMemory& used : times.memory) {
        memory.push_back({{"tool", used.tool}, {"allocations", used.allocations}, {"bytes", used.bytes}});
    }
    Json json{{"name", times.name},
              {"gradient", timesJson(times.gradient)},
              {"iteration", timesJson(times.iteration)},
              {"memory", memory}};
    if (!times.differentiation.empty()) json["differentiation"] = timesJson(times.differentiation);
    return json;
}

Json coarseningJson(const experiments::CoarseningResults& results) {
    Json runs = Json::array();
    for (const experiments::CoarseningRun& run : results.runs) {
        Json configurations = Json::array();
        for (const auto& configuration : run.configurations) configurations.push_back(configurationJson(configuration));
        Json one{{"benchmark", run.benchmark->name}, {"configurations", configurations}};
        if (run.failure.empty()) {
            one["size"] = run.variants.size;
            one["segments"] = run.variants.segments;
            one["whole"] = run.variants.isWhole;
            one["steps"] = run.variants.steps;
            one["symbolic_seconds"] = run.variants.symbolicSeconds;
        } else {
            one["failure"] = run.failure;
        }
        runs.push_back(std::move(one));
    }
    return {{"compiler", results.compiler}, {"libraries", results.foundLibraries()}, {"runs", runs}};
}

/// Fails, before long work, if a folder can neither be made nor written to.
Status requireFolder(const CommonOptions& options, const std::string& folder) {
    std::filesystem::path existing = folder;
    std::error_code error;
    while (!existing.empty() && !std::filesystem::exists(existing, error)) existing = existing.parent_path();
    return requireOutputs(options, {{"-o", (existing / "report.md").string()}}, {});
}

Result<int> runCoarsening(const CoarseningOptions& options) {
    MITOS_REQUIRE(requireFolder(options, options.output));
    const InterruptGuard interrupt;
    const experiments::CoarseningPlan plan{.only = splitList(options.only),
                                           .secondsPerConfiguration = options.seconds,
                                           .sizeLimit = options.sizeLimit,
                                           .compiler = options.compiler,
                                           .stop = interrupt.token()};
    const ProgressLine line(!options.quiet && !options.json);
    MITOS_TRY(const experiments::CoarseningResults results,
              experiments::runCoarsening(plan, [&](const std::string& step) { line.show(step); }));
    line.clear();
    MITOS_REQUIRE(experiments::writeCoarseningReport(results, machineText(), options.output));
    if (options.json) {
        print(coarseningJson(results));
    } else {
        fmt::print("{}report: {}/report.md\n", experiments::coarseningTable(results), options.output);
    }
    return experiments::allGradientsAgree(results) ? ExitStatus::Success : ExitStatus::CheckFailed;
}

void addCoarsening(CLI::App& experiments, const Choose& choose) {
    CLI::App* command = experiments.add_subcommand(
        "coarsening",
        "gradients of seven programs and the algorithms around them, with and without coarsening, beside dual "
        "numbers and the libraries of automatic differentiation that are installed: Table 3 and the smaller tables");
    auto options = std::make_shared<CoarseningOptions>();
    options->addJson(*command);
    std::vector<std::string> names;
    for (const auto& benchmark : mitos::experiments::coarseningBenchmarks()) names.emplace_back(benchmark.name);
    command->add_option("--only", options->only,
                        fmt::format("benchmarks, separated by commas (default: all): {}", fmt::join(names, ", ")));
    command->add_option("--seconds", options->seconds, "time for measuring a configuration")
        ->check(positiveNumber())
        ->capture_default_str();
    command->add_option("--size-limit", options->sizeLimit, "the largest segment, in operators of its symbolic form")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--compiler", options->compiler, "C++ compiler, on the PATH")->capture_default_str();
    command->add_option("-o,--output", options->output, "the folder of the report")->required();
    command->add_flag("--quiet", options->quiet, "no progress");
    command->callback([options, choose] { choose([options] { return runCoarsening(*options); }); });
}

}  // namespace

void addExperimentCommand(CLI::App& app, const Choose& choose) {
    CLI::App* command = app.add_subcommand(
        "experiment",
        "repeat a paper's evaluation, and write its tables and figures beside ours; Ctrl-C keeps the runs "
        "that have ended, and the same command goes on");
    command->require_subcommand(1);
    addEGraphMcts(*command, choose);
    addCoarsening(*command, choose);
}

}  // namespace mitos::cli
