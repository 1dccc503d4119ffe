// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes the improvements of a saturation run to its rules.
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

/// Credits improvements of the cheapest programs to rules. If the cheapest program of an iteration costs less than that
/// of the previous one, the graph explains how the old one becomes the new one. Each segment of this thread that ends
/// with a program cheaper than all before it gains the difference, which its steps share equally: only together do they
/// pay (this is their Shapley value if a part of a segment has no gain). Steps that only reverse an instance of an
/// earlier thread get no share, unless a segment has no others. So gains are never negative, those of an iteration add
/// up to its improvement, and those of the run to the total improvement.
class RuleGains {
public:
    /// Returns the cheapest term of a class (LeastTerms, Pricing); invalid if there is none.
    using Cheapest = absl::FunctionRef<ir::TermId(egraph::ENodeId)>;

    /// The references must outlive this object; the graph is in its state before the run. `rules`: those of the run, in
    /// its order; `programs`: programs in the graph (the class of each is looked up); `least`: as of the graph before
    /// the run.
    RuleGains(egraph::EGraph& graph, cost::CostEvaluator& costs,
              const std::vector<std::shared_ptr<const egraph::EGraphRule>>& rules,
              const std::vector<ir::Program>& programs, Cheapest least);

    /// Fills in the costs and gains of the report's last iteration (for a report without iterations, the start cost).
    /// `least` must be up to date. The graph is left unchanged, so the run is not affected. `mayGoOn` is called before
    /// a state is priced; after it returns false, the responsible rules are reported as unknown.
    void record(Cheapest least, egraph::SaturationReport& report, absl::FunctionRef<bool()> mayGoOn);

private:
    struct Best {
        ir::TermId term;  ///< invalid: there is no term of finite cost
        double cost = 0.0;
    };
    using Instance = std::pair<const rules::DirectedRule*, std::vector<ir::TermId>>;
    struct Root {
        ir::FunctionId function;
        egraph::ENodeId node;
        Best best;
        /// The instances on the threads so far: number of uses from left to right minus those from right to left.
        absl::flat_hash_map<Instance, int> instances;
    };
    [[nodiscard]] Best bestOf(egraph::ENodeId node, Cheapest least);
    /// Records the step; returns whether it reverses one recorded before.
    [[nodiscard]] static bool takesBack(Root& root, const rewrite::Step& step);
    /// Adds the gain of each rule on the thread to a cheaper term. Fails if there is no explanation, or if stopped.
    [[nodiscard]] Status credit(Root& root, const Best& cheaper, std::vector<double>& gains,
                                absl::FunctionRef<bool()> mayGoOn);

    egraph::EGraph* m_graph;
    cost::CostEvaluator* m_costs;
    std::size_t m_ruleCount;
    absl::flat_hash_map<const rules::DirectedRule*, std::size_t> m_ruleOf;  // by the part that a step instantiates
    std::vector<Root> m_roots;
    std::optional<double> m_startCost;
};

}  // namespace mitos::extract
