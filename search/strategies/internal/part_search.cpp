// SPDX-License-Identifier: GPL-3.0-or-later
// See part_search.h.
#include "search/strategies/internal/part_search.h"

#include "core/ir/transplant.h"
#include "search/cost_order.h"

#include <utility>

namespace mitos::search {

namespace {

/// Reports the search of a part as work on the whole program, whose cost stays the same meanwhile.
class PartObserver final : public Observer {
public:
    PartObserver(Observer& next, double cost) : m_next(next), m_cost(cost) {}

    void onEvent(const SearchEvent& event) override {
        if (event.is<Finished>() || event.is<Improved>()) return;
        SearchEvent outer = event;
        if (!event.is<Started>()) outer.what = Progress{};
        outer.cost = outer.best = m_cost;
        outer.pathLength = 0;
        m_next.onEvent(outer);
    }
    /// Nothing new; what was found before can be saved.
    void onBest(FindBest /*find*/) override {
        m_next.onBest([]() -> std::optional<BestSoFar> { return std::nullopt; });
    }

private:
    Observer& m_next;
    double m_cost;
};

}  // namespace

PartSearch::PartSearch(const SearchProblem& problem, std::stop_token stop, Observer& observer)
    : m_problem(problem),
      m_stop(std::move(stop)),
      m_events(observer),
      m_budget(problem.budget),
      m_bank(std::make_shared<ir::TermBank>(problem.bank.sharedRegistry())),
      m_program(ir::Transplanter(problem.bank, *m_bank).program(problem.program)) {}

SearchProblem PartSearch::problemOf(const SearchPart& how, const ir::TermBank& bank, const ir::Program& program,
                                    const Budget& budget) const {
    return {bank,   program,        m_problem.rules, m_problem.cost,
            budget, m_problem.seed, how.parameters,  m_problem.comparingSeconds};
}

std::optional<rewrite::PartThread> PartSearch::search(const SearchPart& how, ir::PartProgram program, std::size_t open,
                                                      double cost) {
    SearchProblem problem =
        problemOf(how, *m_bank, program.program,
                  m_budget.next([&](double /*whole*/, double left) { return left / static_cast<double>(open); }));
    problem.comparingSeconds = 0.0;  // the whole result is compared
    m_events.nextRun(m_budget.used(), 0, nullptr);
    PartObserver observer(m_events, cost);
    const Result<SearchResult> result = how.strategy->run(problem, m_stop, observer);
    if (!result) return std::nullopt;
    m_budget.add(result->statistics);
    if (!result->check.valid || !isLower(result->bestCost, result->initialCost)) return std::nullopt;
    return rewrite::PartThread{std::move(program), rewrite::transplant(*result->bank, result->thread, *m_bank)};
}

std::vector<double> PartSearch::costsOf(const rewrite::Thread& thread, cost::CostEvaluator& evaluator) {
    std::vector<double> costs{evaluator.costOrInfinity(thread.start.root)};
    for (const ir::TermId state : thread.states) costs.push_back(evaluator.costOrInfinity(state));
    return costs;
}

SearchResult PartSearch::resultOf(rewrite::Thread thread, cost::CostEvaluator& evaluator) {
    std::vector<double> costs = costsOf(thread, evaluator);
    SearchResult result = cheapestPart(m_bank, std::move(thread), std::move(costs));
    const std::size_t best = result.thread.steps.size();
    if (best == 0) return result;
    m_events.nextRun(m_budget.used(), 0, nullptr);
    m_events.onEvent({.what = Improved{},
                      .cost = result.bestCost,
                      .best = result.bestCost,
                      .pathLength = static_cast<std::uint32_t>(best)});
    return result;
}

}  // namespace mitos::search
