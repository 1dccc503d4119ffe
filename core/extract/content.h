// SPDX-License-Identifier: GPL-3.0-or-later
// What an e-graph contains, apart from how it came to be: its hash, and the cost of its cheapest program as a function of it.
#pragma once

#include "core/cost/cost_model.h"
#include "core/egraph/egraph.h"
#include "core/extract/pricing.h"

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace mitos::extract {

/// 128 bits, the same on every run and in every bank.
using ContentHash = std::pair<std::uint64_t, std::uint64_t>;

/// Reads the content of one graph again and again, while it changes. Heads keep their numbers, also if changes are undone, so their hashes
/// are computed once.
class ContentReader {
public:
    /// The graph must outlive this object.
    explicit ContentReader(egraph::EGraph& graph) : m_graph(graph) {}

    /// Reads what the roots reach: unfiltered nodes in scope, up to the ids of nodes and classes. In a graph that is closed under congruence,
    /// and whose classes each have a finite term, different classes have different contents. Returns nothing if a class reaches itself. The
    /// graph must be clean.
    [[nodiscard]] std::optional<ContentHash> read(std::span<const egraph::ENodeId> roots);
    /// The nodes of a class that was read, in an order that depends on the content only.
    [[nodiscard]] std::span<const std::uint32_t> membersOf(std::uint32_t leader) const;

private:
    [[nodiscard]] std::uint64_t hashOf(egraph::HeadId head);
    /// The hash of a node over classes that were read.
    [[nodiscard]] ContentHash hashOf(egraph::ENodeId node);
    /// Sorts the nodes of the class, whose children were read.
    void close(std::uint32_t leader);

    struct Range {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
    };
    egraph::EGraph& m_graph;
    std::vector<std::uint64_t> m_heads;  // by head; 0: not computed yet
    std::vector<std::uint8_t> m_state;   // by e-node: of the class that it leads
    std::vector<ContentHash> m_hashes;   // by e-node: of the class that it leads
    std::vector<Range> m_ranges;         // by e-node: of the class that it leads, in m_members
    std::vector<std::uint32_t> m_members;
    std::vector<std::pair<ContentHash, std::uint32_t>> m_sorted;
};

/// Costs by content. Any thread may use it.
class ContentCosts {
public:
    [[nodiscard]] std::optional<double> find(const ContentHash& content) const;
    void add(const ContentHash& content, double cost);
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::size_t bytes() const;

private:
    mutable std::mutex m_mutex;
    absl::flat_hash_map<ContentHash, double> m_costs;
};

/// What an e-graph costs.
enum class Priced : std::uint8_t {
    Program,  ///< the cost of the program that a method extracts
    /// What the method takes for it: "tree", the default cost function of egg, counts what is shared at each use; "paper" may
    /// overestimate. Of programs that are trees it is the same.
    Prediction,
};

/// Prices a graph again and again, while it changes: the costs of the roots added up. It depends on the graph's content only; what has the
/// same content is priced once. A graph in which a class reaches itself is priced each time.
class GraphPricer {
public:
    /// All but the strings and options must outlive this object. The roots are programs of `function`.
    GraphPricer(egraph::EGraph& graph, const cost::CostModel& model, ir::FunctionId function,
                std::vector<egraph::ENodeId> roots, std::string method, Priced priced, Options options,
                ContentCosts& known);

    /// Infinite if a root has no program of finite cost. The graph must be clean.
    [[nodiscard]] double cost(const std::stop_token& stop);

private:
    [[nodiscard]] double price(bool isRead, const std::stop_token& stop);
    [[nodiscard]] double priceOfGraph(egraph::ENodeId root, bool isRead, const std::stop_token& stop);

    egraph::EGraph& m_graph;
    std::vector<egraph::ENodeId> m_roots;
    std::string m_method;
    Priced m_priced;
    Options m_options;
    ContentCosts& m_known;
    ContentReader m_reader;
    std::unique_ptr<cost::CostEvaluator> m_costs;
    ir::Sharing m_sharing;
    std::unique_ptr<Pricing> m_pricing;
};

}  // namespace mitos::extract
