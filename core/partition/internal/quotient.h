// SPDX-License-Identifier: GPL-3.0-or-later
// A graph some of whose parts are one node each.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mitos::partition {

/// The operators of a graph, by their index in the order of ir::SharedNodes, and the regions that they belong to.
class Quotient {
public:
    using Index = std::uint32_t;
    static constexpr Index None = 0xFFFFFFFFU;

    Quotient(const ir::TermBank& bank, ir::TermId root);

    [[nodiscard]] std::size_t size() const { return m_nodes.size(); }
    [[nodiscard]] ir::TermId node(Index index) const { return m_nodes[index]; }
    [[nodiscard]] Index index(ir::TermId node) const { return m_indexes.at(node); }
    [[nodiscard]] bool contains(ir::TermId node) const { return m_indexes.contains(node); }
    /// Whether the node computes something: it has operands, and it is not the tuple of a program's results.
    [[nodiscard]] bool isOperator(Index index) const;
    /// Whether a region has the node's value itself: a weight or a number.
    [[nodiscard]] bool isConstant(Index index) const;
    /// The region of a node; None if it is in none.
    [[nodiscard]] Index regionOf(Index index) const { return m_regions[index]; }
    [[nodiscard]] std::span<const Index> users(Index index) const { return m_users[index]; }
    [[nodiscard]] std::span<const Index> operands(Index index) const { return m_operands[index]; }

    /// A way out of some nodes and back into them.
    struct Detour {
        Index node = None;    ///< the last node outside; None if that is a region
        Index region = None;  ///< the last region outside; None if that is a node
    };
    /// A cycle that the graph has if the nodes become one; nothing if there is none. Only nodes in no region may be given.
    [[nodiscard]] std::optional<Detour> detour(std::span<const Index> nodes);
    /// Makes the nodes a region, the next one.
    void add(std::span<const Index> nodes);

private:
    const ir::TermBank& m_bank;
    std::vector<ir::TermId> m_nodes;
    absl::flat_hash_map<ir::TermId, Index> m_indexes;
    std::vector<std::vector<Index>> m_operands;
    std::vector<std::vector<Index>> m_users;
    std::vector<Index> m_regions;               ///< by node
    std::vector<std::vector<Index>> m_members;  ///< by region
    std::vector<std::uint32_t> m_seen;          ///< by node: the number of the last search that reached it
    std::uint32_t m_searches = 0;
};

}  // namespace mitos::partition
