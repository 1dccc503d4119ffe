// SPDX-License-Identifier: GPL-3.0-or-later
// A program written out, for comparing it with another: of a tree every occurrence is a row, of a graph every distinct node
// at its first path (shared.h); in pre-order.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::ir {

/// What is known about a term without looking at it again. The same term has the same profile in every tree.
struct TermProfile {
    static constexpr std::size_t Buckets = 128;

    /// Equal for terms that differ at most in which binders their bound variables belong to.
    std::uint64_t shape = 0;
    /// How often each operator-with-payload occurs, and how often it occurs over children of which operators: by hash,
    /// up to the largest number that fits.
    std::array<std::uint16_t, Buckets> counts{};

    void count(std::uint64_t feature);
    void add(const TermProfile& part);
};

/// Profiles of all distinct terms of the trees that are compared.
class TermProfiles {
public:
    explicit TermProfiles(const TermBank& bank) : m_bank(bank) {}
    /// Number of a tree's profile; those of its children must be there.
    std::uint32_t add(TermId term);
    /// Of a node of a graph: it counts itself and what `parts` count, those of its children that nobody counted before.
    std::uint32_t addShared(TermId term, std::span<const std::uint32_t> parts);
    [[nodiscard]] const TermProfile& operator[](std::uint32_t number) const { return m_profiles[number]; }

private:
    void countHead(TermProfile& profile, TermId term) const;

    const TermBank& m_bank;
    absl::flat_hash_map<TermId, std::uint32_t> m_numbers;  ///< of trees
    std::vector<TermProfile> m_profiles;
};

class FlatTree {
public:
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    struct Node {
        TermId term;
        std::uint32_t end =
            0;  ///< one behind its last descendant; of a graph, behind those whose first path leads here
        std::uint32_t profile = 0;
        std::uint32_t binder = None;  ///< of a bound variable: the row of its binder
        std::uint32_t outer = None;   ///< of one that reaches outside the tree: how far beyond its root
    };

    FlatTree(const TermBank& bank, TermId root, TermProfiles& profiles, Sharing sharing = Sharing::Tree);

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(m_nodes.size()); }
    [[nodiscard]] const Node& operator[](std::uint32_t row) const { return m_nodes[row]; }
    [[nodiscard]] std::uint32_t sizeOf(std::uint32_t row) const { return m_nodes[row].end - row; }
    /// In order; of a graph also those that stand elsewhere.
    [[nodiscard]] std::vector<std::uint32_t> children(std::uint32_t row) const;
    /// Where a node of a graph stands; None: nowhere.
    [[nodiscard]] std::uint32_t rowOf(TermId term) const;

private:
    void writeTree(TermId root, TermProfiles& profiles);
    void writeGraph(TermId root, TermProfiles& profiles);

    const TermBank& m_bank;
    std::vector<Node> m_nodes;
    absl::flat_hash_map<TermId, std::uint32_t> m_rows;  ///< of a graph
};

}  // namespace mitos::ir
