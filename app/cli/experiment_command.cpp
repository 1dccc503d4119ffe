// SPDX-License-Identifier: GPL-3.0-or-later
// experiment: a paper's tables and figures, run for real, beside the paper's numbers.
#include "app/cli/commands.h"
#include "app/cli/compare_output.h"
#include "app/cli/experiment_options.h"
#include "core/cost/cost_model.h"
#include "core/dialects/dialects.h"
#include "core/networks/networks.h"
#include "core/rules/rule_sets.h"
#include "core/tensor/dialect.h"
#include "search/experiments/coarsening_experiment.h"
#include "search/experiments/coarsening_tables.h"
#include "search/experiments/egraph_mcts.h"
#include "search/experiments/knossos_experiment.h"
#include "search/experiments/regal_experiment.h"
#include "search/parallel.h"
#include "search/placement/schedule_searches.h"
#include "search/rewriting/value_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace mitos::cli {

namespace {

using search::experiments::CoarseningPlan;
using search::experiments::ExperimentPlan;
using search::experiments::KnossosPlan;
using search::experiments::RegalPlan;

struct EGraphMctsOptions : ExperimentOptions {
    std::string paperDevice = "a100";
    std::string beside;
    std::string profile;
    std::uint32_t repetitions = ExperimentPlan{}.repetitions;
    std::uint32_t budget = ExperimentPlan{}.budget;
    std::uint64_t nodes = ExperimentPlan{}.nodes;
    double secondsPerRun = ExperimentPlan{}.secondsPerRun;
    unsigned jobs = 0;
    bool insist = false;
};

/// The networks as the papers build them. Their weights do not matter to the search.
Result<std::vector<search::ComparisonPlan::Subject>> subjectsOf(
    const EGraphMctsOptions& options, const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    MITOS_TRY(const std::vector<const networks::Network*> chosen, networksOf(options));
    std::vector<search::ComparisonPlan::Subject> subjects;
    for (const networks::Network* network : chosen) {
        auto bank = std::make_shared<ir::TermBank>(registry);
        MITOS_TRY(const tensor::Model model, networks::build(*bank, *network, networks::Style::Paper));
        subjects.push_back({network->name, std::move(bank), model.program});
    }
    return subjects;
}

Result<std::set<search::experiments::Part>> partsOf(const EGraphMctsOptions& options) {
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

Result<int> runEGraphMcts(EGraphMctsOptions options) {
    MITOS_TRY(const rules::RuleBook book, openRules(options));
    MITOS_REQUIRE(rules::requireFor(book, tensor::dialect()));
    MITOS_TRY(const auto subjects, subjectsOf(options, book.registry()));
    MITOS_TRY(const auto parts, partsOf(options));
    if (!options.profile.empty()) options.cost = "measured:" + options.profile;
    MITOS_TRY(const auto model, openCostModel(options, *book.registry(), tensor::DialectName));
    MITOS_TRY(const auto paperDevice, search::experiments::paperDeviceNamed(options.paperDevice));
    std::optional<search::experiments::OtherExperiment> beside;
    if (!options.beside.empty()) {
        MITOS_TRY(beside, search::experiments::readExperiment(options.beside));
    }
    MITOS_TRY(const auto paper, search::experiments::paperNumbers());
    const InterruptGuard interrupt;
    ExperimentPlan plan{
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
        .paper = paper,
        .beside = std::move(beside),
    };
    MITOS_TRY(const auto experiment, search::experiments::EGraphMcts::open(std::move(plan)));
    return runExperiment(*experiment, options, interrupt.token());
}

void addEGraphMcts(CLI::App& experiments, const Choose& choose) {
    CLI::App* command = experiments.add_subcommand(
        "egraph-mcts",
        "saturation guided by Monte Carlo tree search, on thirteen networks: Tables 1 to 4, Figures 5 to 8, 10, 13 "
        "and 14");
    auto options = std::make_shared<EGraphMctsOptions>();
    options->rules = tensor::dialect().defaultRules;
    options->cost = "roofline";  // as in the paper, whose costs are those of single operators
    std::vector<std::string_view> parts;
    for (const auto& part : search::experiments::allParts()) parts.push_back(part.name);
    options->addShared(*command, "networks, separated by commas (default: all thirteen)", parts);
    options->addRules(*command);
    options->addCost(*command);
    command->add_option("--profile", options->profile, "a cost profile: short for --cost measured:PROFILE")
        ->excludes("--cost");
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
        ->add_option("--paper-device", options->paperDevice,
                     "the paper's numbers to show beside: those for its a100 (thirteen networks), or its p100 (nine)")
        ->capture_default_str();
    command->add_option("--beside", options->beside,
                        "the folder of another such experiment, under the costs of another device, to compare with");
    addInsist(*command, options->insist);
    command->callback([options, choose] { choose([options] { return runEGraphMcts(*options); }); });
}

struct CoarseningOptions : ExperimentOptions {
    std::string compiler = CoarseningPlan{}.compiler;
    double seconds = CoarseningPlan{}.secondsPerConfiguration;
    std::size_t sizeLimit = CoarseningPlan{}.sizeLimit;
};

Result<int> runCoarsening(const CoarseningOptions& options) {
    const InterruptGuard interrupt;
    CoarseningPlan plan{.benchmarks = splitList(options.programs),
                        .parts = splitList(options.only),
                        .secondsPerConfiguration = options.seconds,
                        .sizeLimit = options.sizeLimit,
                        .compiler = options.compiler};
    if (plan.benchmarks.empty() && !options.programs.empty()) {
        return inputError("--programs names none", "separate their names by commas");
    }
    if (plan.parts.empty() && !options.only.empty()) {
        return inputError("--only names no part", "separate them by commas, as in table3,memory");
    }
    const ProgressLine line = options.progressLine();
    MITOS_TRY(const auto experiment,
              search::experiments::CoarseningExperiment::open(std::move(plan), machineText(), interrupt.token(),
                                                              [&line](const std::string& step) { line.show(step); }));
    line.clear();
    return runExperiment(*experiment, options, interrupt.token());
}

void addCoarsening(CLI::App& experiments, const Choose& choose) {
    CLI::App* command = experiments.add_subcommand(
        "coarsening",
        "gradients of seven programs and the algorithms around them, with and without coarsening, beside dual "
        "numbers and the libraries of automatic differentiation that are installed: Table 3 and the smaller tables");
    auto options = std::make_shared<CoarseningOptions>();
    std::vector<std::string> names;
    for (const auto& benchmark : search::experiments::coarseningBenchmarks()) names.emplace_back(benchmark.name);
    options->addShared(*command,
                       fmt::format("benchmarks, separated by commas (default: all): {}", fmt::join(names, ", ")),
                       search::experiments::coarseningParts());
    command->add_option("--seconds", options->seconds, "time for measuring a configuration")
        ->check(positiveNumber())
        ->capture_default_str();
    command->add_option("--size-limit", options->sizeLimit, "the largest segment, in operators of its symbolic form")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--compiler", options->compiler, "C++ compiler, on the PATH")->capture_default_str();
    command->callback([options, choose] { choose([options] { return runCoarsening(*options); }); });
}

struct RegalOptions : ExperimentOptions {
    RegalPlan plan = {.jobs = 0};
};

/// Adds the networks as task graphs, whose operations take what a cost model says.
Status addNetworkGraphs(RegalPlan& plan, const RegalOptions& options) {
    MITOS_TRY(const std::vector<const networks::Network*> chosen, networksOf(options));
    const auto registry = dialects::makeRegistry();
    MITOS_TRY(const auto costs, openCostModel(options, *registry, tensor::DialectName));
    plan.networkUnit = costs->info().unit;
    for (const networks::Network* network : chosen) {
        ir::TermBank bank(registry);
        MITOS_TRY(const tensor::Model model, networks::build(bank, *network, networks::Style::Realistic));
        MITOS_TRY(schedule::ProgramGraph graph,
                  search::placement::graphUnder(*costs, costs->info(), bank, model.program,
                                                search::experiments::RegalDevices));
        plan.networks.push_back({network->title, std::move(graph.graph)});
    }
    return mitos::Success{};
}

Result<int> runRegal(const RegalOptions& options) {
    const InterruptGuard interrupt;
    RegalPlan plan = options.plan;
    plan.parts = splitList(options.only);
    if (plan.parts.empty() && !options.only.empty())
        return inputError("--only names no part", "separate them by commas, as in table1,figure2");
    if (plan.jobs == 0) plan.jobs = search::defaultJobs();
    if (plan.hasPart("transfer")) {
        MITOS_REQUIRE(addNetworkGraphs(plan, options));
    }
    MITOS_TRY(const auto experiment, search::experiments::RegalExperiment::open(std::move(plan)));
    return runExperiment(*experiment, options, interrupt.token());
}

void addRegal(CLI::App& experiments, const Choose& choose) {
    CLI::App* command = experiments.add_subcommand("regal",
                                                   "a genetic algorithm for schedules with and without learned "
                                                   "mutants, beside the paper's other methods: Table 1, "
                                                   "Figures 2 to 4, and transfer to networks");
    auto options = std::make_shared<RegalOptions>();
    options->cost = tensor::dialect().defaultCost;
    RegalPlan& plan = options->plan;
    options->addShared(*command, "networks for the transfer, separated by commas (default: all thirteen)",
                       search::experiments::regalPartNames(), "--programs,--networks");
    options->addCost(*command);
    command
        ->add_option("--models", plan.models,
                     "a folder with models that `mitos-cli train policy` wrote; they say themselves what they are for. "
                     "Methods without a model are named in the report (default: the models that come with the program)")
        ->type_name("FOLDER");
    command->add_option("--graphs", plan.graphs, "generated graphs that nothing is trained on")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command->add_option("--seeds", plan.seeds, "searches of each graph, with the seeds 1, 2, …")
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str();
    command
        ->add_option("--evaluations", plan.evaluations,
                     "schedules that a search evaluates; ten times as many in the long ones")
        ->check(CLI::Range(4, 100'000))
        ->capture_default_str();
    command->add_option("--variants", plan.variants, "noisy variants of each graph")
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str();
    command->add_option("--noise", plan.noise, "the deviation of the noise")
        ->check(CLI::Range(0.0, 2.0))
        ->capture_default_str();
    command
        ->add_option(
            "--memory-factor", plan.memoryFactor,
            "the memory of a device, where it is limited: so many times the peak that the genetic algorithm finds")
        ->check(CLI::Range(1.0, 1e6))
        ->capture_default_str();
    command->add_option("--exact-seconds", plan.exactSeconds, "time of the exact search for each graph")
        ->check(positiveNumber())
        ->capture_default_str();
    command->add_flag("--release-outputs", plan.releasesOutputs, "as for `schedule`");
    command->add_option("--jobs", plan.jobs, "runs at the same time (default: one a processor)")
        ->check(CLI::Range(1, 1024));
    command->callback([options, choose] { choose([options] { return runRegal(*options); }); });
}

struct KnossosOptions : ExperimentOptions {
    std::string methods;
    std::string evaluations;
    std::vector<std::string> set;
    KnossosPlan plan = {.jobs = 0};
};

/// "--evaluations 100,300"
Result<std::vector<std::uint64_t>> budgetsOf(const std::string& text) {
    std::vector<std::uint64_t> budgets;
    for (const std::string& number : splitList(text)) {
        std::uint64_t budget = 0;
        const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), budget);
        if (failed != std::errc() || end != number.data() + number.size())
            return inputError(fmt::format("--evaluations: {} is not a whole number", number), "write 100,300,1000");
        budgets.push_back(budget);
    }
    return budgets;
}

Result<int> runKnossos(const KnossosOptions& options) {
    const InterruptGuard interrupt;
    KnossosPlan plan = options.plan;
    plan.tasks = splitList(options.only);
    plan.methods = splitList(options.methods);
    if (plan.tasks.empty() && !options.only.empty())
        return inputError("--only names no task", "separate them by commas, as in generalization,bootstrap");
    if (plan.methods.empty() && !options.methods.empty())
        return inputError("--methods names none", "separate their names by commas, as in terms,astar-zero");
    if (!options.evaluations.empty()) {
        MITOS_TRY(plan.budgets, budgetsOf(options.evaluations));
    }
    MITOS_TRY(plan.training, givenParameters("the training", search::valueTrainingParameters(), options.set));
    if (plan.jobs == 0) plan.jobs = search::defaultJobs();
    MITOS_TRY(const rules::RuleBook book, rules::RuleBook::load(plan.ruleSets, dialects::makeRegistry()));
    plan.rules = trustedRules(book, {}, interrupt.token());
    plan.registry = book.registry();
    MITOS_TRY(plan.cost, cost::findCostModel(search::experiments::KnossosCost));
    plan.folder = options.output;
    MITOS_TRY(const auto experiment, search::experiments::KnossosExperiment::open(std::move(plan)));
    return runExperiment(*experiment, options, interrupt.token());
}

void addKnossos(CLI::App& experiments, const Choose& choose) {
    CLI::App* command = experiments.add_subcommand(
        "knossos-arithmetic",
        "a value function that is trained on arithmetic expressions, beside searches without learning: Figure 5 of "
        "the Knossos paper");
    auto options = std::make_shared<KnossosOptions>();
    KnossosPlan& plan = options->plan;
    std::vector<std::string_view> tasks;
    for (const auto& task : search::experiments::knossosTasks()) tasks.emplace_back(task.name);
    options->addOutput(*command, tasks);
    command->add_option(
        "--methods", options->methods,
        fmt::format("separated by commas (default: all but knossos, knossos-flat and paper, whose networks need "
                    "LibTorch): {}",
                    fmt::join(search::experiments::knossosMethodNames(), ", ")));
    command->add_option("--repetitions", plan.repetitions, "with the seeds 1, 2, …")
        ->check(CLI::Range(1, 1'000))
        ->capture_default_str();
    command->add_option("--epochs", plan.epochs, "of each training")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command->add_option("--stage", plan.stage, "epochs between two comparisons")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command->add_option("--evaluations", options->evaluations,
                        "expressions that a search evaluates for each program, ascending (default: 100,300,1000,5000)");
    const auto networks = search::experiments::knossosPaperNetworks();
    command
        ->add_option(
            "--paper-network", plan.paperNetwork,
            "of the method paper: the paper's with 64 numbers a node and 5 rounds; as large as in its Table 2, which "
            "takes hours; or terms")
        ->check(CLI::IsMember(std::vector<std::string>(networks.begin(), networks.end())))
        ->capture_default_str();
    command->add_option("--rules", plan.ruleSets, "rule sets, by name or file, separated by commas")
        ->capture_default_str();
    command->add_option("--set", options->set,
                        "name=value, a parameter of all trainings instead of their own; may be repeated; see "
                        "`mitos-cli train value --help`");
    command->add_option("--jobs", plan.jobs, "runs at the same time (default: one a processor)")
        ->check(CLI::Range(1, 1024));
    command->callback([options, choose] { choose([options] { return runKnossos(*options); }); });
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
    addRegal(*command, choose);
    addKnossos(*command, choose);
    addPypmExperiment(*command, choose);
}

}  // namespace mitos::cli
