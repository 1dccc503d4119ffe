// SPDX-License-Identifier: GPL-3.0-or-later
// experiment pypm: networks and models of files, compiled with and without attention and epilogs.
#include "app/cli/experiment_options.h"
#include "app/cli/timing.h"
#include "core/networks/networks.h"
#include "core/onnx/import.h"
#include "core/rules/rule_sets.h"
#include "core/tensor/dialect.h"
#include "search/experiments/pypm_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace mitos::cli {

namespace {

namespace fs = std::filesystem;
using search::experiments::PypmModel;
using search::experiments::PypmPlan;

constexpr std::string_view NoNetworks = "none";
constexpr std::string_view PaperForm = "paper";
constexpr std::string_view RealisticForm = "realistic";

struct PypmOptions : ExperimentOptions {
    std::vector<std::string> models;  ///< files and folders
    std::string forms = fmt::format("{},{}", PaperForm, RealisticForm);
    std::string levels = "basic,all";
    TimingFlags timing;
    const CLI::Option* python = nullptr;
    bool costsOnly = false;
    bool insist = false;
    PypmPlan plan;
};

/// Adds the networks in the chosen forms, with random weights: those that repeat one number become denormal numbers in deep networks, which
/// take longer.
Status addNetworks(PypmPlan& plan, const PypmOptions& options,
                   const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    if (options.programs == NoNetworks) return mitos::Success{};
    MITOS_TRY(const std::vector<const networks::Network*> chosen, networksOf(options));
    const std::vector<std::string> forms = splitList(options.forms);
    if (forms.empty()) return inputError("--forms names none", "separate them by commas, as in paper,realistic");
    for (const std::string& form : forms) {
        if (form != PaperForm && form != RealisticForm)
            return inputError(fmt::format("there is no form {} of networks", form), "there are paper and realistic");
    }
    for (const std::string_view form : {PaperForm, RealisticForm}) {
        if (std::ranges::find(forms, form) == forms.end()) continue;
        const bool isPaper = form == PaperForm;
        for (const networks::Network* const network : chosen) {
            auto bank = std::make_shared<ir::TermBank>(registry);
            MITOS_TRY(tensor::Model model,
                      networks::build(*bank, *network, isPaper ? networks::Style::Paper : networks::Style::Realistic));
            plan.models.push_back(
                {.name = search::experiments::pypmRunName(fmt::format("{}-{}", form, network->name), plan.models),
                 .title = network->title,
                 .suite = isPaper ? "Networks as papers build them" : "Networks as they are trained",
                 .bank = std::move(bank),
                 .model = std::move(model)});
        }
    }
    return mitos::Success{};
}

Status addFile(PypmPlan& plan, const fs::path& file, const std::string& suite,
               const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    auto bank = std::make_shared<ir::TermBank>(registry);
    MITOS_TRY(tensor::Model model, onnx::importFile(*bank, file));
    const std::string title = file.stem().string();
    plan.models.push_back({.name = search::experiments::pypmRunName(fmt::format("{}-{}", suite, title), plan.models),
                           .title = title,
                           .suite = suite,
                           .bank = std::move(bank),
                           .model = std::move(model)});
    return mitos::Success{};
}

/// Adds the models of a folder. Those that cannot be read are named in the report.
Status addFolder(PypmPlan& plan, const fs::path& folder, const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (onnx::isModelFile(entry->path())) files.push_back(entry->path());
    }
    if (error)
        return Error{ErrorCode::Io, fmt::format("the folder {} cannot be listed: {}", folder.string(), error.message()),
                     std::nullopt, "name a folder with ONNX models"};
    if (files.empty()) {
        return inputError(fmt::format("there is no ONNX model in {}", folder.string()),
                          "name a folder with files that end in .onnx");
    }
    std::ranges::sort(files);
    const fs::path whole = fs::absolute(folder, error).lexically_normal();
    const std::string suite = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
    for (const fs::path& file : files) {
        if (const Status added = addFile(plan, file, suite, registry); !added)
            plan.unreadable.emplace_back(file.string(), added.error().message);
    }
    return mitos::Success{};
}

Status addModels(PypmPlan& plan, const PypmOptions& options,
                 const std::shared_ptr<const ir::OperatorRegistry>& registry) {
    for (const std::string& path : options.models) {
        std::error_code error;
        if (fs::is_directory(path, error)) {
            MITOS_REQUIRE(addFolder(plan, path, registry));
        } else if (!fs::exists(path, error)) {
            return Error{ErrorCode::Io, fmt::format("there is no file or folder {}", path), std::nullopt,
                         "name ONNX models, or folders with some; networks are named by --networks"};
        } else if (!onnx::isModelFile(path)) {
            return inputError(fmt::format("{} is not an ONNX model", path), "name a file that ends in .onnx");
        } else {
            MITOS_REQUIRE(addFile(plan, path, "Files", registry));
        }
    }
    return mitos::Success{};
}

/// Finds out whether models can be run. The default Python may lack ONNX Runtime, one that the user names must have it.
Status addRuntime(PypmPlan& plan, const PypmOptions& options, const std::stop_token& stop) {
    plan.levels.clear();
    for (const std::string& name : splitList(options.levels)) {
        const auto level = onnx::optimizationLevel(name);
        if (!level) {
            return inputError(fmt::format("ONNX Runtime has no level {}", name),
                              fmt::format("there are {}", fmt::join(onnx::optimizationLevels(), ", ")));
        }
        if (std::ranges::find(plan.levels, *level) == plan.levels.end()) plan.levels.push_back(*level);
    }
    if (plan.levels.empty()) return inputError("--levels names none", "separate them by commas, as in basic,all");
    plan.runtime = options.timing.runtime(stop);
    plan.seconds = options.timing.seconds;
    plan.sizes = options.timing.sizesFor(plan.cost->info());
    MITOS_REQUIRE(cost::readSizes(plan.sizes, 1));
    if (options.costsOnly || !plan.hasPart("speedups")) return mitos::Success{};
    const Result<onnx::RuntimeVersion> version = onnx::checkRuntime(plan.runtime);
    if (version) {
        plan.version = *version;
    } else if (options.python->count() > 0 || stop.stop_requested()) {
        return version.error();
    } else {
        plan.whyNot = version.error().message;
    }
    return mitos::Success{};
}

Result<int> runPypm(const PypmOptions& options) {
    const InterruptGuard interrupt;
    PypmPlan plan = options.plan;
    plan.parts = splitList(options.only);
    if (plan.parts.empty() && !options.only.empty())
        return inputError("--only names no part", "separate them by commas, as in speedups,matching");
    MITOS_TRY(const rules::RuleBook book, openRules(options));
    MITOS_REQUIRE(rules::requireFor(book, tensor::dialect()));
    plan.ruleSets = options.rules;
    MITOS_TRY(plan.cost, openCostModel(options, *book.registry(), tensor::DialectName));
    MITOS_REQUIRE(addNetworks(plan, options, book.registry()));
    MITOS_REQUIRE(addModels(plan, options, book.registry()));
    plan.rules = trustedRules(book, {.insists = options.insist}, interrupt.token());
    MITOS_REQUIRE(checkPlan(plan));
    MITOS_REQUIRE(addRuntime(plan, options, interrupt.token()));
    if (!plan.whyNot.empty() && !options.quiet)
        fmt::print(stderr, "{}; speed-ups are those of the cost model {}\n", plan.whyNot, plan.cost->info().name);
    MITOS_TRY(const auto experiment, search::experiments::PypmExperiment::open(std::move(plan)));
    return runExperiment(*experiment, options, interrupt.token());
}

}  // namespace

void addPypmExperiment(CLI::App& experiments, const Choose& choose) {
    CLI::App* command = experiments.add_subcommand(
        "pypm",
        "models compiled by the greedy pass with and without attention and epilogs: relative speed-ups and the cost of "
        "matching, Figures 10 to 13");
    auto options = std::make_shared<PypmOptions>();
    options->rules = search::experiments::PypmRules;
    options->cost = tensor::dialect().defaultCost;
    options->timing.seconds = PypmPlan{}.seconds;
    std::vector<std::string_view> parts;
    for (const auto& part : search::experiments::pypmParts()) parts.emplace_back(part.name);
    options->addShared(*command, "networks, separated by commas (default: all thirteen; none: only MODELS)", parts,
                       "--programs,--networks");
    command->add_option("MODELS", options->models, "further models: ONNX files, and folders, each a suite of its own");
    command->add_option("--forms", options->forms, "of the networks: paper, realistic, or both")->capture_default_str();
    options->addRules(*command);
    options->addCost(*command);
    options->python = options->timing.addPython(*command);
    command
        ->add_option("--levels", options->levels,
                     "ONNX Runtime's own optimizations, separated by commas: disabled, basic, extended, all")
        ->capture_default_str();
    options->timing.addSettings(*command, "--");
    command
        ->add_flag("--costs-only", options->costsOnly,
                   "runs no models: speed-ups are those of the cost model, as without ONNX Runtime")
        ->excludes("--onnxruntime");
    command->add_option("--repetitions", options->plan.repetitions, "of each pass, to time it")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command
        ->add_option("--compare-seconds", options->plan.comparisonSeconds,
                     "time limit for comparing the values of a compiled model with the model's; 0: not compared")
        ->check(CLI::Range(0.0, 86'400.0))
        ->capture_default_str();
    addInsist(*command, options->insist);
    command->callback([options, choose] { choose([options] { return runPypm(*options); }); });
}

}  // namespace mitos::cli
