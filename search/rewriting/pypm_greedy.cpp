// SPDX-License-Identifier: GPL-3.0-or-later
// PyPM's pass as a search: no choice, no look ahead. Its program may be dearer than one on its way, as users' rules may do anything, so the
// result ends at the cheapest.
#include "core/ir/transplant.h"
#include "core/rewrite/greedy_pass.h"
#include "search/cost_order.h"
#include "search/rewriting/rewriting.h"
#include "search/series.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search {

namespace {

constexpr std::string_view UsersFirstName = "users-first";
constexpr std::string_view OperandsFirstName = "operands-first";

/// One run: its costs, its limits and its events.
class PypmRun {
public:
    PypmRun(const SearchProblem& problem, std::uint64_t steps, std::stop_token stop, Observer& observer)
        : m_problem(problem),
          m_budget(completed(problem.budget)),
          m_steps(steps),
          m_stop(std::move(stop)),
          m_observer(observer),
          m_bank(std::make_shared<ir::TermBank>(problem.bank.sharedRegistry())),
          m_program(ir::Transplanter(problem.bank, *m_bank).program(problem.program)),
          m_evaluator(problem.cost->evaluator(*m_bank, m_program.function)) {}

    Result<SearchResult> run(rewrite::WalkOrder order) {
        MITOS_TRY(const double initial, m_evaluator->cost(m_program.root, {}));
        if (!std::isfinite(initial))
            return Error{ErrorCode::InvalidInput, "the cost of the program is not a finite number"};
        m_costs.push_back(initial);
        report(Started{}, {m_program, {}, {}});
        rewrite::GreedyPass pass =
            rewrite::greedyPass(*m_bank, m_program, m_problem.rules, order, [this](const rewrite::Thread& thread) {
                follow(thread);
                return !isOver(thread);
            });
        const std::size_t taken = pass.thread.steps.size();
        SearchResult result = cheapestPart(m_bank, std::move(pass.thread), m_costs);
        result.reason = m_reason.value_or(StopReason::Exhausted);
        result.statistics = {.evaluations = m_costs.size(),
                             .states = m_costs.size(),
                             .expansions = pass.visits,
                             .rewrites = taken,
                             .memoryBytes = m_bank->bytes() + m_evaluator->bytes(),
                             .seconds = seconds()};
        if (taken > result.thread.steps.size()) {
            result.notes.push_back(
                fmt::format("the pass took {} steps, to a program of cost {:g}; the result is the "
                            "cheapest program on its way, after {}",
                            taken, m_costs.back(), result.thread.steps.size()));
        }
        m_observer.onEvent(finishedEvent(result));
        return result;
    }

private:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    }

    /// Evaluates a state that is new.
    void follow(const rewrite::Thread& thread) {
        if (thread.steps.size() < m_costs.size()) return;
        m_costs.push_back(m_evaluator->costOrInfinity(thread.end().root));
        if (!isLower(m_costs.back(), m_costs[m_best])) return;
        m_best = m_costs.size() - 1;
        report(Improved{thread.steps.back().name()}, thread);
    }

    bool isOver(const rewrite::Thread& thread) {
        constexpr double ProgressInterval = 0.1;
        if (m_stop.stop_requested()) {
            m_reason = StopReason::Stopped;
        } else if (m_budget.seconds && seconds() >= *m_budget.seconds) {
            m_reason = StopReason::Seconds;
        } else if (m_bank->bytes() + m_evaluator->bytes() > m_budget.searchBytes()) {
            m_reason = StopReason::Memory;
        } else if (m_budget.evaluations && m_costs.size() >= *m_budget.evaluations) {
            m_reason = StopReason::Evaluations;
        } else if (m_budget.states && m_costs.size() >= *m_budget.states) {
            m_reason = StopReason::States;
        } else if (m_costs.size() > m_steps) {
            m_reason = StopReason::Depth;
        } else if (seconds() - m_lastProgress >= ProgressInterval) {
            report(Progress{}, thread);
            m_lastProgress = seconds();
        }
        return m_reason.has_value();
    }

    void report(EventBody what, const rewrite::Thread& thread) {
        m_observer.onEvent({.what = std::move(what),
                            .seconds = seconds(),
                            .evaluations = m_costs.size(),
                            .states = m_costs.size(),
                            .memoryBytes = m_bank->bytes() + m_evaluator->bytes(),
                            .cost = m_costs.back(),
                            .best = m_costs[m_best],
                            .pathLength = static_cast<std::uint32_t>(m_best)});
        m_observer.onBest([&]() -> std::optional<BestSoFar> {
            rewrite::Thread found{thread.start, {}, {}};
            found.steps.assign(thread.steps.begin(), thread.steps.begin() + static_cast<std::ptrdiff_t>(m_best));
            found.states.assign(thread.states.begin(), thread.states.begin() + static_cast<std::ptrdiff_t>(m_best));
            const auto bank = std::make_shared<ir::TermBank>(m_bank->sharedRegistry());
            found = rewrite::transplant(*m_bank, found, *bank);
            return BestSoFar{
                bank, std::move(found), {m_costs.begin(), m_costs.begin() + static_cast<std::ptrdiff_t>(m_best) + 1}};
        });
    }

    const SearchProblem& m_problem;
    Budget m_budget;
    std::uint64_t m_steps;
    std::stop_token m_stop;
    Observer& m_observer;
    std::shared_ptr<ir::TermBank> m_bank;
    ir::Program m_program;
    std::unique_ptr<cost::CostEvaluator> m_evaluator;
    std::vector<double> m_costs = {};  ///< of the states, start first
    std::size_t m_best = 0;            ///< the cheapest of them
    std::optional<StopReason> m_reason = {};
    double m_lastProgress = 0.0;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

class PypmGreedy final : public DescribedStrategy {
public:
    [[nodiscard]] const StrategyInfo& info() const override { return m_info; }

    [[nodiscard]] Result<SearchResult> runWith(const ParameterValues& parameters, const SearchProblem& problem,
                                               std::stop_token stop, Observer& observer) const override {
        const bool usersFirst = std::get<std::string>(parameters.at("order")) == UsersFirstName;
        const auto steps = static_cast<std::uint64_t>(std::get<std::int64_t>(parameters.at("steps")));
        return PypmRun(problem, steps, std::move(stop), observer)
            .run(usersFirst ? rewrite::WalkOrder::UsersFirst : rewrite::WalkOrder::OperandsFirst);
    }

private:
    StrategyInfo m_info{
        .name = "pypm-greedy",
        .label = "PyPM's pass",
        .title = "PyPM's greedy pass",
        .description =
            "Walks over the nodes and takes the first match of the first rule that has one, in the order of the rule "
            "file, whatever it costs, again and again until nothing matches. Fast, and the same for everybody: for "
            "rules "
            "that put a kernel in the place of its parts. Rules with several roots are not tried. PyPM paper, section "
            "2.4.",
        .parameters = {
            {.name = "order",
             .title = "Order of the nodes",
             .help = "users-first: from the outputs, so that a pattern takes as much as it can; operands-first: from "
                     "the inputs",
             .defaultValue = std::string(UsersFirstName),
             .choices = {std::string(UsersFirstName), std::string(OperandsFirstName)}},
            {.name = "steps",
             .title = "Most steps",
             .help = "for rules that never end",
             .defaultValue = std::int64_t{10'000},
             .minimum = 1,
             .maximum = 1e9}}};
};

}  // namespace

std::unique_ptr<Strategy> makePypmGreedy() { return std::make_unique<PypmGreedy>(); }

}  // namespace mitos::search
