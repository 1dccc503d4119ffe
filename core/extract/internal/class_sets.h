// SPDX-License-Identifier: GPL-3.0-or-later
// Many large sets of small numbers that share most of their members.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::extract {

/// Sets are rows of blocks of 256 numbers; equal blocks of a set and of the sets it was built from are shared. Adding
/// one number to a copy of a set costs a row of references (a byte for 64 numbers), and a union only reads blocks that
/// differ.
class ClassSets {
public:
    using Set = std::vector<std::uint32_t>;  ///< block numbers; 0: empty

    ClassSets() : m_blocks(1) {}

    void insert(Set& set, std::uint32_t number);
    /// into ∪= from; returns the sum of weight[number] over the numbers that are new in `into`.
    double unite(Set& into, const Set& from, std::span<const double> weight);

    /// Sets made after a mark can be released.
    [[nodiscard]] std::size_t mark() const { return m_blocks.size(); }
    void release(std::size_t mark) { m_blocks.resize(mark); }

private:
    static constexpr std::uint32_t Words = 4;
    using Block = std::array<std::uint64_t, Words>;
    std::vector<Block> m_blocks;
};

}  // namespace mitos::extract
