// SPDX-License-Identifier: GPL-3.0-or-later
// A search in phases that differ in the rules they may use: the Knossos paper's two-phase schedule (section 5).
#include "core/ir/transplant.h"
#include "search/rewriting/schedule.h"
#include "search/rewriting/state_space.h"
#include "search/rewriting/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace mitos::search {

namespace {

/// Unfolds and fuses first, whatever it costs on the way; then everything is allowed.
constexpr const char* DefaultSchedule =
    "phase1, inline_let, delete_let, size_of_build, select_of_tuple, if_true, if_false, if_both_same: exhaust; "
    "all: astar";

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The phases of one run. The steps of all of them make one chain in a bank of its own; the result is the cheapest state
/// on it. A phase begins where the one before it ended, and its expressions are forgotten when it is over.
class PhasedRun final : public Observer {
public:
    PhasedRun(const SearchProblem& problem, std::int64_t depth, std::stop_token stop, Observer& observer)
        : m_problem(problem),
          m_depth(depth),
          m_stop(std::move(stop)),
          m_observer(observer),
          m_budget(completed(problem.budget)),
          m_started(std::chrono::steady_clock::now()),
          m_bank(std::make_shared<ir::TermBank>(problem.bank.sharedRegistry())) {
        m_chain.start = ir::Transplanter(problem.bank, *m_bank).program(problem.program);
    }

    [[nodiscard]] Result<SearchResult> run(const std::vector<Phase>& phases) {
        for (const Phase& phase : phases) {
            const DirectedRules rules = selectRules(phase.selectors, m_problem.rules);
            if (rules.empty()) continue;
            if (const Status done = runPhase(phase, rules); !done) return done.error();
            const bool more = m_reason == StopReason::Exhausted || m_reason == StopReason::Depth || !used(m_budget);
            if (!more || m_stop.stop_requested()) break;
        }
        if (m_costs.empty()) {  // no phase had a rule: the start is all there is
            const Phase nothing{{}, makeExhaust(), {}, 1.0};
            if (const Status done = runPhase(nothing, {}); !done) return done.error();
        }
        return finish();
    }

    void onEvent(const SearchEvent& event) override {
        if (event.kind == EventKind::Finished) return;
        if (event.kind == EventKind::Started && !m_costs.empty()) return;
        if (event.kind == EventKind::Improved && event.best >= m_best) return;
        SearchEvent whole = event;
        m_best = std::min(m_best, event.best);
        whole.best = m_best;
        whole.seconds = secondsSince(m_started);
        whole.evaluations += m_statistics.evaluations;
        whole.states += m_statistics.states;
        whole.memoryBytes += m_bank->bytes();
        whole.pathLength += static_cast<std::uint32_t>(m_chain.steps.size());
        m_observer.onEvent(whole);
    }

private:
    /// Whether a limit is reached, the start of the next phase, which was counted before, left out.
    [[nodiscard]] bool used(const Budget& budget) const {
        return (budget.evaluations && m_statistics.evaluations + 1 >= *budget.evaluations) ||
               (budget.states && m_statistics.states + 1 >= *budget.states) ||
               (budget.seconds && secondsSince(m_started) >= *budget.seconds);
    }

    /// What is left of the whole budget, at most the phase's share of it.
    [[nodiscard]] Budget budgetOf(const Phase& phase) const {
        Budget budget = m_budget;
        const auto cut = [&](std::optional<std::uint64_t>& limit, std::uint64_t spent) {
            if (!limit) return;
            const auto share = static_cast<std::uint64_t>(std::llround(phase.share * static_cast<double>(*limit)));
            limit = std::max<std::uint64_t>(1, std::min(share, *limit - spent));
        };
        cut(budget.evaluations, m_statistics.evaluations);
        cut(budget.states, m_statistics.states);
        if (budget.seconds) {
            budget.seconds = std::min(phase.share * *budget.seconds, *budget.seconds - secondsSince(m_started));
        }
        return budget;
    }

    [[nodiscard]] Status runPhase(const Phase& phase, const DirectedRules& rules) {
        SearchProblem problem{*m_bank,         m_chain.end(),  rules,           m_problem.cost,
                              budgetOf(phase), m_problem.seed, phase.parameters};
        const auto& known = phase.strategy->info().parameters;
        if (std::ranges::find(known, "depth", &ParameterInfo::name) != known.end()) {
            problem.parameters.try_emplace("depth", m_depth);
        }
        const Result<SearchResult> result = phase.strategy->run(problem, m_stop, *this);
        if (!result) return result.error();
        if (m_costs.empty()) m_costs.push_back(result->initialCost);
        const rewrite::Thread steps = rewrite::transplant(*result->bank, result->thread, *m_bank);
        m_chain.steps.insert(m_chain.steps.end(), steps.steps.begin(), steps.steps.end());
        m_chain.states.insert(m_chain.states.end(), steps.states.begin(), steps.states.end());
        m_costs.insert(m_costs.end(), result->costs.begin() + 1, result->costs.end());
        // The start of the next phase is valued and kept there again; it counts once.
        const SearchStatistics& statistics = result->statistics;
        m_statistics.evaluations += statistics.evaluations - 1;
        m_statistics.states += statistics.states - 1;
        m_statistics.expansions += statistics.expansions;
        m_statistics.rewrites += statistics.rewrites;
        m_statistics.memoryBytes = std::max(m_statistics.memoryBytes, statistics.memoryBytes + m_bank->bytes());
        m_reason = result->reason;
        return Success{};
    }

    [[nodiscard]] SearchResult finish() {
        // The same idea of "lower" as in every search: by more than rounding, and the first of equals.
        std::size_t best = 0;
        for (std::size_t i = 1; i < m_costs.size(); ++i) {
            if (isLower(m_costs[i], m_costs[best])) best = i;
        }
        SearchResult result;
        result.bank = m_bank;
        result.thread = m_chain;
        result.thread.steps.resize(best);
        result.thread.states.resize(best);
        result.costs.assign(m_costs.begin(), m_costs.begin() + static_cast<std::ptrdiff_t>(best) + 1);
        result.check = rewrite::check(*m_bank, result.thread);
        result.initialCost = m_costs.front();
        result.bestCost = m_costs[best];
        result.reason = m_reason;
        result.statistics = m_statistics;
        ++result.statistics.evaluations;
        ++result.statistics.states;
        result.statistics.seconds = secondsSince(m_started);
        m_observer.onEvent({.kind = EventKind::Finished,
                            .seconds = result.statistics.seconds,
                            .evaluations = result.statistics.evaluations,
                            .states = result.statistics.states,
                            .memoryBytes = result.statistics.memoryBytes,
                            .cost = result.bestCost,
                            .best = result.bestCost,
                            .pathLength = static_cast<std::uint32_t>(best),
                            .rule = {},
                            .reason = result.reason});
        return result;
    }

    const SearchProblem& m_problem;
    std::int64_t m_depth;
    std::stop_token m_stop;
    Observer& m_observer;
    Budget m_budget;
    std::chrono::steady_clock::time_point m_started;
    std::shared_ptr<ir::TermBank> m_bank;
    rewrite::Thread m_chain;
    std::vector<double> m_costs;    ///< of the chain's states; empty before the first phase
    SearchStatistics m_statistics;  ///< of the phases that are over, without the start
    double m_best = std::numeric_limits<double>::infinity();
    StopReason m_reason = StopReason::Exhausted;
};

class Phases final : public Strategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> run(const SearchProblem& problem, std::stop_token stop,
                                           Observer& observer) const override {
        const Result<ParameterValues> parameters = resolveParameters(m_info, problem.parameters);
        if (!parameters) return parameters.error();
        const std::string& text = std::get<std::string>(parameters->at("schedule"));
        const Result<std::vector<Phase>> schedule = parseSchedule(text);
        if (!schedule) return schedule.error();
        // The default is for every set of rules; what the user wrote must mean something.
        for (const Phase& phase : *schedule) {
            if (text == DefaultSchedule) break;
            const std::string unknown = unknownSelector(phase.selectors, problem.rules);
            if (unknown.empty()) continue;
            return Error{ErrorCode::InvalidInput,
                         fmt::format("schedule: no rule is called \"{}\" or has that tag", unknown),
                         std::nullopt,
                         "`mitos-cli rules list` shows the names and tags of a set's rules.",
                         {}};
        }
        const std::int64_t depth = std::get<std::int64_t>(parameters->at("depth"));
        return PhasedRun(problem, depth, std::move(stop), observer).run(*schedule);
    }

private:
    StrategyInfo m_info{
        .name = "phases",
        .title = "Phases with different rules",
        .description =
            "One search after the other, each with rules chosen by tag or name and from where the one before "
            "ended; the result is the cheapest program on the whole way. The default unfolds and fuses "
            "first, whatever it costs, then searches with all rules. Knossos paper, section 5, two-phase "
            "schedule.",
        .parameters = {{.name = "schedule",
                        .title = "Schedule",
                        .help = "Phases separated by ';', each: rules (tags, names, all, -without) : exhaust or a "
                                "strategy(name=value, …) @ share of the budget in %.",
                        .defaultValue = std::string(DefaultSchedule),
                        .choices = {}},
                       {.name = "depth",
                        .title = "Depth",
                        .help = "Steps of a phase at most, where the schedule does not say.",
                        .defaultValue = std::int64_t{60},
                        .minimum = 1,
                        .maximum = 1000,
                        .choices = {}}}};
};

}  // namespace

std::unique_ptr<Strategy> makePhases() { return std::make_unique<Phases>(); }

}  // namespace mitos::search
