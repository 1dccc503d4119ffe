// SPDX-License-Identifier: GPL-3.0-or-later
// See pricing.h.
#include "core/extract/pricing.h"

#include "core/cost/node_cost.h"
#include "core/extract/internal/egraph_problem.h"
#include "core/extract/internal/least_terms.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace mitos::extract {

using egraph::EGraph;
using egraph::ENodeId;
using ir::TermId;

namespace {

/// Shared terms are paid for at each use, and costs depend on the context, so the model prices whole terms.
class TreePricing final : public Pricing {
public:
    TreePricing(EGraph& graph, cost::CostEvaluator& costs) : m_graph(graph), m_costs(costs), m_terms(graph, costs) {}

    bool update(absl::FunctionRef<bool()> mayValue) override { return m_terms.update(mayValue); }
    double price(ENodeId node) override { return m_terms.addedCost(node); }
    TermId least(ENodeId root) override { return m_terms.of(root).term; }
    TermId leastWithout(ENodeId root, const absl::flat_hash_set<ENodeId>& excluded) override {
        LeastTerms others(m_graph, m_costs, excluded);
        others.update([] { return true; });
        return others.of(root).term;
    }
    [[nodiscard]] std::size_t bytes() const override { return m_terms.bytes(); }

private:
    EGraph& m_graph;
    cost::CostEvaluator& m_costs;
    LeastTerms m_terms;
};

Result<TermId> chosen(EGraph& graph, Pricing& pricing, ENodeId root, std::string_view method, const Options& options,
                      std::stop_token stop) {
    const Problem problem = makeProblem(graph, {&root, 1}, [&](ENodeId node) { return pricing.price(node); });
    MITOS_TRY(const Extraction found, extract(problem, method, options, std::move(stop)));
    return chosenTerms(graph, problem, found.choice).front();
}

/// Shared nodes are paid for once, so nodes are priced by themselves (cost::NodeCosts), and the costs of the chosen nodes add up.
/// Computations on weights alone cost nothing: a child counts as a weight if some term of its class is one; an extraction
/// finds that term, since it is free. If a model is not additive (peak-memory), the prices are estimates, and the model itself
/// prices the final program.
class GraphPricing final : public Pricing {
public:
    GraphPricing(EGraph& graph, cost::CostEvaluator& costs) : m_graph(graph), m_costs(costs) {}

    bool update(absl::FunctionRef<bool()> mayValue) override {
        m_isAllowed = mayValue();
        if (!m_isAllowed) return false;
        m_prices.assign(m_graph.idCount(), std::numeric_limits<double>::quiet_NaN());
        m_isOffline.assign(m_graph.idCount(), false);
        std::vector<std::uint32_t> open = m_graph.index().members;
        while (!open.empty()) {
            const ENodeId node(open.back());
            open.pop_back();
            const ENodeId leader = m_graph.find(node);
            if (m_isOffline[leader.value] || m_graph.isFiltered(node) || !isOffline(node)) continue;
            m_isOffline[leader.value] = true;
            m_graph.forEachUse(leader, [&](ENodeId user, std::uint32_t) { open.push_back(user.value); });
        }
        return true;
    }
    /// At least 0; infinite if the model has no price for the node.
    double price(ENodeId node) override {
        if (!m_isAllowed) return std::numeric_limits<double>::infinity();
        double& price = m_prices[node.value];
        if (!std::isnan(price)) return price;
        const bool isBefore = isOffline(node);
        const std::uint64_t offlineInputs = cost::offlineInputs(
            m_graph.children(node).size(), [&](std::size_t child) { return isChildOffline(node, child); });
        constexpr unsigned Half = 32;
        m_key.assign({m_graph.headOf(node).value, isBefore ? 1U : 0U, static_cast<std::uint32_t>(offlineInputs),
                      static_cast<std::uint32_t>(offlineInputs >> Half)});
        for (const std::uint32_t child : m_graph.children(node)) m_key.push_back(m_graph.type(ENodeId(child)).value);
        const auto [known, isNew] = m_known.try_emplace(m_key);
        if (isNew) known->second = modelPrice(node, isBefore, offlineInputs);
        price = known->second;
        return price;
    }
    TermId least(ENodeId root) override {
        if (!m_isAllowed) return {};
        const Result<TermId> term = chosen(m_graph, *this, root, "tree", {}, {});
        return term ? *term : TermId();
    }
    TermId leastWithout(ENodeId, const absl::flat_hash_set<ENodeId>&) override { return {}; }
    [[nodiscard]] std::size_t bytes() const override {
        return m_isOffline.capacity() / 8 + m_prices.capacity() * sizeof(double);
    }

private:
    [[nodiscard]] double modelPrice(ENodeId node, bool isBefore, std::uint64_t offlineInputs) {
        const egraph::Head& head = m_graph.headInfo(node);
        cost::InputTypes inputs;
        for (const std::uint32_t child : m_graph.children(node)) inputs.push_back(m_graph.type(ENodeId(child)));
        const cost::Node alone{m_graph.bank(), head.op, head.payload, inputs, head.type, isBefore, offlineInputs};
        cost::NodeCosts* const costs = m_costs.nodes();
        double price = 0.0;
        const bool isPriced = costs != nullptr && costs->costs({&alone, 1}, {&price, 1}, {}).ok() && !std::isnan(price);
        return isPriced ? std::max(0.0, price) : std::numeric_limits<double>::infinity();
    }

    /// Whether the node can be computed before the program runs.
    [[nodiscard]] bool isOffline(ENodeId node) const {
        return cost::isOffline(m_graph.bank(), m_graph.headInfo(node).sample,
                               [&](std::size_t child) { return isChildOffline(node, child); });
    }
    [[nodiscard]] bool isChildOffline(ENodeId node, std::size_t child) const {
        return m_isOffline[m_graph.find(m_graph.child(node, static_cast<std::uint32_t>(child))).value];
    }

    EGraph& m_graph;
    cost::CostEvaluator& m_costs;
    std::vector<bool> m_isOffline;  ///< by class leader: whether some term of the class can be computed beforehand
    std::vector<double> m_prices;   ///< by e-node; NaN: not priced since the last update
    /// Prices by head, whether the node is computed beforehand, and the types of the children. Heads keep their numbers while the graph
    /// grows, and also if it is undone.
    absl::flat_hash_map<std::vector<std::uint32_t>, double> m_known;
    std::vector<std::uint32_t> m_key;
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
    return inputError("the program has no finite cost under the model", "choose another cost model");
}

}  // namespace mitos::extract
