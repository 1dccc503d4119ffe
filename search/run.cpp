// SPDX-License-Identifier: GPL-3.0-or-later
// See run.h.
#include "search/run.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::search {

namespace {

constexpr double NearBest = 0.01;

}  // namespace

Run requestedRun(const std::string& strategy, const SearchProblem& problem, const std::string& ruleSets) {
    Run run;
    run.strategy = strategy;
    run.parameters = problem.parameters;
    run.rules = ruleSets;
    run.costModel = problem.cost->info().name;
    run.budget = problem.budget;
    run.seed = problem.seed;
    return run;
}

void enterResult(Run& run, const SearchResult& result, std::string threadText, const eval::TrustedRules& rules) {
    run.state = RunState::Finished;
    run.stop = toString(result.reason);
    run.initialCost = result.initialCost;
    run.bestCost = result.bestCost;
    run.threadChecked = result.check.valid;
    run.thread = std::move(threadText);
    enterOutcome(run, result.outcome.get());
    run.statistics = result.statistics;
    run.failedRules = rules.failed;
    run.appliesFailedRules = rules.insisted;
    run.leftOutRules = rules.leftOut();
}

void enterOutcome(Run& run, const OutcomeValue* outcome) {
    run.outcomeKind = outcome != nullptr ? outcome->kind() : "";
    run.outcomeSummary = outcome != nullptr ? outcome->summary() : "";
    run.outcome = outcome != nullptr ? outcome->text() : "";
}

void enterFailure(Run& run, const Error& error) {
    run.state = RunState::Failed;
    run.stop = error.oneLine();
}

std::vector<Improvement> curveOf(const Run& run) {
    std::vector<Improvement> curve;
    std::uint64_t iterations = 0;
    for (const SearchEvent& event : run.events) {
        if (event.is<Iteration>()) ++iterations;
        if (event.is<Started>()) curve.push_back({event.evaluations, event.seconds, event.best, 0});
        // An iteration is reported when it is over, and what it found before that.
        if (event.is<Improved>()) curve.push_back({event.evaluations, event.seconds, event.best, iterations + 1});
    }
    for (Improvement& point : curve) point.iterations = std::min(point.iterations, iterations);
    return curve;
}

std::uint64_t iterationsOf(const Run& run) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(run.events, [](const SearchEvent& event) { return event.is<Iteration>(); }));
}

Improvement nearBest(const std::vector<Improvement>& curve) {
    const double best = curve.back().best;
    const double enough = best + NearBest * std::abs(best);
    return *std::ranges::find_if(curve, [enough](const Improvement& point) { return point.best <= enough; });
}

}  // namespace mitos::search
