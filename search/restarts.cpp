// SPDX-License-Identifier: GPL-3.0-or-later
// See restarts.h.
#include "search/restarts.h"

#include "core/base/hash.h"
#include "search/series.h"

#include <algorithm>
#include <utility>

namespace mitos::search {

namespace {

const char* const RestartsName = "restarts";
const char* const FromName = "restart_from";

/// An equal share of a countable budget for each remaining run, at least 1; null without a budget.
std::optional<std::uint64_t> share(const std::optional<std::uint64_t>& budget, std::uint64_t used, std::uint64_t runs) {
    if (!budget) return std::nullopt;
    return std::max<std::uint64_t>(1, (*budget - std::min(*budget, used)) / runs);
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
                         ? "Number of restarts within the budget, each with another seed; 0: a single run."
                         : "Number of restarts within the budget, each from the best program so far; 0: a single run.",
             .defaultValue = std::int64_t{0},
             .minimum = 0,
             .maximum = 10'000});
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
        MITOS_TRY(ParameterValues resolved, resolveParameters(m_info, problem));
        const auto restarts = static_cast<std::uint64_t>(std::get<std::int64_t>(resolved.at(RestartsName)));
        const auto from = resolved.find(FromName);
        const bool fromBest = from == resolved.end() || from->second == ParameterValue(std::string("best"));
        ParameterValues parameters = std::move(resolved);
        parameters.erase(RestartsName);
        parameters.erase(FromName);
        if (restarts == 0) {
            return m_strategy->run({problem.bank, problem.program, problem.rules, problem.cost, problem.budget,
                                    problem.seed, std::move(parameters), problem.comparingSeconds},
                                   std::move(stop), observer);
        }
        return series(problem, parameters, restarts, fromBest, stop, observer);
    }

private:
    [[nodiscard]] Result<SearchResult> series(const SearchProblem& problem, const ParameterValues& parameters,
                                              std::uint64_t restarts, bool fromBest, const std::stop_token& stop,
                                              Observer& observer) const {
        SeriesBudget whole(problem.budget);
        const Budget& budget = whole.whole();
        SeriesObserver events(observer);
        std::optional<SearchResult> best;
        for (std::uint64_t runsLeft = restarts + 1; runsLeft > 0; --runsLeft) {
            const SearchStatistics used = whole.used();
            Budget part{.evaluations = share(budget.evaluations, used.evaluations, runsLeft),
                        .seconds = std::nullopt,
                        .states = share(budget.states, used.states, runsLeft),
                        .memoryBytes = budget.memoryBytes,
                        .reservedBytes = budget.reservedBytes};
            if (budget.seconds) part.seconds = (*budget.seconds - used.seconds) / static_cast<double>(runsLeft);
            // The first run always takes place, since it reports errors in the problem and evaluates the start.
            if (best && whole.usedUp()) break;
            events.nextRun(used, best && fromBest ? best->thread.steps.size() : 0, best ? &*best : nullptr);
            const bool continued = best && fromBest;
            const std::uint64_t number = restarts + 1 - runsLeft;
            MITOS_TRY(SearchResult run,
                      m_strategy->run({continued ? *best->bank : problem.bank,
                                       continued ? best->thread.end() : problem.program, problem.rules, problem.cost,
                                       part, number == 0 ? problem.seed : combineHash(problem.seed, number), parameters,
                                       problem.comparingSeconds},
                                      stop, events));
            whole.add(run.statistics);
            compact(run);
            const StopReason reason = run.reason;
            // A limit of the strategy itself, which another run would reach in the same way.
            const bool ownLimit =
                reason == StopReason::Depth || reason == StopReason::Iterations || reason == StopReason::Pruned ||
                (reason == StopReason::States && (!part.states || run.statistics.states < *part.states));
            const bool better = !best || run.bestCost < best->bestCost;
            if (better) best = continued ? joined(*best, std::move(run)) : std::move(run);
            best->reason = reason;
            if (reason == StopReason::Exhausted || reason == StopReason::Stopped || reason == StopReason::Memory) break;
            if (!better && !m_info.randomized) {
                if (ownLimit) break;
                runsLeft = std::min<std::uint64_t>(runsLeft, 2);  // the next is the last
            }
        }
        best->statistics = whole.used();
        events.finished(*best);
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
