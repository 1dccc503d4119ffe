// SPDX-License-Identifier: GPL-3.0-or-later
// A counter-based random number generator: the numbers of a place are a function of the place alone.
#pragma once

#include <array>
#include <cstdint>

namespace mitos::random_keys {

/// Philox4x32 with ten rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011): a
/// bijection of 128-bit counters for each 64-bit key, whose outputs pass the usual statistical tests. It has no state, so
/// numbers can be drawn in any order and on any thread.
class Philox {
public:
    using Block = std::array<std::uint32_t, 4>;

    explicit constexpr Philox(std::uint64_t key)
        : m_key{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32U)} {}

    [[nodiscard]] constexpr Block operator()(Block counter) const {
        std::uint32_t low = m_key[0];
        std::uint32_t high = m_key[1];
        for (int round = 0; round < Rounds; ++round) {
            const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
            const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
            counter = {static_cast<std::uint32_t>(second >> 32U) ^ counter[1] ^ low, static_cast<std::uint32_t>(second),
                       static_cast<std::uint32_t>(first >> 32U) ^ counter[3] ^ high, static_cast<std::uint32_t>(first)};
            low += 0x9E3779B9U;
            high += 0xBB67AE85U;
        }
        return counter;
    }

private:
    static constexpr int Rounds = 10;

    std::array<std::uint32_t, 2> m_key;
};

}  // namespace mitos::random_keys
