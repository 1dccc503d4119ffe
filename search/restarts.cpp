// SPDX-License-Identifier: GPL-3.0-or-later
// See restarts.h.
#include "search/restarts.h"

#include "core/base/hash.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

namespace mitos::search {

namespace {

const char* const RestartsName = "restarts";
const char* const FromName = "restart_from";

/// Makes the events of a series of runs those of one search.
class SeriesObserver final : public Observer {
public:
    explicit SeriesObserver(Observer& next) : m_next(next) {}

    void onEvent(const SearchEvent& event) override {
        if (event.kind == EventKind::Finished) return;
        const bool first = m_runs == 0;
        if (event.kind == EventKind::Started) {
            ++m_runs;
            if (!first) return;
            m_best = event.best;
        }
        if (event.kind == EventKind::Improved && event.best >= m_best) return;
        SearchEvent shifted = event;
        shifted.seconds += m_seconds;
        shifted.evaluations += m_evaluations;
        shifted.states += m_states;
        if (event.best < m_best) {
            m_best = event.best;
            m_pathLength = m_steps + event.pathLength;
        }
        shifted.best = m_best;
        shifted.pathLength = m_pathLength;
        m_next.onEvent(shifted);
    }

    /// What the runs so far have used, and the steps from the start to where the next begins.
    void nextRun(const SearchStatistics& used, double seconds, std::size_t steps) {
        m_seconds = seconds;
        m_evaluations = used.evaluations;
        m_states = used.states;
        m_steps = static_cast<std::uint32_t>(steps);
    }

private:
    Observer& m_next;
    int m_runs = 0;
    double m_best = 0.0;
    double m_seconds = 0.0;
    std::uint64_t m_evaluations = 0;
    std::uint64_t m_states = 0;
    std::uint32_t m_steps = 0;
    std::uint32_t m_pathLength = 0;
};

void add(SearchStatistics& total, const SearchStatistics& run) {
    total.evaluations += run.evaluations;
    total.states += run.states;
    total.expansions += run.expansions;
    total.rewrites += run.rewrites;
    total.memoryBytes = std::max(total.memoryBytes, run.memoryBytes);
}

/// An equal share of a countable budget for each of the runs that are left; nothing once it is used up.
std::optional<std::uint64_t> share(const std::optional<std::uint64_t>& budget, std::uint64_t used, std::uint64_t runs) {
    if (!budget) return std::nullopt;
    const std::uint64_t left = *budget - std::min(*budget, used);
    return left == 0 ? 0 : std::max<std::uint64_t>(1, left / runs);
}

/// `further`, which starts where `before` ends, as one search from the start of `before`.
SearchResult joined(const SearchResult& before, SearchResult further) {
    rewrite::Thread thread = rewrite::transplant(*before.bank, before.thread, *further.bank);
    assert(thread.end().root == further.thread.start.root);
    std::ranges::move(further.thread.steps, std::back_inserter(thread.steps));
    std::ranges::copy(further.thread.states, std::back_inserter(thread.states));
    std::vector<double> costs = before.costs;
    costs.insert(costs.end(), further.costs.begin() + 1, further.costs.end());
    further.thread = std::move(thread);
    further.costs = std::move(costs);
    further.initialCost = before.initialCost;
    further.check = rewrite::check(*further.bank, further.thread);
    return further;
}

class Restarting final : public Strategy {
public:
    explicit Restarting(std::unique_ptr<Strategy> strategy)
        : m_strategy(std::move(strategy)),
          m_info(m_strategy->info()) {
        m_info.parameters.push_back(
            {.name = RestartsName,
             .title = "Restarts",
             .help = m_info.randomized
                         ? "Times to begin again within the budget, each with another seed; 0: one run has it all."
                         : "Times to begin again at the best program found, within the budget; 0: one run has it all.",
             .defaultValue = std::int64_t{0},
             .minimum = 0,
             .maximum = 10'000,
             .choices = {}});
        if (!m_info.randomized) return;
        m_info.parameters.push_back({.name = FromName,
                                     .title = "Restart from",
                                     .help = "Where a restart begins: at the start, or at the best program so far.",
                                     .defaultValue = std::string("start"),
                                     .choices = {"start", "best"}});
    }

    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                           Observer& observer) const override {
        Result<ParameterValues> resolved = resolveParameters(m_info, problem.parameters);
        if (!resolved) return std::move(resolved).error();
        const auto restarts = static_cast<std::uint64_t>(std::get<std::int64_t>(resolved->at(RestartsName)));
        const auto from = resolved->find(FromName);
        const bool fromBest = from == resolved->end() || from->second == ParameterValue(std::string("best"));
        ParameterValues parameters = *std::move(resolved);
        parameters.erase(RestartsName);
        parameters.erase(FromName);
        if (restarts == 0) {
            return m_strategy->run({problem.bank, problem.program, problem.rules, problem.cost, problem.budget,
                                    problem.seed, std::move(parameters)},
                                   std::move(stop), observer);
        }
        return series(problem, parameters, restarts, fromBest, stop, observer);
    }

private:
    [[nodiscard]] Result<SearchResult> series(const SearchProblem& problem, const ParameterValues& parameters,
                                              std::uint64_t restarts, bool fromBest, const std::stop_token& stop,
                                              Observer& observer) const {
        const auto started = std::chrono::steady_clock::now();
        const auto elapsed = [&started] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
        };
        const Budget budget = completed(problem.budget);
        SeriesObserver events(observer);
        SearchStatistics used;
        std::optional<SearchResult> best;
        for (std::uint64_t runsLeft = restarts + 1; runsLeft > 0; --runsLeft) {
            Budget part{.evaluations = share(budget.evaluations, used.evaluations, runsLeft),
                        .seconds = std::nullopt,
                        .states = share(budget.states, used.states, runsLeft),
                        .memoryBytes = budget.memoryBytes};
            if (budget.seconds) part.seconds = (*budget.seconds - elapsed()) / static_cast<double>(runsLeft);
            // The first run is made in any case: it says what is wrong with a problem, and values the start.
            if (best && (part.evaluations == 0U || part.states == 0U || part.seconds.value_or(1.0) <= 0.0)) break;
            events.nextRun(used, elapsed(), best && fromBest ? best->thread.steps.size() : 0);
            const bool continued = best && fromBest;
            const std::uint64_t number = restarts + 1 - runsLeft;
            Result<SearchResult> run =
                m_strategy->run({continued ? *best->bank : problem.bank,
                                 continued ? best->thread.end() : problem.program, problem.rules, problem.cost, part,
                                 number == 0 ? problem.seed : combineHash(problem.seed, number), parameters},
                                stop, events);
            if (!run) return std::move(run).error();
            add(used, run->statistics);
            const StopReason reason = run->reason;
            const bool better = !best || run->bestCost < best->bestCost;
            if (better) best = continued ? joined(*best, *std::move(run)) : *std::move(run);
            best->reason = reason;
            if (reason == StopReason::Exhausted || reason == StopReason::Stopped || reason == StopReason::Memory) break;
            if (!better && !m_info.randomized) {
                if (reason == StopReason::Depth || reason == StopReason::Pruned) break;
                runsLeft = std::min<std::uint64_t>(runsLeft, 2);  // the next is the last
            }
        }
        used.seconds = elapsed();
        best->statistics = used;
        observer.onEvent({.kind = EventKind::Finished,
                          .seconds = used.seconds,
                          .evaluations = used.evaluations,
                          .states = used.states,
                          .frontier = 0,
                          .memoryBytes = used.memoryBytes,
                          .cost = best->bestCost,
                          .best = best->bestCost,
                          .pathLength = static_cast<std::uint32_t>(best->thread.steps.size()),
                          .rule = {},
                          .reason = best->reason});
        return *std::move(best);
    }

    std::unique_ptr<Strategy> m_strategy;
    StrategyInfo m_info;
};

}  // namespace

std::unique_ptr<Strategy> withRestarts(std::unique_ptr<Strategy> strategy) {
    return std::make_unique<Restarting>(std::move(strategy));
}

}  // namespace mitos::search
