// SPDX-License-Identifier: GPL-3.0-or-later
// See pricing.h.
#include "core/extract/pricing.h"

#include "core/extract/internal/egraph_problem.h"
#include "core/extract/internal/least_terms.h"
#include "core/extract/internal/node_prices.h"

#include <limits>
#include <utility>

namespace mitos::extract {

using egraph::EGraph;
using egraph::ENodeId;
using ir::TermId;

namespace {

/// Shared terms are paid for at each use, and costs depend on the context, so the model prices whole terms.
class TreePricing final : public Pricing {
public:
    TreePricing(EGraph& graph, cost::CostEvaluator& costs) : m_terms(graph, costs) {}

    bool update(absl::FunctionRef<bool()> mayValue) override { return m_terms.update(mayValue); }
    double price(ENodeId node) override { return m_terms.addedCost(node); }
    TermId least(ENodeId root) override { return m_terms.of(root).term; }
    [[nodiscard]] std::size_t bytes() const override { return m_terms.bytes(); }

private:
    LeastTerms m_terms;
};

Result<TermId> chosen(EGraph& graph, Pricing& pricing, ENodeId root, std::string_view method, const Options& options,
                      std::stop_token stop) {
    const Problem problem = makeProblem(graph, {&root, 1}, [&](ENodeId node) { return pricing.price(node); });
    const Result<Extraction> found = extract(problem, method, options, std::move(stop));
    if (!found) return found.error();
    return chosenTerms(graph, problem, found->choice).front();
}

/// Shared nodes are paid for once, so nodes are priced.
class GraphPricing final : public Pricing {
public:
    GraphPricing(EGraph& graph, cost::CostEvaluator& costs) : m_graph(graph), m_prices(graph, costs) {}

    bool update(absl::FunctionRef<bool()> mayValue) override {
        m_isAllowed = mayValue();
        if (m_isAllowed) m_prices.update();
        return m_isAllowed;
    }
    double price(ENodeId node) override {
        return m_isAllowed ? m_prices(node) : std::numeric_limits<double>::infinity();
    }
    TermId least(ENodeId root) override {
        if (!m_isAllowed) return {};
        const Result<TermId> term = chosen(m_graph, *this, root, "tree", {}, {});
        return term ? *term : TermId();
    }
    [[nodiscard]] std::size_t bytes() const override { return m_prices.bytes(); }

private:
    EGraph& m_graph;
    NodePrices m_prices;
    bool m_isAllowed = false;
};

}  // namespace

std::unique_ptr<Pricing> makePricing(EGraph& graph, cost::CostEvaluator& costs, ir::Sharing sharing) {
    if (sharing == ir::Sharing::Tree) return std::make_unique<TreePricing>(graph, costs);
    return std::make_unique<GraphPricing>(graph, costs);
}

Result<TermId> extractTerm(EGraph& graph, Pricing& pricing, ENodeId root, std::string_view method,
                           const Options& options, std::stop_token stop) {
    if (method != "tree") return chosen(graph, pricing, root, method, options, std::move(stop));
    const TermId least = pricing.least(root);
    if (least.isValid()) return least;
    return Error{ErrorCode::InvalidInput,
                 "the program has no finite cost under the model",
                 std::nullopt,
                 "choose another cost model",
                 {}};
}

}  // namespace mitos::extract
