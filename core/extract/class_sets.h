// SPDX-License-Identifier: GPL-3.0-or-later
// Many large sets of small numbers that have most of their members in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::extract {

/// Sets are rows of blocks of 256 numbers; equal blocks of a set and the sets it was made of are the same block. A set that
/// adds one number to another costs a row of references (a byte for 64 numbers), and a union looks only into blocks that differ.
class ClassSets {
public:
    using Set = std::vector<std::uint32_t>;  ///< block numbers; 0: empty

    ClassSets() : m_blocks(1) {}

    void insert(Set& set, std::uint32_t number);
    /// into ∪= from; returns the sum of weight[number] over the numbers that are new in `into`.
    double unite(Set& into, const Set& from, std::span<const double> weight);

    /// What was made after a mark can be given up.
    [[nodiscard]] std::size_t mark() const { return m_blocks.size(); }
    void release(std::size_t mark) { m_blocks.resize(mark); }

private:
    static constexpr std::uint32_t Words = 4;
    using Block = std::array<std::uint64_t, Words>;
    std::vector<Block> m_blocks;
};

}  // namespace mitos::extract
