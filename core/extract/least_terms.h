// SPDX-License-Identifier: GPL-3.0-or-later
// The cheapest term of every class, priced by a cost model itself instead of by costs of e-nodes.
#pragma once

#include "core/cost/cost_model.h"
#include "core/egraph/egraph.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <vector>

namespace mitos::extract {

/// Least terms of an e-graph's classes, bottom-up to the fixpoint (egraph-mcts.txt 2.2.2 with a cost of whole terms in the
/// place of summed node costs). What a term costs is asked of the model, term by term: loops multiply their bodies, and a `let`
/// is the only sharing. Where the model is monotone in the costs of the children, as the ks models of fixed sizes are, the
/// terms found are the cheapest there are. Where costs depend on the surroundings (ks-sized, below binders), they are good ones.
///
/// Terms found before stay when the graph grows, so that asking after each iteration costs little more than once.
class LeastTerms {
public:
    struct Least {
        ir::TermId term;  ///< invalid: the class has no term that may be used wherever it is
        double cost = 0.0;
        std::uint64_t size = 0;  ///< as a tree: of equal costs the smaller term is taken
    };

    /// Both must outlive this; the evaluator is for terms of the graph's bank.
    LeastTerms(egraph::EGraph& graph, cost::CostEvaluator& costs) : m_graph(&graph), m_costs(&costs) {}

    /// Looks at the graph, which must be clean, as it is now. `mayValue` is asked before a term is priced that was not before;
    /// after a no the terms are what was found until then, and false is returned.
    bool update(absl::FunctionRef<bool()> mayValue);

    /// Of the class that the member is in, as of the last update.
    [[nodiscard]] const Least& of(egraph::ENodeId member) const {
        return m_least[m_place[m_graph->find(member).value]];
    }
    [[nodiscard]] ir::TermId operator()(egraph::ENodeId member) const { return of(member).term; }
    /// What the e-node adds to the cheapest terms of its children, as of the last update: the model's cost of the term over
    /// them less their costs, and at least 0. The costs of the nodes of a least term add up to its cost (unless one was raised
    /// to 0, as for an `if`, which pays for one arm). Infinite where it has no term that may stand for its class.
    [[nodiscard]] double addedCost(egraph::ENodeId node);
    [[nodiscard]] std::size_t bytes() const {
        return m_least.capacity() * sizeof(Least) + m_place.capacity() * sizeof(std::uint32_t) +
               m_prices.capacity() * sizeof(double) + m_isQueued.capacity() / 8;
    }

private:
    /// The node over the least terms of its children; invalid if one has none, or if the term may not stand for the class.
    [[nodiscard]] ir::TermId candidate(egraph::ENodeId node);
    [[nodiscard]] bool isInScope(ir::TermId term, egraph::ENodeId eclass);
    /// What the term costs, of a function what one application of it does; nothing where the model has no finite cost, or
    /// where `mayValue` said no.
    [[nodiscard]] bool price(ir::TermId term, absl::FunctionRef<bool()> mayValue, double& result);
    /// Classes became one, and representatives may have lost variables since the last update.
    void carryOver();
    void set(egraph::ENodeId leader, const Least& least);

    egraph::EGraph* m_graph;
    cost::CostEvaluator* m_costs;
    std::vector<Least> m_least{Least{}};  // of classes; the first one is that of all that have none
    std::vector<std::uint32_t> m_place;   // by e-node: of its class in `m_least`, at the leader
    std::vector<double> m_prices;         // by term; NaN: not asked for
    std::vector<bool> m_isQueued;         // by e-node
    bool m_isRefused = false;
};

}  // namespace mitos::extract
