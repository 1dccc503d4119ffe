// SPDX-License-Identifier: GPL-3.0-or-later
// Prices of e-nodes and cheapest terms, with one interface for programs that are trees and for graphs.
#pragma once

#include "core/base/result.h"
#include "core/cost/cost_model.h"
#include "core/egraph/egraph.h"
#include "core/extract/extract.h"

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <memory>
#include <stop_token>
#include <string_view>

namespace mitos::extract {

class Pricing {
public:
    virtual ~Pricing() = default;
    /// Updates the prices for the current graph, which must be clean. `mayValue` is called before the model prices a
    /// whole term; after it returns false, the terms are those found until then, and `update` returns false.
    virtual bool update(absl::FunctionRef<bool()> mayValue) = 0;
    /// The cost that the e-node adds to a program, as of the last update; infinite if no program can contain it.
    [[nodiscard]] virtual double price(egraph::ENodeId node) = 0;
    /// A cheap term of the class, available immediately, as of the last update: for trees the cheapest one
    /// (LeastTerms), for graphs the cheapest tree, whose shared parts are still paid once. Invalid if there is none of
    /// finite cost.
    [[nodiscard]] virtual ir::TermId least(egraph::ENodeId root) = 0;
    /// For trees: the cheapest term of the class without these e-nodes, of the current graph, which must be clean. Takes as long as pricing
    /// the whole graph. Invalid if there is none, and for graphs.
    [[nodiscard]] virtual ir::TermId leastWithout(egraph::ENodeId root,
                                                  const absl::flat_hash_set<egraph::ENodeId>& excluded) = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

/// The graph and the evaluator must outlive the result.
[[nodiscard]] std::unique_ptr<Pricing> makePricing(egraph::EGraph& graph, cost::CostEvaluator& costs,
                                                   ir::Sharing sharing);

/// The term of the class that a method chooses; "tree" is Pricing::least. The graph and the prices are as of the last
/// update. Fails as extract() does, in particular for a class without a term of finite cost.
[[nodiscard]] Result<ir::TermId> extractTerm(egraph::EGraph& graph, Pricing& pricing, egraph::ENodeId root,
                                             std::string_view method, const Options& options = {},
                                             std::stop_token stop = {});

}  // namespace mitos::extract
