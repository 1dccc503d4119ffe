// SPDX-License-Identifier: GPL-3.0-or-later
// See holding.h.
#include "search/holding.h"

#include "core/eval/evaluator.h"
#include "search/series.h"

#include <algorithm>
#include <utility>

namespace mitos::search {

namespace {

constexpr std::size_t MostDropped = 8;
constexpr double LeastComparing = 1.0;     // seconds
constexpr double LeastAfterStop = 0.25;    // seconds
constexpr double PartOfSearch = 1.0 / 20;  // of its time limit

/// One search, whose runs go on from one another.
class HoldingRun {
public:
    HoldingRun(const Strategy& strategy, const SearchProblem& problem, std::stop_token stop, Observer& observer,
               double again)
        : m_strategy(strategy),
          m_problem(problem),
          m_stop(std::move(stop)),
          m_budget(problem.budget),
          m_events(observer),
          m_again(again) {}

    [[nodiscard]] Result<SearchResult> run() {
        for (bool isGuilty = true; isGuilty;) {
            m_events.nextRun(m_budget.used(), m_kept ? m_kept->thread.steps.size() : 0, m_kept ? &*m_kept : nullptr);
            Result<SearchResult> found = m_strategy.run(
                {m_kept ? *m_kept->bank : m_problem.bank, m_kept ? m_kept->thread.end() : m_problem.program,
                 m_kept ? rulesWithout(m_problem.rules, m_kept->dropped) : m_problem.rules, m_problem.cost, budget(),
                 m_problem.seed, m_problem.parameters, m_problem.comparingSeconds},
                m_stop, m_events);
            if (!found && !m_kept) return found;
            if (!found) break;
            isGuilty = take(*std::move(found));
        }
        m_events.finished(*m_kept);
        return *std::move(m_kept);
    }

private:
    /// The whole budget for the first run.
    [[nodiscard]] Budget budget() const {
        if (!m_kept) return m_problem.budget;
        Budget budget = m_budget.whole();
        const SearchStatistics used = m_budget.used();
        const auto cut = [this](std::optional<std::uint64_t>& limit, std::uint64_t spent) {
            if (!limit) return;
            const auto least = static_cast<std::uint64_t>(m_again * static_cast<double>(*limit));
            limit = std::max({std::uint64_t{1}, *limit - std::min(*limit, spent), least});
        };
        cut(budget.evaluations, used.evaluations);
        cut(budget.states, used.states);
        if (budget.seconds) budget.seconds = std::max(*budget.seconds - used.seconds, m_again * *budget.seconds);
        return budget;
    }

    /// Takes what holds of a run's result. Returns whether the search goes on, without a rule that was found guilty.
    [[nodiscard]] bool take(SearchResult found) {
        m_budget.add(found.statistics);
        compact(found);
        SearchStatistics used = m_kept ? m_budget.used() : found.statistics;
        used.part = found.statistics.part;
        SearchResult whole = m_kept ? joined(*m_kept, std::move(found)) : std::move(found);
        whole.statistics = std::move(used);
        m_kept = std::move(whole);
        if (!m_kept->check.valid || m_kept->thread.steps.empty()) return false;
        rewrite::Judged judged =
            rewrite::judgeParts(*m_kept->bank, m_kept->thread, m_kept->costs, m_kept->check, judging());
        if (!judged.refused) return false;
        if (judged.guilty) {
            const std::string& rule = m_kept->thread.steps[*judged.guilty].rule->rule().name;
            m_kept->dropped.push_back({rewrite::RuleRemark::Kind::Dropped, rule, judged.refused->counterexample});
        }
        m_kept->thread = std::move(judged.thread);
        m_kept->costs = std::move(judged.costs);
        m_kept->check = std::move(judged.check);
        m_kept->bestCost = m_kept->costs.back();
        m_events.corrected(m_kept->bestCost, m_kept->thread.steps.size());
        const bool isOver = m_stop.stop_requested() || (m_budget.usedUp() && m_again <= 0.0);
        return judged.guilty && m_kept->dropped.size() < MostDropped && !isOver;
    }

    /// Results are judged in the time that is left, but for at least a second, or a small part of the time limit if that is less. After a stop
    /// the time is shorter.
    [[nodiscard]] rewrite::JudgeOptions judging() const {
        rewrite::JudgeOptions options;
        options.sampling.seed = m_problem.seed;
        options.sampling.seconds = m_problem.comparingSeconds;
        const auto limit = [&options](double seconds) {
            options.sampling.seconds = std::min(options.sampling.seconds, seconds);
        };
        if (const std::optional<double> seconds = m_budget.whole().seconds) {
            limit(std::max(std::min(LeastComparing, PartOfSearch * *seconds), *seconds - m_budget.seconds()));
        }
        if (m_stop.stop_requested()) {
            limit(LeastAfterStop);
        } else {
            options.sampling.limits.stop = m_stop;
        }
        return options;
    }

    const Strategy& m_strategy;
    const SearchProblem& m_problem;
    const std::stop_token m_stop;
    SeriesBudget m_budget;
    SeriesObserver m_events;
    double m_again;                      ///< part of the budget that a run gets at least
    std::optional<SearchResult> m_kept;  ///< what holds so far; null before the first result
};

}  // namespace

std::vector<std::shared_ptr<const rules::DirectedRule>> rulesWithout(
    const std::vector<std::shared_ptr<const rules::DirectedRule>>& rules,
    const std::vector<rewrite::RuleRemark>& dropped) {
    std::vector<std::shared_ptr<const rules::DirectedRule>> left = rules;
    std::erase_if(left, [&](const auto& direction) {
        return std::ranges::find(dropped, direction->rule().name, &rewrite::RuleRemark::rule) != dropped.end();
    });
    return left;
}

Result<SearchResult> runHolding(const Strategy& strategy, const SearchProblem& problem, const std::stop_token& stop,
                                Observer& observer, double again) {
    const bool isQuick = eval::isQuickToCompare(problem.bank, problem.program);
    if (problem.comparingSeconds <= 0.0 || !isQuick) return strategy.run(problem, stop, observer);
    return HoldingRun(strategy, problem, stop, observer, again).run();
}

}  // namespace mitos::search
