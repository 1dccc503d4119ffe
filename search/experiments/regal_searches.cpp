// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_searches.h.
#include "search/experiments/regal_searches.h"

#include "core/base/processor_time.h"
#include "core/base/time_limit.h"
#include "search/experiments/record_file.h"
#include "search/experiments/regal_graphs.h"
#include "search/experiments/regal_models.h"
#include "search/placement/genetic.h"
#include "search/placement/policy.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace mitos::search::experiments {

namespace {

using placement::Placement;
using placement::Request;

/// The genetic algorithm of the paper with these parameters beside.
Result<Placement> paperSearch(const schedule::Problem& problem, Request request, const ParameterValues& others,
                              const placement::GeneticDefaults& defaults, random_keys::MutantDistributions mutants) {
    ParameterValues values{{"decode", std::string("paper")}, {"starts", false}};
    for (const auto& [name, value] : others) values.insert_or_assign(name, value);
    MITOS_TRY(request.parameters,
              resolveParameters(placement::UsualStrategy, placement::geneticParameters(defaults), values));
    placement::GeneticStarts starts = placement::geneticStarts(problem, request);
    return placement::runGeneticWith(problem, request, std::move(starts), std::move(mutants));
}

Result<Placement> strategySearch(std::string_view name, const schedule::Problem& problem, Request request) {
    request.parameters = {};
    MITOS_TRY(const placement::Strategy strategy, placement::findStrategy(name));
    return placement::place(strategy, problem, std::move(request));
}

/// Gecode proves run times of hundreds of operations; all other proofs are for a dozen.
bool isProvable(const schedule::Problem& problem, placement::Objective objective) {
    constexpr std::uint32_t FewOperations = 14;
    const bool isLimited = problem.machine().devices.front().memory != schedule::UnlimitedMemory;
    return (objective == placement::Objective::Runtime && !isLimited) || problem.operationCount() <= FewOperations;
}

nlohmann::ordered_json outcomeJson(const RegalOutcome& outcome) {
    nlohmann::ordered_json searches = nlohmann::ordered_json::array();
    for (const RegalSearch& search : outcome.searches) {
        searches.push_back({{"runtime", search.runtime},
                            {"peak", search.peak},
                            {"overflow", search.overflow},
                            {"evaluations", search.evaluations},
                            {"seconds", search.seconds}});
    }
    nlohmann::ordered_json json{{"graph", outcome.graph},
                                {"operations", outcome.operations},
                                {"inference_seconds", outcome.inferenceSeconds},
                                {"proven", outcome.isProven},
                                {"searches", std::move(searches)}};
    if (outcome.actions) json["entropy"] = {outcome.actions->devices, outcome.actions->priorities};
    return json;
}

RegalOutcome outcomeFrom(const nlohmann::ordered_json& json) {
    RegalOutcome outcome{.graph = json.at("graph").get<std::string>(),
                         .operations = json.at("operations").get<std::uint32_t>(),
                         .inferenceSeconds = json.at("inference_seconds").get<double>(),
                         .isProven = json.at("proven").get<bool>()};
    if (json.contains("entropy")) {
        const auto& entropy = json.at("entropy");
        outcome.actions = ChosenActions{entropy.at(0).get<double>(), entropy.at(1).get<double>()};
    }
    for (const auto& search : json.at("searches")) {
        outcome.searches.push_back({.runtime = search.at("runtime").get<double>(),
                                    .peak = search.at("peak").get<std::uint64_t>(),
                                    .overflow = search.at("overflow").get<std::uint64_t>(),
                                    .evaluations = search.at("evaluations").get<std::uint64_t>(),
                                    .seconds = search.at("seconds").get<double>()});
    }
    return outcome;
}

/// The searches for one graph.
Result<RegalOutcome> searchedFor(const RegalPlan& plan, const schedule::Problem& problem, const RegalKey& key,
                                 const RegalModel* model, const std::stop_token& stop) {
    const RegalMethodInfo& info = infoOf(key.method);
    RegalOutcome outcome{.operations = problem.operationCount()};
    const placement::Objective objective = objectiveOf(key.task);
    if (info.method == RegalMethod::Exact && !isProvable(problem, objective)) return outcome;
    random_keys::MutantDistributions mutants;
    if (model != nullptr) {
        MITOS_TRY(const learned::LearnedLibrary library, learned::LearnedLibrary::load(plan.library));
        const double before = threadSeconds();
        MITOS_TRY(mutants, placement::distributionsBy(model->model, problem, library));
        outcome.inferenceSeconds = threadSeconds() - before;
        outcome.actions = actionsOf(mutants, problem.operationCount());
    }
    for (std::uint64_t seed = 1; seed <= (info.isRandomized ? plan.seeds : 1); ++seed) {
        Request request{.objective = objective, .seed = seed, .evaluations = key.evaluations, .stop = stop};
        if (info.method == RegalMethod::Exact) request.seconds = plan.exactSeconds;
        const double before = threadSeconds();
        MITOS_TRY(const Placement found, searchedBy(key.method, problem, std::move(request), mutants));
        const double seconds = threadSeconds() - before;
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
        outcome.isProven = found.isProven.value_or(false);
        outcome.searches.push_back({.runtime = found.score.runtime,
                                    .peak = found.score.peak,
                                    .overflow = found.score.overflow,
                                    .evaluations = found.evaluations,
                                    .seconds = seconds});
    }
    return outcome;
}

}  // namespace

Result<Placement> searchedBy(RegalMethod method, const schedule::Problem& problem, Request request,
                             random_keys::MutantDistributions mutants) {
    switch (method) {
        case RegalMethod::PartitionDepthFirst: return strategySearch("partition", problem, std::move(request));
        case RegalMethod::LocalSearch: return strategySearch("local-search", problem, std::move(request));
        case RegalMethod::List: return strategySearch("list", problem, std::move(request));
        case RegalMethod::Exact: return strategySearch("exact", problem, std::move(request));
        case RegalMethod::Usual: return strategySearch(placement::UsualStrategy, problem, std::move(request));
        case RegalMethod::TunedBrkga:
            return paperSearch(problem, std::move(request), {}, placement::TunedGenetic, std::move(mutants));
        case RegalMethod::WarmStart:
            return paperSearch(problem, std::move(request), {{"starts", true}}, {}, std::move(mutants));
        case RegalMethod::RandomSearch:
            return paperSearch(problem, std::move(request), {{"generations", std::int64_t{1}}}, {}, std::move(mutants));
        case RegalMethod::CriticalPath:
            return paperSearch(problem, std::move(request), {}, {},
                               placement::criticalPathDistributions(problem, placement::Decode::Paper));
        case RegalMethod::Brkga:
        case RegalMethod::Sequence:
        case RegalMethod::Regal:
        case RegalMethod::Constant:
        case RegalMethod::Isolated:
        case RegalMethod::Alone:
        case RegalMethod::OtherNoise: break;
    }
    return paperSearch(problem, std::move(request), {}, {}, std::move(mutants));
}

double entropyOf(const std::vector<std::uint32_t>& values) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const std::uint32_t value : values) ++counts[value];
    double entropy = 0.0;
    for (const auto& [value, count] : counts) {
        const double share = static_cast<double>(count) / static_cast<double>(values.size());
        entropy -= share * std::log(share);
    }
    return std::max(entropy, 0.0);
}

ChosenActions actionsOf(const random_keys::MutantDistributions& mutants, std::uint32_t operations) {
    const auto count = static_cast<std::uint32_t>(mutants.choices.size());
    std::vector<std::uint32_t> devices;
    std::vector<std::uint32_t> priorities;
    for (std::uint32_t i = 0; i < operations; ++i) {
        std::uint32_t action = 0;
        for (std::uint32_t device = 0; device < RegalDevices; ++device)
            action = action * count + mutants.ofGene[std::size_t{i} * RegalDevices + device];
        devices.push_back(action);
        priorities.push_back(mutants.ofGene[std::size_t{operations} * RegalDevices + i]);
    }
    return {entropyOf(devices), entropyOf(priorities)};
}

std::string writeRegalRecord(const RegalRecord& record) {
    nlohmann::ordered_json outcomes = nlohmann::ordered_json::array();
    for (const RegalOutcome& outcome : record.outcomes) outcomes.push_back(outcomeJson(outcome));
    const nlohmann::ordered_json json{{"run", record.run}, {"model", record.model}, {"outcomes", std::move(outcomes)}};
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<RegalRecord> readRegalRecord(const std::string& text) {
    try {
        const auto json = nlohmann::ordered_json::parse(text);
        RegalRecord record{.run = json.at("run").get<std::string>(), .model = json.at("model").get<std::string>()};
        for (const auto& outcome : json.at("outcomes")) record.outcomes.push_back(outcomeFrom(outcome));
        return record;
    } catch (const nlohmann::ordered_json::exception& error) {
        return noRecord(error.what());
    }
}

Result<RegalRecord> makeRegalRun(const RegalPlan& plan, const RegalGraphs& graphs, const RegalRun& run,
                                 const RegalModel* model, const std::stop_token& stop) {
    RegalRecord record{.run = run.name(), .model = model == nullptr ? std::string() : model->digest};
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
        MITOS_TRY(const schedule::Problem problem, graphs.problem(run.key.task, run.key.set, i, stop));
        if (model != nullptr && i == run.first) {
            // What LibTorch prepares at its first call is no time of a graph.
            MITOS_TRY(const learned::LearnedLibrary library, learned::LearnedLibrary::load(plan.library));
            MITOS_REQUIRE(placement::distributionsBy(model->model, problem, library));
        }
        MITOS_TRY(RegalOutcome outcome, searchedFor(plan, problem, run.key, model, stop));
        outcome.graph = graphs.name(run.key.set, i);
        record.outcomes.push_back(std::move(outcome));
    }
    return record;
}

}  // namespace mitos::search::experiments
