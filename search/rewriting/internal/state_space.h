// SPDX-License-Identifier: GPL-3.0-or-later
// The state space shared by all strategies over destructive rewriting: expressions, their successors and costs, the path from the
// start, budgets, events and the result. A strategy only decides what to expand next.
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

/// A distinct expression (up to the names of binders) that was evaluated; ids are dense, in the order of discovery.
using ExpressionId = StrongId<struct ExpressionTag>;

/// An expression one rewrite away that is not built yet: `number`, and `rule`, the rule of the first rewrite that leads there (an
/// index into the problem's rules, those with several roots last). Valid for the whole search, at the expression it was listed for.
using rewrite::Successor;

/// The expressions of one search, in their own bank. Used only on the thread that runs the search. Once a budget is used up or the
/// search is stopped, expand() and reach() refuse further work and ended() stays true.
class StateSpace {
public:
    /// Copies the program, evaluates the start (the first evaluation) and reports Started. Fails if the cost model does not price
    /// programs of this kind or if the cost of the start program is not a finite number.
    [[nodiscard]] static Result<std::unique_ptr<StateSpace>> open(const SearchProblem& problem, std::stop_token stop,
                                                                  Observer& observer);

    [[nodiscard]] ExpressionId start() const { return ExpressionId(0); }
    [[nodiscard]] std::size_t size() const { return m_expressions.size(); }
    [[nodiscard]] const ir::TermBank& bank() const { return *m_bank; }
    /// The bank, to keep after the search.
    [[nodiscard]] std::shared_ptr<const ir::TermBank> sharedBank() const { return m_bank; }
    [[nodiscard]] const ir::Program& program() const { return m_program; }
    [[nodiscard]] ir::TermId root(ExpressionId id) const { return m_expressions[id.value].root; }
    [[nodiscard]] double cost(ExpressionId id) const { return m_expressions[id.value].cost; }
    /// Steps from the start on the shortest path known when the expression was last linked.
    [[nodiscard]] std::uint32_t steps(ExpressionId id) const { return m_expressions[id.value].steps; }

    /// All distinct successors except the expression itself, in the rewriter's order. This is cheap, also when repeated: successors
    /// are not built, and subterms that other expressions share are not matched again. Returns nothing if the search ended
    /// meanwhile. The span is valid until the next call of expand(), its elements for the whole search. `frontier` is the number of
    /// other waiting states, for the events.
    [[nodiscard]] std::optional<std::span<const Successor>> expand(ExpressionId id, std::uint64_t frontier);

    enum class Arrival {
        New,       ///< seen for the first time; evaluated and linked to `from`
        Closer,    ///< known, and now linked to a shorter path from the start
        Known,     ///< known and unchanged
        Refused,   ///< the search has ended; `id` is invalid
        Unusable,  ///< its cost is not a finite number; `id` is invalid
    };
    struct Reached {
        Arrival arrival;
        ExpressionId id;
    };
    /// Builds a successor of an expression, evaluates it if it is new, and links it.
    [[nodiscard]] Reached reach(ExpressionId from, const Successor& successor);

    /// Expands an expression and reaches all its successors, in the rewriter's order. Returns false if the search ended meanwhile.
    bool visitSuccessors(ExpressionId id, std::uint64_t frontier,
                         absl::FunctionRef<void(Arrival arrival, ExpressionId successor)> visit);

    /// Calls `step` until the search ends or so many consecutive calls found no new expression.
    void repeat(int fruitless, absl::FunctionRef<void()> step);

    /// Whether every expression was expanded, so that no horizon cut anything off.
    [[nodiscard]] bool allExpanded() const { return m_statistics.expansions == m_expressions.size(); }

    /// Sets the number of bytes that the strategy itself holds (queues, tables); they count as the search's memory.
    void hold(std::size_t bytes) { m_heldBytes = bytes; }

    /// Whether the search has ended; polls the stop token, the clock and the memory limit.
    [[nodiscard]] bool ended();

    /// The result with the checked thread to the best expression and the statistics; reports Finished. `reason` says why the
    /// strategy ended by itself; a used-up budget or a stop takes precedence.
    [[nodiscard]] SearchResult finish(StopReason reason) { return finish(reason, m_best); }
    /// The same with the thread to `end`, for a phase whose result is not its cheapest expression.
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
    void report(EventBody what, double cost);
    [[nodiscard]] double secondsSinceStart() const;
    [[nodiscard]] std::uint64_t memoryBytes() const;
    /// Replays the best thread in a new bank, since the contents of this search's bank must not depend on the observer.
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
    /// By term id: the expression with that root, an invalid id if there is none, or Unusable. Expressions are reached in the order
    /// of their terms, so accesses stay in the cache, unlike those of a hash table.
    std::vector<ExpressionId> m_byRoot;
    ExpressionId m_best;
    SearchStatistics m_statistics;
    std::uint64_t m_frontier = 0;
    std::size_t m_heldBytes = 0;
    double m_lastProgress = 0.0;
    std::optional<StopReason> m_ended;
};

}  // namespace mitos::search
