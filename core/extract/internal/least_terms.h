// SPDX-License-Identifier: GPL-3.0-or-later
// The cheapest term of every class, priced as a whole by a cost model instead of by summing costs of e-nodes.
#pragma once

#include "core/cost/cost_model.h"
#include "core/egraph/egraph.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::extract {

/// Cheapest terms of an e-graph's classes, bottom-up to the fixpoint (egraph-mcts.txt 2.2.2 with a cost of whole terms
/// instead of summed node costs). The model prices each term: loops multiply their bodies, and a `let` is the only
/// sharing. If the model is monotone in the costs of the children, as the ks models of fixed sizes are, the terms found
/// are optimal. If costs depend on the context (ks-sized, below binders), the terms are good but not always optimal.
///
/// Earlier terms are kept when the graph grows, so updating after each iteration costs little more than a single
/// update.
class LeastTerms {
public:
    struct Least {
        ir::TermId term;  ///< invalid: the class has no term that may be used wherever the class is
        double cost = 0.0;
        std::uint64_t size = 0;  ///< as a tree: among terms of equal cost the smaller one is taken
    };

    /// Graph and costs must outlive this object; the evaluator is for terms of the graph's bank. No term contains an e-node of `excluded`.
    LeastTerms(egraph::EGraph& graph, cost::CostEvaluator& costs, absl::flat_hash_set<egraph::ENodeId> excluded = {})
        : m_graph(&graph),
          m_costs(&costs),
          m_uniformCost(costs.uniformCost()),
          m_excluded(std::move(excluded)) {}

    /// Updates the terms for the current graph, which must be clean. `mayValue` is called before a new term is priced;
    /// after it returns false, the terms are those found until then, and `update` returns false.
    bool update(absl::FunctionRef<bool()> mayValue);

    /// The cheapest term of the member's class, as of the last update.
    [[nodiscard]] Least of(egraph::ENodeId member);
    [[nodiscard]] ir::TermId operator()(egraph::ENodeId member) { return of(member).term; }
    /// The cost that the e-node adds to the cheapest terms of its children, as of the last update: the model's cost of
    /// the term over them minus their costs, and at least 0. The costs of the nodes of a cheapest term add up to its
    /// cost (unless one was raised to 0, as for an `if`, which pays for one arm). Infinite if it has no term that may
    /// represent its class.
    [[nodiscard]] double addedCost(egraph::ENodeId node);
    [[nodiscard]] std::size_t bytes() const {
        return m_least.capacity() * sizeof(Entry) + m_place.capacity() * sizeof(std::uint32_t) +
               m_prices.capacity() * sizeof(double) + m_isQueued.capacity() / 8;
    }

private:
    /// What is known of a class.
    struct Entry {
        egraph::ENodeId node;  ///< invalid: the class has no term
        ir::TermId term;       ///< of the node; invalid if it is not built yet, which a uniform cost does not need
        double cost = 0.0;
        std::uint64_t size = 0;
        std::uint32_t depth = 0;
        bool isClosed = false;  ///< whether the term has no loose bound variables
    };
    [[nodiscard]] static bool isBetter(const Entry& a, const Entry& b);

    [[nodiscard]] const Entry& entryOf(egraph::ENodeId member) const {
        return m_least[m_place[m_graph->find(member).value]];
    }
    /// The node's entry without its term, if the cost is uniform and the term has no bound variables. Known children only.
    [[nodiscard]] std::optional<Entry> withoutTerm(egraph::ENodeId node) const;
    /// Builds the terms that the class's entry is made of.
    void build(egraph::ENodeId member);
    /// The node over the terms of its children, which are built.
    [[nodiscard]] ir::TermId termOver(egraph::ENodeId node);
    /// The node's entry with its term; nothing if it has none, or no finite cost, or if `mayValue` returned false.
    [[nodiscard]] std::optional<Entry> priced(egraph::ENodeId node, absl::FunctionRef<bool()> mayValue);
    /// The node over the cheapest terms of its children; invalid if one has none, or if the term may not represent the
    /// class.
    [[nodiscard]] ir::TermId candidate(egraph::ENodeId node);
    /// Whether the node may have a better term than the best one known of its class: false if a lower bound on its cost says no.
    [[nodiscard]] bool mayBeBetter(egraph::ENodeId node) const;
    [[nodiscard]] bool isInScope(ir::TermId term, egraph::ENodeId eclass);
    /// Prices a term; for a function, one application of it. Returns false if the model has no finite cost, or if
    /// `mayValue` returned false.
    [[nodiscard]] bool price(ir::TermId term, absl::FunctionRef<bool()> mayValue, double& result);
    /// Updates the table for merged classes, and for representatives that lost variables since the last update.
    void carryOver();
    void set(egraph::ENodeId leader, const Entry& entry);

    egraph::EGraph* m_graph;
    cost::CostEvaluator* m_costs;
    std::optional<double> m_uniformCost;
    absl::flat_hash_set<egraph::ENodeId> m_excluded;
    std::vector<Entry> m_least{Entry{}};  // by place; place 0 is shared by all classes without a term
    std::vector<std::uint32_t> m_place;   // by e-node: index of its class in `m_least`, at the leader
    std::vector<double> m_prices;         // by term; NaN: not priced yet
    std::vector<bool> m_isQueued;         // by e-node
    bool m_isRefused = false;
};

}  // namespace mitos::extract
