// SPDX-License-Identifier: GPL-3.0-or-later
// Hashes that are the same on every run and machine, for content addressing and for recognizing known content across sessions.
#pragma once

#include <cstdint>
#include <string_view>

namespace mitos {

/// Finalizer of splitmix64: a bijection on 64-bit words that mixes all bits.
[[nodiscard]] constexpr std::uint64_t mixBits(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31U);
}

[[nodiscard]] constexpr std::uint64_t combineHash(std::uint64_t seed, std::uint64_t value) {
    return mixBits(seed ^ (mixBits(value) + 0x9E3779B97F4A7C15ULL + (seed << 6U) + (seed >> 2U)));
}

/// FNV-1a, followed by the mixing above.
[[nodiscard]] constexpr std::uint64_t hashText(std::string_view text) {
    std::uint64_t h = 0xCBF29CE484222325ULL;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return mixBits(h);
}

}  // namespace mitos
