// SPDX-License-Identifier: GPL-3.0-or-later
// The costs of the graphs that single replacements make of one graph, without pricing each of these graphs from its inputs on.
#pragma once

#include "core/cost/cost_model.h"
#include "core/ir/shared.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/container/node_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mitos::cost {

/// Prices replacements in one graph. A replacement changes the cost by as much as it changes the cost of the part of the graph around it,
/// which is priced as a program of its own: the values that enter the part are its variables, and those that leave it are its results. How
/// far the part reaches, CostEvaluator::reach() tells. Takes time proportional to the size of that part.
///
/// Must be used from the thread of the bank and of the evaluator, which must both outlive it.
class ReplacementCosts {
public:
    /// `mostNodes`: of a part; usually a quarter of the graph, as a part is priced twice, before and after.
    ReplacementCosts(ir::TermBank& bank, CostEvaluator& costs, ir::TermId root,
                     std::optional<std::size_t> mostNodes = {});

    /// Whether the cost of this graph is known, and this model has costs of parts.
    [[nodiscard]] bool isAble() const { return m_reach.has_value() && m_cost.has_value(); }
    /// The cost of ir::replaceShared() with this node and this replacement, but for rounding. Nothing if only pricing the whole graph can
    /// tell: the replacement makes nodes equal, it is computed before the program runs and the node is not, what it changes reaches too
    /// far, or a cost is not known.
    [[nodiscard]] std::optional<double> of(ir::TermId node, ir::TermId replacement);

private:
    using Number = std::uint32_t;  ///< of a node in the order of ir::SharedNodes

    /// The nodes that a replacement adds to the graph, and those that it takes away.
    struct Change {
        Number node = 0;
        ir::TermId replacement;
        std::vector<ir::TermId> fresh;          ///< nodes that the graph does not have, children first
        absl::flat_hash_map<Number, int> uses;  ///< by how much the uses of a node change
        std::vector<Number> core;  ///< the node, those that nothing uses any more, and others whose uses change
        absl::flat_hash_set<Number> isInCore;
    };
    /// The part of the graph around a change, as a program before and after it.
    struct Part {
        ir::TermId before;
        ir::TermId after;
        std::vector<Number> nodes;  ///< children first
        absl::flat_hash_map<Number, ir::TermId> formsBefore;
        absl::flat_hash_map<Number, ir::TermId> formsAfter;
    };
    /// The cost of a part, and of its nodes if the model has groups of nodes.
    struct Priced {
        double cost = 0.0;
        absl::flat_hash_map<ir::TermId, double> own;
    };

    [[nodiscard]] std::span<const Number> usersOf(Number node) const {
        return std::span(m_users).subspan(m_firstUser[node], m_firstUser[node + 1] - m_firstUser[node]);
    }
    [[nodiscard]] bool isLeaf(Number node) const { return m_bank.childCount(m_nodes[node]) == 0; }

    [[nodiscard]] std::optional<Change> changeOf(Number node, ir::TermId replacement);
    [[nodiscard]] bool addFresh(Change& change);
    [[nodiscard]] bool makesNodesEqual(const Change& change);
    [[nodiscard]] bool countUses(Change& change) const;
    [[nodiscard]] bool isOffline(ir::TermId term);
    /// The nodes within so many levels of the core; nothing if there are too many.
    [[nodiscard]] std::optional<std::vector<Number>> around(const Change& change, std::uint32_t levels) const;
    [[nodiscard]] std::optional<Part> partOf(const Change& change, std::vector<Number> nodes);
    /// The form of a node outside of a part in it.
    [[nodiscard]] std::optional<ir::TermId> entering(Number node, absl::flat_hash_map<Number, ir::TermId>& entered);
    [[nodiscard]] const Priced* priced(ir::TermId part);
    /// Whether the model groups the nodes near the change as in the whole graph, and those farther away as before.
    [[nodiscard]] bool isLocal(const Change& change, const Part& part, const Priced& before, const Priced& after);

    ir::TermBank& m_bank;
    CostEvaluator& m_costs;
    std::optional<std::uint32_t> m_reach;
    std::optional<double> m_cost;  ///< of the whole
    std::size_t m_mostNodes = 0;
    std::vector<ir::TermId> m_nodes;
    absl::flat_hash_map<ir::TermId, Number> m_numbers;
    std::vector<std::uint32_t> m_firstUser;  ///< by number: where its users begin
    std::vector<Number> m_users;             ///< as often as they use a node
    std::vector<double> m_own;               ///< by number, if the model has groups of nodes
    absl::flat_hash_map<ir::TermId, bool> m_isOffline;
    absl::node_hash_map<ir::TermId, std::optional<Priced>> m_priced;
};

}  // namespace mitos::cost
