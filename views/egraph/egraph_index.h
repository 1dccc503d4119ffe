// SPDX-License-Identifier: GPL-3.0-or-later
// Indexes of an e-graph for its views: the members and parents of each class, and its cheapest term.
#pragma once

#include "core/egraph/snapshot.h"

#include <absl/container/flat_hash_map.h>

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mitos::views {

/// Number of a class or of a node in its snapshot.
using ClassIndex = std::uint32_t;
using ENodeIndex = std::uint32_t;

/// Immutable; built off the GUI thread.
class EGraphIndex {
public:
    static constexpr std::uint32_t None = egraph::Snapshot::None;

    explicit EGraphIndex(std::shared_ptr<const egraph::Snapshot> snapshot);

    [[nodiscard]] const egraph::Snapshot& snapshot() const { return *m_snapshot; }
    [[nodiscard]] ClassIndex classCount() const { return static_cast<ClassIndex>(m_snapshot->classes.size()); }
    /// The class's nodes, in the snapshot's order.
    [[nodiscard]] std::span<const ENodeIndex> members(ClassIndex which) const { return list(m_members, which); }
    /// Nodes that have the class as an argument, each once.
    [[nodiscard]] std::span<const ENodeIndex> parents(ClassIndex which) const { return list(m_parents, which); }
    /// The root node of the class's cheapest tree; None if the class has no finite tree.
    [[nodiscard]] ENodeIndex best(ClassIndex which) const { return m_best[which]; }
    /// Cost of that tree: nodes count as often as they occur, negative costs count as 0; infinite if there is no such tree.
    [[nodiscard]] double bestCost(ClassIndex which) const { return m_bestCost[which]; }
    /// The iteration in which the first node of the class was made.
    [[nodiscard]] std::uint32_t born(ClassIndex which) const;
    /// A class of one node without arguments: a literal or a variable that nothing else is equal to.
    [[nodiscard]] bool isLeaf(ClassIndex which) const;
    /// The classes to show first: egraph::startClasses().
    [[nodiscard]] const std::vector<ClassIndex>& starts() const { return m_starts; }
    /// The class that contains the e-node with that id.
    [[nodiscard]] std::optional<ClassIndex> classOf(std::string_view id) const;
    /// The class in this snapshot that corresponds to a class of another snapshot of the same run: the one containing
    /// the first of its e-nodes that still exists.
    [[nodiscard]] std::optional<ClassIndex> sameClass(const EGraphIndex& other, ClassIndex which) const;
    /// "mul(a3, a7)": the operator and the ids of its arguments' classes.
    [[nodiscard]] QString nodeText(ENodeIndex node) const;
    /// The rule that created a node; empty for a start term, or if it is not known.
    [[nodiscard]] QString ruleOf(ENodeIndex node) const;

private:
    struct Lists {
        std::vector<std::uint32_t> begin;
        std::vector<ENodeIndex> nodes;
    };
    [[nodiscard]] static std::span<const ENodeIndex> list(const Lists& lists, ClassIndex which) {
        return {lists.nodes.data() + lists.begin[which], lists.begin[which + 1] - lists.begin[which]};
    }
    void sortNodes();
    void findBest();

    std::shared_ptr<const egraph::Snapshot> m_snapshot;
    Lists m_members;
    Lists m_parents;
    std::vector<ENodeIndex> m_best;
    std::vector<double> m_bestCost;
    std::vector<ClassIndex> m_starts;
    absl::flat_hash_map<std::string_view, ENodeIndex> m_nodes;  // by id; the keys refer to the snapshot's names
};

}  // namespace mitos::views
