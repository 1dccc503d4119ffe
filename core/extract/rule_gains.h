// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules of a saturation run made the cheapest program cheaper.
#pragma once

#include "core/base/result.h"
#include "core/cost/cost_model.h"
#include "core/egraph/egraph_rule.h"
#include "core/egraph/report.h"
#include "core/rewrite/step.h"

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::extract {

/// Credits the improvements of the cheapest programs to rules. Where the cheapest program of an iteration costs less than that
/// of the one before, the graph explains how the old one becomes the new one. Each stretch of this thread that ends with a
/// program cheaper than all before it gains the difference, and its steps share it equally: only together do they pay (their
/// Shapley value, if a part of a stretch is worth nothing). Steps that merely take back what an earlier thread did have no
/// share, unless a stretch has no others. So gains are never negative, those of an iteration add up to its improvement, and
/// those of the run to the whole one.
class RuleGains {
public:
    /// The cheapest term of a class (LeastTerms, Pricing); invalid if there is none.
    using Cheapest = absl::FunctionRef<ir::TermId(egraph::ENodeId)>;

    /// All must outlive this; the graph is as before the run. `rules`: those of the run, in its order; `programs`: what is in
    /// the graph (its class of each is looked for); `least`: as of the graph before the run.
    RuleGains(egraph::EGraph& graph, cost::CostEvaluator& costs,
              const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules,
              const std::vector<ir::Program>& programs, Cheapest least);

    /// Fills in the costs and gains of the report's last iteration (of a report without iterations, the cost it begins with).
    /// `least` is up to date. The graph comes out as it went in: the run goes on as if nobody had asked. `mayGoOn` is asked
    /// before a state is priced; after a no it is not known which rules did it.
    void record(Cheapest least, egraph::SaturationReport& report, absl::FunctionRef<bool()> mayGoOn);

private:
    struct Best {
        ir::TermId term;  ///< invalid: there is none with a finite cost
        double cost = 0.0;
    };
    using Instance = std::pair<const rules::DirectedRule*, std::vector<ir::TermId>>;
    struct Root {
        ir::FunctionId function;
        egraph::ENodeId node;
        Best best;
        /// The instances that lead to it: how often from left to right, less how often from right to left.
        absl::flat_hash_map<Instance, int> instances;
    };
    [[nodiscard]] Best bestOf(egraph::ENodeId node, Cheapest least);
    /// Notes the step; whether it takes back one noted before.
    [[nodiscard]] static bool takesBack(Root& root, const rewrite::Step& step);
    /// Adds what each rule gains on the way to a cheaper one. Errors: there is no explanation; stopped.
    [[nodiscard]] Status credit(Root& root, const Best& cheaper, std::vector<double>& gains,
                                absl::FunctionRef<bool()> mayGoOn);

    egraph::EGraph* m_graph;
    cost::CostEvaluator* m_costs;
    std::size_t m_ruleCount;
    absl::flat_hash_map<const rules::DirectedRule*, std::size_t> m_ruleOf;  // by what a step is an instance of
    std::vector<Root> m_roots;
    std::optional<double> m_startCost;
};

}  // namespace mitos::extract
