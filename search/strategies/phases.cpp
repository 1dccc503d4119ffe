// SPDX-License-Identifier: GPL-3.0-or-later
// A search in phases that differ in the rules they may use: the Knossos paper's two-phase schedule (section 5).
#include "search/cost_order.h"
#include "search/idle_parts.h"
#include "search/rewriting/rewriting.h"
#include "search/series.h"
#include "search/strategies/internal/schedule.h"
#include "search/strategies/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace mitos::search {

namespace {

/// First applies rules that are always beneficial; then turns sums of deltas into loops; then unfolds and fuses at any cost; then searches
/// with all rules, first with a short horizon, within which the potential distinguishes expressions, then from the best program
/// so far with the full depth.
constexpr const char* DefaultSchedule =
    "always: simplify; deltas: exhaust(depth=1000); phase1, unfold: exhaust; all: astar(depth=10) @ 80%; all: astar";

/// The phases of one run, one after the other.
class PhasedRun {
public:
    PhasedRun(const SearchProblem& problem, std::int64_t depth, std::stop_token stop, Observer& observer)
        : m_problem(problem),
          m_depth(depth),
          m_stop(std::move(stop)),
          m_events(observer),
          m_budget(problem.budget) {}

    [[nodiscard]] Result<SearchResult> run(const std::vector<Phase>& phases) {
        bool hasSearched = false;
        for (const Phase& phase : phases) {
            const DirectedRules rules = selectRules(phase.selectors, m_problem.rules);
            if (rules.empty()) continue;
            if (m_chain && m_chain->reason == StopReason::Stopped) break;
            if (const std::optional<StopReason> limit = m_budget.usedUp(); limit && m_chain) {
                m_chain->reason = *limit;
                break;
            }
            // A program that was unfolded at any cost, and from which no search came down, is no start for another search.
            if (hasSearched && !phase.rewritesOnly()) cutToTheCheapest(*m_chain);
            MITOS_REQUIRE(runPhase(phase, rules));
            // Rewriting that did not come to its end within the depth has blown the program up: names are replaced by values everywhere.
            const bool isUnfinished = m_chain->reason == StopReason::Depth && !phase.parameters.contains("depth");
            hasSearched = !phase.rewritesOnly() || isUnfinished;
        }
        if (!m_chain) {  // no phase had a rule; the result is the start
            Phase nothing;
            nothing.strategy = makeExhaust();
            MITOS_REQUIRE(runPhase(nothing, {}));
        }
        cutToTheCheapest(*m_chain);
        leaveOutIdleParts(*m_chain, *m_problem.cost, [this] {
            const std::optional<double> seconds = m_budget.whole().seconds;
            return !m_stop.stop_requested() && (!seconds || m_budget.seconds() < *seconds);
        });
        m_chain->statistics = m_budget.used();
        m_events.finished(*m_chain);
        return *std::move(m_chain);
    }

private:
    /// The remaining budget, limited to the phase's share of the whole budget.
    [[nodiscard]] Budget budgetOf(const Phase& phase) const {
        Budget budget = m_budget.next([&](double whole, double left) { return std::min(phase.share * whole, left); });
        if (phase.isFree()) budget.evaluations = budget.states = std::nullopt;
        return budget;
    }

    [[nodiscard]] Status runPhase(const Phase& phase, const DirectedRules& rules) {
        SearchProblem problem{m_chain ? *m_chain->bank : m_problem.bank,
                              m_chain ? m_chain->thread.end() : m_problem.program,
                              rules,
                              m_problem.cost,
                              budgetOf(phase),
                              m_problem.seed,
                              phase.parameters,
                              m_problem.comparingSeconds};
        const auto& known = phase.strategy->info().parameters;
        if (std::ranges::find(known, "depth", &ParameterInfo::name) != known.end()) {
            problem.parameters.try_emplace("depth", m_depth);
        }
        m_events.nextRun(m_budget.used(), m_chain ? m_chain->thread.steps.size() : 0, m_chain ? &*m_chain : nullptr);
        UncountedObserver uncounted(m_events);
        MITOS_TRY(SearchResult result,
                  phase.strategy->run(problem, m_stop, phase.isFree() ? static_cast<Observer&>(uncounted) : m_events));
        if (!phase.isFree()) m_budget.add(result.statistics);
        compact(result);
        m_chain = m_chain ? joined(*m_chain, std::move(result)) : std::move(result);
        return Success{};
    }

    /// Cuts the thread after its cheapest state; of costs that are equal up to rounding the first counts, as in every search.
    static void cutToTheCheapest(SearchResult& chain) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < chain.costs.size(); ++i) {
            if (isLower(chain.costs[i], chain.costs[best])) best = i;
        }
        chain.thread.steps.resize(best);
        chain.thread.states.resize(best);
        chain.costs.resize(best + 1);
        chain.bestCost = chain.costs.back();
        chain.check = rewrite::check(*chain.bank, chain.thread);
    }

    const SearchProblem& m_problem;
    std::int64_t m_depth;
    std::stop_token m_stop;
    SeriesObserver m_events;
    SeriesBudget m_budget;
    std::optional<SearchResult> m_chain;  ///< the phases so far as one search; null before the first
};

class Phases final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const std::string& text = std::get<std::string>(parameters.at("schedule"));
        MITOS_TRY(const std::vector<Phase> schedule, parseSchedule(text));
        const ParameterValue usual =
            fitted(m_info, problem.bank.dialect(problem.program.function)).parameters.front().defaultValue;
        // The default schedules fit every set of rules; selectors in a schedule from the user must match a rule.
        for (const Phase& phase : schedule) {
            if (text == DefaultSchedule || text == std::get<std::string>(usual)) break;
            const std::string unknown = unknownSelector(phase.selectors, problem);
            if (unknown.empty()) continue;
            return inputError(fmt::format("schedule: no rule is called \"{}\" or has that tag", unknown),
                              "`mitos-cli rules list` shows the names and tags of a set's rules.");
        }
        const std::int64_t depth = std::get<std::int64_t>(parameters.at("depth"));
        return PhasedRun(problem, depth, std::move(stop), observer).run(schedule);
    }

private:
    StrategyInfo m_info{
        .name = "phases",
        .label = "Phases",
        .title = "Phases with different rules",
        .description =
            "Searches in sequence, each with rules chosen by tag or name and from where the one before ended; "
            "the result is the cheapest program on the whole path, reached without steps that do nothing for it. The "
            "default applies the rules tagged always "
            "(which uses no budget), then those that make loops of sums of deltas, and those that unfold and "
            "fuse, at any cost, and then searches with all rules. A search after a search, or after rewriting that "
            "did not come to an end, begins at the cheapest program so far; networks are searched by blocks with "
            "most of the budget, then by backtracking. Knossos paper, section 5, two-phase schedule.",
        .parameters =
            {{.name = "schedule",
              .title = "Schedule",
              .help = "Phases separated by ';', each: rules (tags, names, all, -without) : simplify, exhaust or a "
                      "strategy(name=value, …) @ share of the budget in %.",
              .defaultValue = std::string(DefaultSchedule)},
             depthParameter("Largest number of steps of a phase, unless the schedule says otherwise.", 60)},
        .randomized = true};  // a schedule may name randomized strategies, as that of tensor programs does
};

}  // namespace

std::unique_ptr<Strategy> makePhases() { return std::make_unique<Phases>(); }

}  // namespace mitos::search
