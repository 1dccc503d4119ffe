// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/learned_strategy.h"

#include "search/placement/genetic.h"
#include "search/placement/policy_model.h"
#include "search/placement/policy_trainer.h"

#include <fmt/format.h>

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

Result<random_keys::MutantDistributions> mutantsFor(const schedule::Problem& problem, const Request& request) {
    const std::string& name = std::get<std::string>(request.parameters.at(ModelParameter));
    const Decode decode = decodeIn(request.parameters, request.objective);
    if (name == Uniform) return random_keys::MutantDistributions{};
    if (name == CriticalPath) return criticalPathDistributions(problem, decode);
    if (name == Shipped) return noneIsShipped(problem, request.objective);
    MITOS_TRY(const PolicyModel model, loadPolicy(name));
    MITOS_REQUIRE(checkFit(model, name, problem, request.objective, decode));
    MITOS_TRY(const learned::LearnedLibrary library, learned::LearnedLibrary::load());
    return distributionsBy(model, problem, library);
}

}  // namespace

std::vector<ParameterInfo> learnedParameters() {
    std::vector<ParameterInfo> parameters = geneticParameters();
    parameters.insert(
        parameters.begin(),
        {.name = ModelParameter,
         .title = "Model",
         .help = "a file that `mitos-cli train policy` wrote; shipped: the one that comes with the program "
                 "for the objective and devices; uniform: as brkga; critical-path: priorities around "
                 "the longest path behind an operation, made by hand",
         .defaultValue = std::string(Shipped),
         .choices = {std::string(Shipped), std::string(Uniform), std::string(CriticalPath)},
         .fileEnding = std::string(PolicyEnding)});
    return parameters;
}

Result<Placement> runLearned(const schedule::Problem& problem, const Request& request) {
    MITOS_TRY(random_keys::MutantDistributions mutants, mutantsFor(problem, request));
    return runGeneticWith(problem, request, geneticStarts(problem, request), std::move(mutants));
}

}  // namespace mitos::search::placement
