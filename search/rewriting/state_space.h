// SPDX-License-Identifier: GPL-3.0-or-later
// The one expansion path of all strategies over destructive rewriting: expressions, their successors and costs, the way
// back to the start, budgets, events and the result. A strategy only decides what to expand next.
#pragma once

#include "core/base/chunked_vector.h"
#include "core/rewrite/successor_index.h"
#include "search/cost_order.h"
#include "search/strategy.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace mitos::search {

/// A distinct expression (up to the names of binders) that was valued; dense, in the order they were met.
using ExpressionId = StrongId<struct ExpressionTag>;

/// An expression one rewrite away, not built yet: `number` and `rule` (an index into the problem's rules, those with several roots last, of the first
/// rewrite that leads there). Good for the whole search, for the expression it was found at.
using rewrite::Successor;

/// One search's expressions, in a bank of its own. Lives on the thread that runs the search. Once a budget is used up or
/// the search is stopped, everything it is asked for is refused and ended() stays true.
class StateSpace {
public:
    /// Copies the program, values the start (the first evaluation) and reports Started. Errors: the start program's cost
    /// is not a finite number.
    [[nodiscard]] static Result<std::unique_ptr<StateSpace>> open(const SearchProblem& problem, std::stop_token stop,
                                                                  Observer& observer);

    [[nodiscard]] ExpressionId start() const { return ExpressionId(0); }
    [[nodiscard]] std::size_t size() const { return m_expressions.size(); }
    [[nodiscard]] const ir::TermBank& bank() const { return *m_bank; }
    [[nodiscard]] ir::FunctionId function() const { return m_program.function; }
    [[nodiscard]] ir::TermId root(ExpressionId id) const { return m_expressions[id.value].root; }
    [[nodiscard]] double cost(ExpressionId id) const { return m_expressions[id.value].cost; }
    /// Steps from the start on the shortest way known when the expression was last linked.
    [[nodiscard]] std::uint32_t steps(ExpressionId id) const { return m_expressions[id.value].steps; }

    /// All distinct successors, the expression itself left out, in the rewriter's order. They are not built, and what
    /// did not change since other expressions is not matched again, so this is cheap, the second time too. Nothing if the
    /// search ended meanwhile. The span is valid until the next call of expand, its elements for the whole search.
    /// `frontier`: how many other states wait, for the events.
    [[nodiscard]] std::optional<std::span<const Successor>> expand(ExpressionId id, std::uint64_t frontier);

    enum class Arrival {
        New,       ///< seen for the first time: valued, linked to where it came from
        Closer,    ///< known, and now linked to a shorter way from the start
        Known,     ///< known, nothing new
        Refused,   ///< the search has ended; `id` is invalid
        Unusable,  ///< its cost is not a finite number; `id` is invalid
    };
    struct Reached {
        Arrival arrival;
        ExpressionId id;
    };
    /// Goes from an expression to one of its successors, which is built now.
    [[nodiscard]] Reached reach(ExpressionId from, const Successor& successor);

    /// Whether the successors of every expression are known: nothing was cut off by a horizon.
    [[nodiscard]] bool allExpanded() const { return m_statistics.expansions == m_expressions.size(); }

    /// What the strategy itself holds (what waits, what it remembers of expressions) counts as the search's memory.
    void hold(std::size_t bytes) { m_heldBytes = bytes; }

    /// Whether a budget is used up or the search was stopped; polls the clock and the stop token.
    [[nodiscard]] bool ended();

    /// The best expression's thread, checked, and the statistics; reports Finished. `reason` is why the strategy ended
    /// by itself and is overruled by a budget or a stop.
    [[nodiscard]] SearchResult finish(StopReason reason) { return finish(reason, m_best); }
    /// The same with the thread to another expression, for a phase that hands on what is not its cheapest.
    [[nodiscard]] SearchResult finish(StopReason reason, ExpressionId end);

private:
    struct Expression {
        ir::TermId root;
        ExpressionId parent;
        Successor step;  ///< from the parent
        double cost = 0.0;
        std::uint32_t steps = 0;
        bool isExpanded = false;
    };

    static constexpr ExpressionId Unusable{ExpressionId::Invalid - 1};

    StateSpace(const SearchProblem& problem, std::stop_token stop, Observer& observer);
    [[nodiscard]] bool mayEvaluate();
    [[nodiscard]] ExpressionId& byRoot(ir::TermId root);
    void improve(ExpressionId id, std::uint32_t rule);
    void report(EventKind kind, double cost, std::optional<StopReason> reason = std::nullopt, std::string rule = {});
    [[nodiscard]] double secondsSinceStart() const;
    [[nodiscard]] std::uint64_t memoryBytes() const;
    /// Found again in a bank of its own: what this search's bank holds must not depend on who watches.
    [[nodiscard]] std::optional<BestSoFar> bestSoFar() const;
    [[nodiscard]] std::vector<ExpressionId> pathTo(ExpressionId id) const;

    std::shared_ptr<ir::TermBank> m_bank;
    ir::Program m_program;
    rewrite::SuccessorIndex m_index;
    std::unique_ptr<cost::CostEvaluator> m_cost;
    Budget m_budget;
    std::stop_token m_stop;
    Observer& m_observer;
    std::chrono::steady_clock::time_point m_started;

    ChunkedVector<Expression> m_expressions;
    std::vector<Successor> m_successors;  ///< of the expression expanded last
    /// By term id: the expression with that root, none, or Unusable. Expressions are met in the order of their terms, so
    /// this stays in the cache where a hash table would not.
    std::vector<ExpressionId> m_byRoot;
    ExpressionId m_best;
    SearchStatistics m_statistics;
    std::uint64_t m_frontier = 0;
    std::size_t m_heldBytes = 0;
    double m_lastProgress = 0.0;
    std::optional<StopReason> m_ended;
};

}  // namespace mitos::search
