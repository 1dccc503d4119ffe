// SPDX-License-Identifier: GPL-3.0-or-later
// See comparison.h.
#include "search/compare/comparison.h"

#include "core/dialects/dialects.h"
#include "search/parallel.h"

#include <fmt/format.h>

#include <mutex>

namespace mitos::search {

namespace {

/// Enters events and results. Each task has its own run, so only the caller's function needs a lock.
class Entering final : public TaskObserver {
public:
    Entering(std::vector<ComparedRun>& runs, const RunFinished& finished) : m_runs(runs), m_finished(finished) {}

    void onEvent(std::size_t task, const SearchEvent& event) override {
        if (!event.is<Progress>()) m_runs[task].run.events.push_back(event);
    }

    void onResult(std::size_t task, JudgedRun over) override {
        ComparedRun& compared = m_runs[task];
        std::vector<SearchEvent> events = std::move(compared.run.events);
        compared.run = std::move(over.run);
        compared.run.events = std::move(events);
        compared.refused = std::move(over.refused);
        compared.recordError = std::move(over.recordError);
        if (over.result) {
            const SearchResult& result = *over.result;
            compared.costs = result.costs;
            for (const rewrite::Step& step : result.thread.steps) {
                compared.steps.push_back(step.name() + "@" + step.place());
            }
            compared.best =
                result.outcome ? result.outcome->text() : dialects::printProgram(*result.bank, result.thread.end());
        }
        if (!m_finished) return;
        const std::scoped_lock lock(m_mutex);
        m_finished(compared);
    }

private:
    std::vector<ComparedRun>& m_runs;
    const RunFinished& m_finished;
    std::mutex m_mutex;
};

}  // namespace

StrategyInfo fitted(StrategyInfo info, const ComparisonPlan& plan) {
    if (plan.programs.empty()) return info;
    const ComparisonPlan::Subject& first = plan.programs.front();
    return fitted(std::move(info), first.bank->dialect(first.program.function));
}

Result<Comparison> compare(const ComparisonPlan& plan, const std::stop_token& stop, const RunFinished& finished) {
    Comparison comparison{.programs = {}, .strategies = {}, .budgets = plan.budgets, .seeds = plan.seeds, .runs = {}};
    for (Budget& budget : comparison.budgets) budget = completed(budget);
    for (const ComparisonPlan::Subject& subject : plan.programs) {
        comparison.programs.push_back({subject.name, dialects::printProgram(*subject.bank, subject.program)});
    }
    for (const auto& [strategy, parameters] : plan.strategies) {
        MITOS_TRY(ParameterValues resolved, resolveParameters(fitted(strategy->info(), plan), parameters));
        comparison.strategies.push_back({strategy->info().name, strategy->info().title, std::move(resolved)});
    }
    const auto trusted = std::make_shared<const eval::TrustedRules>(plan.rules);
    std::vector<SearchTask> tasks;
    std::vector<int> numbers(plan.programs.size(), 0);
    const auto add = [&](std::size_t p, std::size_t s, const Budget& budget, std::uint64_t seed) -> const Run& {
        const ComparisonPlan::Subject& subject = plan.programs[p];
        SearchTask& task = tasks.emplace_back(SearchTask{
            .strategy = plan.strategies[s].strategy,
            .problem = {*subject.bank, subject.program, plan.rules.directions, plan.cost, budget, seed,
                        comparison.strategies[s].parameters, plan.rules.insisted ? 0.0 : plan.comparisonSeconds},
            .judging = {.rules = trusted,
                        .weights = subject.weights,
                        .seconds = plan.comparisonSeconds,
                        .abandoned = plan.abandoned},
            .record = plan.record ? plan.record(p) : BeginLog()});
        task.run = requestedRun(comparison.strategies[s].name, task.problem, plan.ruleSets);
        task.run.number = ++numbers[p];
        return task.run;
    };
    for (std::size_t p = 0; p < plan.programs.size(); ++p) {
        for (std::size_t s = 0; s < plan.strategies.size(); ++s) {
            for (std::size_t b = 0; b < plan.budgets.size(); ++b) {
                for (std::size_t k = 0; k < plan.seeds.size(); ++k) {
                    comparison.runs.push_back({p, s, b, k, add(p, s, comparison.budgets[b], plan.seeds[k])});
                }
            }
        }
    }
    Entering entering(comparison.runs, finished);
    runAll(tasks, plan.jobs, stop, entering);
    return comparison;
}

std::string toString(const Budget& budget) {
    std::string text;
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (budget.evaluations) add(fmt::format("{} evaluations", *budget.evaluations));
    if (budget.seconds) add(fmt::format("{:g} s", *budget.seconds));
    if (budget.states) add(fmt::format("{} states", *budget.states));
    if (budget.memoryBytes && *budget.memoryBytes != DefaultMemoryBytes) {
        add(fmt::format("{} MiB", *budget.memoryBytes >> 20U));
    }
    return text.empty() ? "no limit" : text;
}

}  // namespace mitos::search
