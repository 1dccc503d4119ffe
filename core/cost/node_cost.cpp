// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/node_cost.h"

#include "core/ir/shared.h"
#include "core/tensor/idle.h"
#include "core/tensor/operator.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace mitos::cost {

using ir::TermId;

namespace {

/// Costs are cached by term: in a tree the cost of the whole term, in a graph that of its node.
class SumOfNodes final : public CostEvaluator {
public:
    SumOfNodes(const ir::TermBank& bank, ir::Sharing sharing, std::unique_ptr<NodeCosts> nodes)
        : m_bank(bank),
          m_isTree(sharing == ir::Sharing::Tree),
          m_nodes(std::move(nodes)) {}

    Result<double> cost(TermId root, const std::stop_token& stop) override {
        MITOS_REQUIRE(learn({&root, 1}, stop));
        return sum(root);
    }

    Result<std::vector<double>> costs(std::span<const TermId> roots, const std::stop_token& stop) override {
        MITOS_REQUIRE(learn(roots, stop));
        std::vector<double> sums;
        for (const TermId root : roots) sums.push_back(sum(root));
        return sums;
    }

    std::optional<double> uniformCost() const override { return m_nodes->uniformCost(); }
    std::optional<std::uint32_t> reach() const override {
        return m_isTree ? std::nullopt : std::optional<std::uint32_t>(0);
    }

    Result<std::vector<CostPart>> explain(TermId root, const std::stop_token& stop) override {
        MITOS_REQUIRE(learn({&root, 1}, stop));
        if (m_isTree) return treeParts(root);
        MITOS_TRY(std::vector<NodeCost> nodes, explainNodes(root, stop));
        return graphParts(m_bank, root, std::move(nodes));
    }

    Result<std::vector<NodeCost>> explainNodes(TermId root, const std::stop_token& stop) override {
        if (m_isTree) return CostEvaluator::explainNodes(root, stop);
        MITOS_REQUIRE(learn({&root, 1}, stop));
        std::vector<NodeCost> costs;
        for (const TermId node : ir::SharedNodes(m_bank, root)) {
            MITOS_TRY(NodeCost cost, m_nodes->explain(nodeAt(node)));
            costs.push_back(std::move(cost));
        }
        return costs;
    }

    [[nodiscard]] NodeCosts* nodes() override { return m_nodes.get(); }
    [[nodiscard]] std::size_t bytes() const override { return m_known.capacity() * sizeof(Known); }

private:
    struct Known {
        enum class State : std::uint8_t { Unknown, Found, Costed };
        double cost = 0.0;
        State state = State::Unknown;
        bool isOffline = false;
    };

    /// Valid until the next call.
    Node nodeAt(TermId term) {
        return nodeOf(m_bank, term, m_known[term.value].isOffline, m_inputs, offlineInputsOf(term));
    }
    [[nodiscard]] std::uint64_t offlineInputsOf(TermId term) const {
        return offlineInputs(m_bank.childCount(term),
                             [&](std::size_t child) { return m_known[m_bank.child(term, child).value].isOffline; });
    }

    /// Finds the costs of all nodes below the roots that are not known. Programs may be thousands of levels deep: no recursion.
    Status learn(std::span<const TermId> roots, const std::stop_token& stop) {
        if (m_known.size() < m_bank.size()) m_known.resize(m_bank.size());
        m_new.clear();
        for (const TermId root : roots) find(root);
        if (m_new.empty()) return Success{};
        std::size_t inputs = 0;
        for (const TermId term : m_new) inputs += m_bank.childCount(term);
        m_types.clear();
        m_types.reserve(inputs);  // the nodes refer to it
        m_batch.clear();
        for (const TermId term : m_new) {
            const std::size_t first = m_types.size();
            for (const TermId child : m_bank.children(term)) m_types.push_back(m_bank.type(child));
            m_batch.push_back({m_bank,
                               m_bank.op(term),
                               m_bank.payload(term),
                               {m_types.data() + first, m_types.size() - first},
                               m_bank.type(term),
                               m_known[term.value].isOffline,
                               offlineInputsOf(term)});
        }
        m_own.resize(m_new.size());
        const Status costed = m_nodes->costs(m_batch, m_own, stop);
        for (std::size_t i = 0; i < m_new.size(); ++i) {
            Known& known = m_known[m_new[i].value];
            known.state = costed ? Known::State::Costed : Known::State::Unknown;
            known.cost = m_own[i];
            if (!m_isTree) continue;
            for (std::size_t child = 0; child < m_batch[i].inputs.size(); ++child) {
                known.cost += m_nodes->times(m_batch[i], child) * m_known[m_bank.child(m_new[i], child).value].cost;
            }
            known.cost = std::min(known.cost, LargestCost);
        }
        return costed;
    }

    /// Adds the unknown nodes of a term to m_new, children first.
    void find(TermId root) {
        m_open.assign(1, root);
        while (!m_open.empty()) {
            const TermId term = m_open.back();
            if (m_known[term.value].state != Known::State::Unknown) {
                m_open.pop_back();
                continue;
            }
            const std::size_t before = m_open.size();
            for (const TermId child : m_bank.children(term)) {
                if (m_known[child.value].state == Known::State::Unknown) m_open.push_back(child);
            }
            if (m_open.size() > before) continue;
            m_open.pop_back();
            m_known[term.value].state = Known::State::Found;
            m_known[term.value].isOffline = !m_isTree && isOffline(m_bank, term, [&](std::size_t child) {
                return m_known[m_bank.child(term, child).value].isOffline;
            });
            m_new.push_back(term);
        }
    }

    [[nodiscard]] double sum(TermId root) const {
        if (m_isTree) return m_known[root.value].cost;
        double sum = 0.0;
        for (const TermId node : ir::SharedNodes(m_bank, root)) sum += m_known[node.value].cost;
        return sum;
    }

    Result<std::vector<CostPart>> treeParts(TermId root) {
        std::vector<CostPart> parts;
        std::vector<std::pair<TermId, double>> above;  // the terms on the path and how often they count
        std::optional<Error> failed;
        ir::forEachSubterm(m_bank, root, [&](const ir::Path& path, TermId term) {
            above.resize(path.size());
            double times = 1.0;
            if (!path.empty()) times = above.back().second * m_nodes->times(nodeAt(above.back().first), path.back());
            above.emplace_back(term, times);
            Result<NodeCost> own = m_nodes->explain(nodeAt(term));
            if (!own) {
                failed = std::move(own).error();
                return false;
            }
            parts.push_back({own->cost, m_known[term.value].cost, times, std::move(own->reason), std::move(own->shares),
                             own->spread});
            return true;
        });
        if (failed) return *std::move(failed);
        return parts;
    }

    const ir::TermBank& m_bank;
    bool m_isTree;
    std::unique_ptr<NodeCosts> m_nodes;
    std::vector<Known> m_known;  // by term
    InputTypes m_inputs;         // of the node made last
    // These hold the work of learn(); they are members because most calls learn about a few nodes only.
    std::vector<TermId> m_open;
    std::vector<TermId> m_new;
    std::vector<ir::TypeId> m_types;
    std::vector<Node> m_batch;
    std::vector<double> m_own;
};

}  // namespace

Result<std::vector<double>> CostEvaluator::costs(std::span<const TermId> roots, const std::stop_token& stop) {
    std::vector<double> costs;
    for (const TermId root : roots) {
        if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "costing was stopped"};
        MITOS_TRY(double known, cost(root, stop));
        costs.push_back(known);
    }
    return costs;
}

Result<std::vector<NodeCost>> CostEvaluator::explainNodes(TermId /*root*/, const std::stop_token& /*stop*/) {
    return Error{ErrorCode::Unsupported, "the nodes of a program that is a tree have no costs of their own"};
}

Node nodeOf(const ir::TermBank& bank, TermId term, bool isOffline, InputTypes& inputs, std::uint64_t offlineInputs) {
    inputs.clear();
    for (const TermId child : bank.children(term)) inputs.push_back(bank.type(child));
    return {bank, bank.op(term), bank.payload(term), inputs, bank.type(term), isOffline, offlineInputs};
}

std::uint64_t offlineInputs(std::size_t children, absl::FunctionRef<bool(std::size_t child)> isOffline) {
    constexpr std::size_t Bits = 64;
    std::uint64_t inputs = 0;
    for (std::size_t child = 0; child < std::min(children, Bits); ++child) {
        if (isOffline(child)) inputs |= std::uint64_t{1} << child;
    }
    return inputs;
}

bool isOffline(const ir::TermBank& bank, TermId node, absl::FunctionRef<bool(std::size_t child)> isOffline) {
    const std::string_view op = bank.opName(node);
    if (op == tensor::WeightName || op == tensor::AbsentName) return true;
    if (bank.is(node, ir::CoreOp::Variable) || op == tensor::OpaqueName) return false;
    if (bank.registry().info(bank.op(node)).traits.effectful) return false;
    // Quantized weights stay quantized, and weights in half precision stay so: nodes that widen them run with the program.
    if (tensor::operatorOf(bank, node) != nullptr && tensor::widens(bank, node)) return false;
    for (std::size_t i = 0; i < bank.childCount(node); ++i) {
        if (!isOffline(i)) return false;
    }
    return true;
}

std::unique_ptr<CostEvaluator> sumOfNodes(const ir::TermBank& bank, ir::Sharing sharing,
                                          std::unique_ptr<NodeCosts> nodes) {
    return std::make_unique<SumOfNodes>(bank, sharing, std::move(nodes));
}

namespace {

/// The costs of a graph with those of all nodes below. The nodes below a node are those of its part of the depth-first tree, whose costs
/// are summed on the way up, and those that an edge out of this part leads to. Only for the latter the nodes that depend on them are found.
class Totals {
public:
    Totals(const ir::TermBank& bank, const ir::SharedNodes& nodes, const std::vector<NodeCost>& costs)
        : m_bank(bank),
          m_costs(costs),
          m_first(nodes.size()),
          m_total(nodes.size()) {
        for (const TermId node : nodes) m_numbers.emplace(node, static_cast<std::uint32_t>(m_numbers.size()));
        std::vector<std::uint32_t> entries;  ///< ends of edges that lead out of a part
        for (const TermId node : nodes) sumPart(node, entries);
        addOutside(nodes, entries);
        // As the evaluator sums them.
        m_total.back() = 0.0;
        for (const NodeCost& cost : costs) m_total.back() += cost.cost;
    }

    [[nodiscard]] std::uint32_t number(TermId node) const { return m_numbers.at(node); }
    [[nodiscard]] double of(std::uint32_t number) const { return m_total[number]; }

private:
    /// Sums the costs of a node's part, which ends at the node in post-order: the parts of those children that no earlier node has.
    void sumPart(TermId node, std::vector<std::uint32_t>& entries) {
        const std::uint32_t own = number(node);
        m_first[own] = own;
        m_total[own] = m_costs[own].cost;
        // Children are visited in order, so the parts of new ones lie one behind the other and end before the node.
        for (std::size_t i = m_bank.childCount(node); i-- > 0;) {
            const std::uint32_t child = number(m_bank.child(node, i));
            if (child + 1 == m_first[own]) {
                m_first[own] = m_first[child];
                m_total[own] += m_total[child];
            } else if (child < m_first[own]) {
                entries.push_back(child);
            }
        }
    }

    /// Adds what lies below a node outside of its part: a bit each for 64 nodes at a time, passed on from children to parents.
    void addOutside(const ir::SharedNodes& nodes, const std::vector<std::uint32_t>& entries) {
        constexpr std::size_t Block = 64;
        std::vector<bool> isOutside(nodes.size());
        for (const std::uint32_t entry : entries) isOutside[entry] = true;
        std::vector<TermId> order(nodes.begin(), nodes.end());
        for (std::size_t at = order.size(); at-- > 0;) {
            if (!isOutside[at]) continue;
            for (const TermId child : m_bank.children(order[at])) isOutside[number(child)] = true;
        }
        std::vector<std::uint32_t> outside;
        for (std::uint32_t at = 0; at < order.size(); ++at) {
            if (isOutside[at]) outside.push_back(at);
        }
        std::vector<std::uint64_t> below(nodes.size());
        for (std::size_t begin = 0; begin < outside.size(); begin += Block) {
            const std::size_t end = std::min(begin + Block, outside.size());
            std::size_t next = begin;
            std::fill(below.begin(), below.end(), 0);
            for (std::uint32_t at = outside[begin]; at < order.size(); ++at) {
                const bool isOne = next < end && outside[next] == at;
                std::uint64_t bits = isOne ? std::uint64_t{1} << (next++ - begin) : 0;
                for (const TermId child : m_bank.children(order[at])) bits |= below[number(child)];
                below[at] = bits;
                for (; bits != 0; bits &= bits - 1) {
                    const std::uint32_t one = outside[begin + static_cast<std::size_t>(std::countr_zero(bits))];
                    if (one < m_first[at]) m_total[at] += m_costs[one].cost;
                }
            }
        }
    }

    const ir::TermBank& m_bank;
    const std::vector<NodeCost>& m_costs;
    absl::flat_hash_map<TermId, std::uint32_t> m_numbers;
    std::vector<std::uint32_t> m_first;  ///< the first node of each node's part, in post-order
    std::vector<double> m_total;
};

}  // namespace

std::vector<CostPart> graphParts(const ir::TermBank& bank, TermId root, std::vector<NodeCost> costs) {
    const Totals totals(bank, ir::SharedNodes(bank, root), costs);
    std::vector<CostPart> parts;
    parts.reserve(costs.size());
    ir::forEachShared(bank, root, [&](const ir::Path&, TermId node) {
        const std::uint32_t number = totals.number(node);
        NodeCost& mine = costs[number];
        parts.push_back(
            {mine.cost, totals.of(number), 1.0, std::move(mine.reason), std::move(mine.shares), mine.spread});
        return true;
    });
    return parts;
}

}  // namespace mitos::cost
