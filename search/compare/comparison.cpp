// SPDX-License-Identifier: GPL-3.0-or-later
// See comparison.h.
#include "search/compare/comparison.h"

#include "core/dialects/dialects.h"
#include "search/parallel.h"

#include <fmt/format.h>

#include <mutex>

namespace mitos::search {

namespace {

/// Turns events and results into records. Each task has its own record, so only the caller's function needs a lock.
class Recording final : public TaskObserver {
public:
    Recording(std::vector<RunRecord>& runs, const ComparisonPlan& plan, const RunFinished& finished)
        : m_runs(runs),
          m_plan(plan),
          m_finished(finished) {}

    void onEvent(std::size_t task, const SearchEvent& event) override {
        if (!event.is<Started>() && !event.is<Improved>()) return;
        m_runs[task].curve.push_back({event.evaluations, event.seconds, event.best});
    }

    void onResult(std::size_t task, Result<SearchResult> result) override {
        RunRecord& run = m_runs[task];
        if (result) {
            record(run, *result);
        } else {
            run.state = RunRecord::State::Failed;
            run.error = result.error().oneLine();
        }
        if (!m_finished) return;
        const std::scoped_lock lock(m_mutex);
        m_finished(run);
    }

private:
    void record(RunRecord& run, const SearchResult& result) const {
        run.enter(result);
        rewrite::JudgeOptions options;
        options.sampling.seed = m_plan.seeds[run.seed];
        options.sampling.seconds = m_plan.comparisonSeconds;
        options.sampling.weights = m_plan.programs[run.program].weights;
        options.rules = m_plan.trust.get();
        run.verdict = rewrite::judge(*result.bank, result.thread, result.check, options);
    }

    std::vector<RunRecord>& m_runs;
    const ComparisonPlan& m_plan;
    const RunFinished& m_finished;
    std::mutex m_mutex;
};

}  // namespace

void RunRecord::enter(const SearchResult& result) {
    state = State::Done;
    initialCost = result.initialCost;
    bestCost = result.bestCost;
    reason = result.reason;
    statistics = result.statistics;
    costs = result.costs;
    for (const rewrite::Step& step : result.thread.steps) steps.push_back({step.name(), step.place()});
    best = dialects::printProgram(*result.bank, result.thread.end());
}

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
                    RunRecord& run = comparison.runs.emplace_back();
                    run.program = p;
                    run.strategy = s;
                    run.budget = b;
                    run.seed = k;
                    const ComparisonPlan::Subject& subject = plan.programs[p];
                    tasks.push_back({plan.strategies[s].strategy,
                                     {*subject.bank, subject.program, plan.rules, plan.cost, comparison.budgets[b],
                                      plan.seeds[k], comparison.strategies[s].parameters}});
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
