// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers that depend only on the seed, not on the machine (the standard distributions differ between libraries).
#pragma once

#include "core/base/hash.h"

#include <cstddef>
#include <cstdint>

namespace mitos {

/// A splitmix64 generator. It is always passed in, never global; the code that creates one records its seed.
class Random {
public:
    explicit Random(std::uint64_t seed) : m_state(mixBits(seed)) {}

    std::uint64_t next() {
        m_state += 0x9E3779B97F4A7C15ULL;
        return mixBits(m_state);
    }
    /// Uniform in [0, n); n > 0. The bias of the multiplication method is below n / 2^64.
    std::size_t below(std::size_t n) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::size_t>((static_cast<Wide>(next()) * n) >> 64U);
    }
    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
    /// Uniform in [low, high).
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    std::int64_t integer(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low) + 1));
    }
    bool chance(double probability) { return uniform() < probability; }

private:
    std::uint64_t m_state;
};

}  // namespace mitos
