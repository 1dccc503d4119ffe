// SPDX-License-Identifier: GPL-3.0-or-later
// A program as rows in pre-order, for comparing it with another program. A tree has a row for every occurrence, a graph for every
// distinct node at its first path (shared.h).
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::ir {

/// A summary of a term for comparisons that do not traverse it again. A term has the same profile in every tree.
struct TermProfile {
    static constexpr std::size_t Buckets = 128;

    /// Equal for terms that differ at most in the binders of their bound variables.
    std::uint64_t shape = 0;
    /// Counts of each operator with payload, and of each operator with the operators of its children; indexed by hash,
    /// saturating at the largest number that fits.
    std::array<std::uint16_t, Buckets> counts{};

    void count(std::uint64_t feature);
    void add(const TermProfile& part);
};

/// Profiles of all distinct terms of the compared trees.
class TermProfiles {
public:
    explicit TermProfiles(const TermBank& bank) : m_bank(bank) {}
    /// Adds a tree's profile and returns its number. The profiles of its children must have been added.
    std::uint32_t add(TermId term);
    /// Adds the profile of a graph's node, which counts the node itself and `parts`, the profiles of its children not counted yet.
    std::uint32_t addShared(TermId term, std::span<const std::uint32_t> parts);
    [[nodiscard]] const TermProfile& operator[](std::uint32_t number) const { return m_profiles[number]; }

private:
    void countHead(TermProfile& profile, TermId term) const;

    const TermBank& m_bank;
    absl::flat_hash_map<TermId, std::uint32_t> m_numbers;  ///< trees only
    std::vector<TermProfile> m_profiles;
};

class FlatTree {
public:
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    struct Node {
        TermId term;
        std::uint32_t end =
            0;  ///< one past its last descendant; in a graph, past those whose first path leads through here
        std::uint32_t profile = 0;
        std::uint32_t binder = None;  ///< for a bound variable: the row of its binder
        std::uint32_t outer = None;   ///< for a loose bound variable: its index as seen from the root
    };

    FlatTree(const TermBank& bank, TermId root, TermProfiles& profiles, Sharing sharing = Sharing::Tree);

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(m_nodes.size()); }
    [[nodiscard]] const Node& operator[](std::uint32_t row) const { return m_nodes[row]; }
    [[nodiscard]] std::uint32_t sizeOf(std::uint32_t row) const { return m_nodes[row].end - row; }
    /// The rows of the children in order; in a graph also of children whose first path is elsewhere.
    [[nodiscard]] std::vector<std::uint32_t> children(std::uint32_t row) const;
    /// The row of a graph's node; None if the graph does not contain it.
    [[nodiscard]] std::uint32_t rowOf(TermId term) const;

private:
    void writeTree(TermId root, TermProfiles& profiles);
    void writeGraph(TermId root, TermProfiles& profiles);

    const TermBank& m_bank;
    std::vector<Node> m_nodes;
    absl::flat_hash_map<TermId, std::uint32_t> m_rows;  ///< graphs only
};

}  // namespace mitos::ir
