// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/policy_task.h"

#include "search/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace mitos::search::placement {

namespace {

/// The defaults of the genetic algorithm.
ParameterValues usualGenetic() {
    ParameterValues values;
    for (const ParameterInfo& info : geneticParameters()) values.emplace(info.name, info.defaultValue);
    return values;
}

}  // namespace

Result<std::unique_ptr<PolicyTask>> PolicyTask::make(std::vector<schedule::Problem> problems, std::size_t trainingCount,
                                                     const PolicyModel& model, Request search, unsigned jobs,
                                                     const Examples& examples) {
    if (trainingCount == 0 || trainingCount >= problems.size()) {
        return inputError(fmt::format("{} graph{} to learn from", problems.size(), problems.size() == 1 ? "" : "s"),
                          "give at least two graphs: one to train on and one to validate with");
    }
    std::unique_ptr<PolicyTask> task(new PolicyTask());
    task->m_trainingCount = trainingCount;
    task->m_decode = model.decode;
    task->m_betas = model.betas;
    task->m_search = std::move(search);
    task->m_search.observer = {};
    task->m_search.threads = 1;
    task->m_search.team = nullptr;
    task->m_jobs = jobs;
    task->m_examples = examples;
    task->m_values.resize(problems.size());
    for (std::size_t i = 0; i < problems.size(); ++i) {
        const schedule::Problem& problem = problems[i];
        if (problem.deviceCount() != model.devices) {
            return inputError(fmt::format("graph {} is for {} devices, and the model for {}", i + 1,
                                          problem.deviceCount(), model.devices),
                              "give all graphs the same machine");
        }
        const bool isForTime = model.objective == Objective::Runtime;
        const double least =
            isForTime ? schedule::runtimeBounds(problem).best() : static_cast<double>(schedule::peakBound(problem));
        if (least <= 0.0) {
            return inputError(
                fmt::format("the {} of graph {} is 0 in every schedule", isForTime ? "run time" : "peak memory", i + 1),
                "leave it out: there is nothing to learn from it");
        }
        task->m_graphs.push_back(policyGraph(problem, model.objective, model.features));
        task->m_starts.push_back(geneticStarts(problem, task->m_search));
    }
    task->m_problems = std::move(problems);
    return task;
}

Result<double> PolicyTask::cost(std::size_t graph, random_keys::MutantDistributions mutants, std::uint64_t seed,
                                const std::stop_token& stop) const {
    Request request = m_search;
    request.seed = seed;
    // A search that is cut short would have another cost.
    request.stop = stop;
    MITOS_TRY(const Placement found, runGeneticWith(m_problems[graph], request, m_starts[graph], std::move(mutants)));
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
    return m_search.objective == Objective::Memory ? static_cast<double>(found.score.peak) : found.score.runtime;
}

Result<std::vector<std::span<const float>>> PolicyTask::values(std::span<const std::size_t> graphs,
                                                               const std::stop_token& stop) {
    std::vector<std::size_t> missing;
    for (const std::size_t graph : graphs) {
        if (m_values[graph].empty() && std::ranges::find(missing, graph) == missing.end()) missing.push_back(graph);
    }
    const std::size_t searches = m_examples.searches;
    std::vector<std::optional<Result<Placement>>> found(missing.size() * searches);
    runEach(found.size(), m_jobs, stop, [&](std::size_t number, const std::stop_token& token) {
        const schedule::Problem& problem = m_problems[missing[number / searches]];
        const Request request{.objective = m_search.objective,
                              .seed = number % searches + 1,
                              .evaluations = m_examples.evaluations,
                              .parameters = usualGenetic(),
                              .stop = token};
        found[number] = runGenetic(problem, request);
    });
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
    for (std::size_t i = 0; i < missing.size(); ++i) {
        std::vector<schedule::Schedule> schedules;
        for (std::size_t k = 0; k < searches; ++k) {
            auto& placement = *found[i * searches + k];
            if (!placement) return std::move(placement).error();
            schedules.push_back(std::move(placement->schedule));
        }
        m_values[missing[i]] =
            valuesOfChoices(m_problems[missing[i]], m_search.objective, m_decode, m_betas, schedules);
    }
    std::vector<std::span<const float>> values;
    for (const std::size_t graph : graphs) values.emplace_back(m_values[graph]);
    return values;
}

Result<std::vector<double>> PolicyTask::costs(std::span<const learned::Trial> trials, const std::stop_token& stop) {
    std::vector<double> costs(trials.size());
    std::mutex mutex;
    std::optional<Error> failure;
    runEach(trials.size(), m_jobs, stop, [&](std::size_t number, const std::stop_token& token) {
        const learned::Trial& trial = trials[number];
        random_keys::MutantDistributions mutants;
        if (!trial.choices.empty())
            mutants = distributionsOf(m_problems[trial.graph], m_decode, m_betas, trial.choices);
        const Result<double> cost = this->cost(trial.graph, std::move(mutants), trial.seed, token);
        if (cost) {
            costs[number] = *cost;
            return;
        }
        const std::scoped_lock lock(mutex);
        if (!failure) failure = cost.error();
    });
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
    if (failure) return *std::move(failure);
    return costs;
}

}  // namespace mitos::search::placement
