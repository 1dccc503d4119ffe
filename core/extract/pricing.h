// SPDX-License-Identifier: GPL-3.0-or-later
// What the e-nodes of an e-graph cost, and its cheapest terms: the one way for programs that are trees and for graphs.
#pragma once

#include "core/base/result.h"
#include "core/cost/cost_model.h"
#include "core/egraph/egraph.h"
#include "core/extract/extract.h"

#include <absl/functional/function_ref.h>

#include <memory>
#include <stop_token>
#include <string_view>

namespace mitos::extract {

class Pricing {
public:
    virtual ~Pricing() = default;
    /// Looks at the graph, which must be clean, as it is now. `mayValue` is asked before the model prices a whole term; after a
    /// no the terms are what was found until then, and false is returned.
    virtual bool update(absl::FunctionRef<bool()> mayValue) = 0;
    /// What the e-node adds to a program, as of the last update; infinite where it cannot be in one.
    [[nodiscard]] virtual double price(egraph::ENodeId node) = 0;
    /// A cheap term of the class, found at once, as of the last update: of trees the cheapest there is (LeastTerms), of graphs
    /// the least tree, whose shared parts are paid once all the same. Invalid: none of finite cost.
    [[nodiscard]] virtual ir::TermId least(egraph::ENodeId root) = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// The graph and the evaluator must outlive it.
[[nodiscard]] std::unique_ptr<Pricing> makePricing(egraph::EGraph& graph, cost::CostEvaluator& costs,
                                                   ir::Sharing sharing);

/// The term of the class that a method chooses; "tree" is Pricing::least. The graph and the prices are as of the last update.
/// Errors: those of extract(), also of a class without a term of finite cost.
[[nodiscard]] Result<ir::TermId> extractTerm(egraph::EGraph& graph, Pricing& pricing, egraph::ENodeId root,
                                             std::string_view method, const Options& options = {},
                                             std::stop_token stop = {});

}  // namespace mitos::extract
