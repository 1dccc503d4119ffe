// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/learned_strategy.h"

#include "search/learned/model_fields.h"
#include "search/placement/genetic.h"
#include "search/placement/policy_model.h"
#include "search/placement/policy_trainer.h"
#include "search/placement/shipped_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace mitos::search::placement {

namespace {

constexpr const char* ModelParameter = "model";
constexpr std::string_view Shipped = "shipped";
constexpr std::string_view Uniform = "uniform";
constexpr std::string_view CriticalPath = "critical-path";

Error noneIsShipped(const schedule::Problem& problem, Objective objective) {
    const char* const goal = objective == Objective::Memory ? "memory" : "time";
    return inputError(fmt::format("no trained model comes with this program for --objective {} on {} device{}", goal,
                                  problem.deviceCount(), problem.deviceCount() == 1 ? "" : "s"),
                      fmt::format("train one: mitos-cli train policy -o my.model --objective {} --devices {}; then "
                                  "--set model=my.model",
                                  goal, problem.deviceCount()));
}

/// The meaning of keys, if the parameters do not leave it to the model.
std::optional<Decode> decodeAskedFor(const Request& request) {
    if (std::get<std::string>(request.parameters.at("decode")) == "usual") return std::nullopt;
    return decodeIn(request.parameters, request.objective);
}

Result<PolicyModel> modelFor(const std::string& name, const schedule::Problem& problem, const Request& request) {
    if (name != Shipped) return loadPolicy(name);
    auto shipped = shippedModelFor(request.objective, problem.deviceCount(), decodeAskedFor(request));
    if (!shipped) return noneIsShipped(problem, request.objective);
    return std::move(shipped->model);
}

/// Where the parameters leave the meaning of keys to the model, `request` gets it.
Result<random_keys::MutantDistributions> mutantsFor(const schedule::Problem& problem, Request& request) {
    const std::string& name = std::get<std::string>(request.parameters.at(ModelParameter));
    const Decode decode = decodeIn(request.parameters, request.objective);
    if (name == Uniform) return random_keys::MutantDistributions{};
    if (name == CriticalPath) return criticalPathDistributions(problem, decode);
    MITOS_TRY(const PolicyModel model, modelFor(name, problem, request));
    MITOS_REQUIRE(checkFit(model, name, problem, request.objective, decodeAskedFor(request).value_or(model.decode)));
    MITOS_TRY(const learned::LearnedLibrary library, learned::LearnedLibrary::load());
    request.parameters.insert_or_assign("decode", std::string(nameOf(model.decode)));
    return distributionsBy(model, problem, library);
}

}  // namespace

std::vector<ParameterInfo> learnedParameters() {
    std::vector<ParameterInfo> parameters = geneticParameters();
    std::ranges::find(parameters, "decode", &ParameterInfo::name)->help =
        "finish: a priority for each operation, which goes where it ends first; paper: affinities to the devices and "
        "priorities; usual: those of the model; without one, finish for run time, paper for memory";
    parameters.insert(
        parameters.begin(),
        {.name = ModelParameter,
         .title = "Model",
         .help = "a file that `mitos-cli train policy` wrote; shipped: the one that comes with the program "
                 "for the objective and number of devices; uniform: as brkga; critical-path: priorities around "
                 "the longest path behind an operation, made by hand",
         .defaultValue = std::string(Shipped),
         .choices = {std::string(Shipped), std::string(Uniform), std::string(CriticalPath)},
         .fileEnding = std::string(learned::ModelEnding)});
    return parameters;
}

Result<Placement> runLearned(const schedule::Problem& problem, const Request& given) {
    Request request = given;
    MITOS_TRY(random_keys::MutantDistributions mutants, mutantsFor(problem, request));
    return runGeneticWith(problem, request, geneticStarts(problem, request), std::move(mutants));
}

}  // namespace mitos::search::placement
