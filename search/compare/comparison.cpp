// SPDX-License-Identifier: GPL-3.0-or-later
// See comparison.h.
#include "search/compare/comparison.h"

#include "core/dialects/dialects.h"
#include "core/rewrite/stated_thread.h"
#include "search/parallel.h"
#include "search/series.h"

#include <fmt/format.h>

#include <mutex>

namespace mitos::search {

namespace {

/// Enters events and results. Each task has its own run, so only the caller's function needs a lock.
class Recording final : public TaskObserver {
public:
    Recording(std::vector<ComparedRun>& runs, const ComparisonPlan& plan, const RunFinished& finished)
        : m_runs(runs),
          m_plan(plan),
          m_finished(finished) {}

    void onEvent(std::size_t task, const SearchEvent& event) override {
        if (!event.is<Progress>()) m_runs[task].run.events.push_back(event);
    }

    void onResult(std::size_t task, Result<SearchResult> result) override {
        ComparedRun& compared = m_runs[task];
        if (result) {
            record(compared, *result);
        } else {
            enterFailure(compared.run, result.error());
        }
        if (!m_finished) return;
        const std::scoped_lock lock(m_mutex);
        m_finished(compared);
    }

private:
    void record(ComparedRun& compared, SearchResult& result) const {
        compact(result);
        Run& run = compared.run;
        enterResult(run, result, rewrite::writeThread(*result.bank, result.thread, result.costs, run.costModel),
                    m_plan.rules);
        compared.costs = result.costs;
        for (const rewrite::Step& step : result.thread.steps)
            compared.steps.push_back(step.name() + "@" + step.place());
        compared.best = dialects::printProgram(*result.bank, result.thread.end());
        rewrite::JudgeOptions options;
        options.sampling.seed = run.seed;
        options.sampling.seconds = m_plan.comparisonSeconds;
        options.sampling.weights = m_plan.programs[compared.program].weights;
        options.rules = &m_plan.rules;
        options.dropped = result.dropped;
        run.verdict = rewrite::judge(*result.bank, result.thread, result.check, options);
        run.judgedRules = rewrite::rulesHash(result.thread);
    }

    std::vector<ComparedRun>& m_runs;
    const ComparisonPlan& m_plan;
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
    std::vector<SearchTask> tasks;
    for (std::size_t p = 0; p < plan.programs.size(); ++p) {
        for (std::size_t s = 0; s < plan.strategies.size(); ++s) {
            for (std::size_t b = 0; b < plan.budgets.size(); ++b) {
                for (std::size_t k = 0; k < plan.seeds.size(); ++k) {
                    const ComparisonPlan::Subject& subject = plan.programs[p];
                    const SearchTask& task = tasks.emplace_back(
                        SearchTask{plan.strategies[s].strategy,
                                   {*subject.bank, subject.program, plan.rules.directions, plan.cost,
                                    comparison.budgets[b], plan.seeds[k], comparison.strategies[s].parameters,
                                    plan.rules.insisted ? 0.0 : plan.comparisonSeconds}});
                    comparison.runs.push_back(
                        {p, s, b, k, requestedRun(comparison.strategies[s].name, task.problem, plan.ruleSets)});
                }
            }
        }
    }
    Recording recording(comparison.runs, plan, finished);
    runAll(tasks, plan.jobs, stop, recording);
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
