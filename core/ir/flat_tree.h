// SPDX-License-Identifier: GPL-3.0-or-later
// A term written out as a tree, for comparing it with another: every occurrence a row, in pre-order.
#pragma once

#include "core/ir/term_bank.h"

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
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
    /// Number of the profile; those of its children must be there.
    std::uint32_t add(TermId term);
    [[nodiscard]] const TermProfile& operator[](std::uint32_t number) const { return m_profiles[number]; }

private:
    const TermBank& m_bank;
    absl::flat_hash_map<TermId, std::uint32_t> m_numbers;
    std::vector<TermProfile> m_profiles;
};

class FlatTree {
public:
    static constexpr std::uint32_t None = 0xFFFFFFFFU;

    struct Node {
        TermId term;
        std::uint32_t end = 0;  ///< one behind its last descendant
        std::uint32_t profile = 0;
        std::uint32_t binder = None;  ///< of a bound variable: the row of its binder
        std::uint32_t outer = None;   ///< of one that reaches outside the tree: how far beyond its root
    };

    FlatTree(const TermBank& bank, TermId root, TermProfiles& profiles);

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(m_nodes.size()); }
    [[nodiscard]] const Node& operator[](std::uint32_t row) const { return m_nodes[row]; }
    [[nodiscard]] std::uint32_t sizeOf(std::uint32_t row) const { return m_nodes[row].end - row; }
    [[nodiscard]] std::vector<std::uint32_t> children(std::uint32_t row) const;

private:
    std::vector<Node> m_nodes;
};

}  // namespace mitos::ir
