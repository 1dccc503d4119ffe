// SPDX-License-Identifier: GPL-3.0-or-later
// How much a policy improves the genetic algorithm on generated graphs that nothing is trained on:
// `policy_quality MODEL [graphs] [seeds] [name=value…]` with the path of a model or "critical-path", and parameters of the strategy. Against uniform mutants with the same seeds.
#include "core/base/random.h"
#include "search/parallel.h"
#include "search/placement/learned_strategy.h"
#include "search/placement/policy_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace mitos;
using namespace mitos::search::placement;

int fail(const Error& error) {
    fmt::print(stderr, "{}\n", error.render());
    return 2;
}

/// The 95 % interval of a mean, by drawing the numbers again.
std::pair<double, double> intervalOf(const std::vector<double>& numbers) {
    constexpr int Draws = 10'000;
    Random random(1);
    std::vector<double> means;
    for (int i = 0; i < Draws; ++i) {
        double sum = 0.0;
        for (std::size_t k = 0; k < numbers.size(); ++k) sum += numbers[random.below(numbers.size())];
        means.push_back(sum / static_cast<double>(numbers.size()));
    }
    std::ranges::sort(means);
    return {means[Draws / 40], means[Draws - Draws / 40]};
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::uint64_t FirstTestSeed = 1'000'001;
    const std::string name = argc > 1 ? argv[1] : "critical-path";
    const int graphs = argc > 2 ? std::atoi(argv[2]) : 40;
    const int seeds = argc > 3 ? std::atoi(argv[3]) : 3;
    PolicyModel model;
    const bool isByHand = name == "critical-path";
    if (!isByHand) {
        auto loaded = loadPolicy(name);
        if (!loaded) return fail(loaded.error());
        model = *std::move(loaded);
    }
    ParameterValues parameters;
    const std::vector<ParameterInfo> infos = geneticParameters();
    for (int i = 4; i < argc; ++i) {
        const std::string_view given = argv[i];
        const std::size_t equals = given.find('=');
        if (given.starts_with("objective=")) {
            model.objective = given.ends_with("memory") ? Objective::Memory : Objective::Runtime;
            continue;
        }
        const auto info = std::ranges::find(infos, given.substr(0, equals), &ParameterInfo::name);
        if (equals == std::string_view::npos || info == infos.end()) {
            fmt::print(stderr, "{} is no parameter with a value\n", given);
            return 2;
        }
        const auto value = parseParameter(*info, given.substr(equals + 1));
        if (!value) return fail(value.error());
        parameters.emplace(info->name, *value);
    }
    const auto resolved = resolveParameters("brkga", infos, parameters);
    if (!resolved) return fail(resolved.error());
    const Decode decode = decodeIn(*resolved, model.objective);
    std::vector<schedule::Problem> problems;
    std::vector<random_keys::MutantDistributions> mutants;
    for (schedule::TaskGraph& graph : policyGraphs(static_cast<std::uint32_t>(graphs), FirstTestSeed)) {
        problems.push_back(*schedule::Problem::make(std::move(graph), schedule::equalDevices(model.devices)));
        const schedule::Problem& problem = problems.back();
        if (isByHand) {
            mutants.push_back(criticalPathDistributions(problem, decode));
            continue;
        }
        if (const Status fit = checkFit(model, name, problem, model.objective, decode); !fit) return fail(fit.error());
        const auto library = search::learned::LearnedLibrary::load(MITOS_LEARNED_FILE);
        if (!library) return fail(library.error());
        auto chosen = distributionsBy(model, problem, *library);
        if (!chosen) return fail(chosen.error());
        mutants.push_back(*std::move(chosen));
    }
    fmt::print("evaluations  improvement %  95 % interval      better  worse\n");
    for (const std::uint64_t evaluations : {1'000U, 5'000U}) {
        std::vector<double> improvements(problems.size());
        search::runEach(problems.size(), search::defaultJobs(), {}, [&](std::size_t i, const std::stop_token&) {
            double with = 0.0;
            double without = 0.0;
            for (int seed = 1; seed <= seeds; ++seed) {
                const Request request{.objective = model.objective,
                                      .seed = static_cast<std::uint64_t>(seed),
                                      .evaluations = evaluations,
                                      .parameters = *resolved};
                const auto cost = [&](random_keys::MutantDistributions chosen) {
                    const auto found =
                        runGeneticWith(problems[i], request, geneticStarts(problems[i], request), std::move(chosen));
                    return model.objective == Objective::Memory ? static_cast<double>(found->score.peak)
                                                                : found->score.runtime;
                };
                with += cost(mutants[i]);
                without += cost({});
            }
            improvements[i] = 100.0 * (1.0 - with / without);
        });
        double sum = 0.0;
        for (const double one : improvements) sum += one;
        const auto [low, high] = intervalOf(improvements);
        fmt::print("{:11}  {:+13.2f}  {:+7.2f} .. {:+6.2f}  {:6}  {:5}\n", evaluations,
                   sum / static_cast<double>(improvements.size()), low, high,
                   std::ranges::count_if(improvements, [](double one) { return one > 0.0; }),
                   std::ranges::count_if(improvements, [](double one) { return one < 0.0; }));
        std::fflush(stdout);
    }
    return 0;
}
