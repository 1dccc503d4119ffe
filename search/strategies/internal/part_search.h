// SPDX-License-Identifier: GPL-3.0-or-later
// Searches parts of a graph as programs of their own; what is found is then taken in the whole program.
#pragma once

#include "core/rewrite/thread_parts.h"
#include "search/series.h"
#include "search/strategies/internal/schedule.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace mitos::search {

/// The budget, the events and the bank of such a search; it works on a copy of the problem's program. The problem and the observer must outlive it.
class PartSearch {
public:
    PartSearch(const SearchProblem& problem, std::stop_token stop, Observer& observer);

    [[nodiscard]] const std::shared_ptr<ir::TermBank>& bank() const { return m_bank; }
    [[nodiscard]] const ir::Program& program() const { return m_program; }  ///< the problem's, in that bank
    [[nodiscard]] SeriesObserver& events() { return m_events; }
    [[nodiscard]] SeriesBudget& budget() { return m_budget; }
    [[nodiscard]] bool isOver() const { return m_stop.stop_requested() || m_budget.usedUp(); }
    /// The problem with another program, budget and the parameters of `how`.
    [[nodiscard]] SearchProblem problemOf(const SearchPart& how, const ir::TermBank& bank, const ir::Program& program,
                                          const Budget& budget) const;
    /// Searches a part, as its program, with `how` and an equal share of what is left of the budget for each of `open` searches, this one included. `cost` is that of
    /// the whole program, which events report. Nothing if no cheaper form was found.
    [[nodiscard]] std::optional<rewrite::PartThread> search(const SearchPart& how, ir::PartProgram program,
                                                            std::size_t open, double cost);
    /// The costs of a thread's states, the start first.
    [[nodiscard]] static std::vector<double> costsOf(const rewrite::Thread& thread, cost::CostEvaluator& evaluator);
    /// The thread up to its cheapest state, as a result in a bank of its own; reports it if it is an improvement.
    [[nodiscard]] SearchResult resultOf(rewrite::Thread thread, cost::CostEvaluator& evaluator);
    /// Frees the bank, if no result is in it.
    void forget() { m_bank.reset(); }

private:
    const SearchProblem& m_problem;
    std::stop_token m_stop;
    SeriesObserver m_events;
    SeriesBudget m_budget;
    std::shared_ptr<ir::TermBank> m_bank;
    ir::Program m_program;
};

}  // namespace mitos::search
