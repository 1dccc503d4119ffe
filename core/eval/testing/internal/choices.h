// SPDX-License-Identifier: GPL-3.0-or-later
// A random object is generated from a sequence of small numbers, its choices. Generating it again from a smaller sequence gives a smaller
// object; counterexamples of every kind are shrunk that way.
#pragma once

#include "core/base/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mitos::eval {

/// Choices are drawn at random and recorded, or replayed from a record. 0 is the simplest choice: the smallest number, or not doing
/// something optional.
class Choices {
public:
    explicit Choices(Random& random) : m_random(&random) {}
    /// Choices beyond the end are 0; a choice that is too large becomes the largest one allowed.
    explicit Choices(std::vector<std::uint32_t> given) : m_given(std::move(given)) {}

    /// A number in [0, n); n > 0.
    std::size_t below(std::size_t n) {
        if (m_random != nullptr) return made(m_random->below(n));
        return made(std::min<std::size_t>(next(), n - 1));
    }
    std::int64_t integer(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low) + 1));
    }
    bool chance(double probability) {
        if (m_random != nullptr) return made(m_random->chance(probability) ? 1 : 0) == 1;
        return made(probability <= 0.0 ? 0 : probability >= 1.0 ? 1 : std::min<std::size_t>(next(), 1)) == 1;
    }
    /// All choices so far, without trailing zeros.
    [[nodiscard]] std::vector<std::uint32_t> made() const {
        const auto last = std::find_if(m_made.rbegin(), m_made.rend(), [](std::uint32_t each) { return each != 0; });
        return {m_made.begin(), last.base()};
    }

private:
    std::size_t made(std::size_t choice) {
        m_made.push_back(static_cast<std::uint32_t>(choice));
        return choice;
    }
    std::size_t next() { return m_made.size() < m_given.size() ? m_given[m_made.size()] : 0; }

    Random* m_random = nullptr;
    std::vector<std::uint32_t> m_given;
    std::vector<std::uint32_t> m_made;
};

}  // namespace mitos::eval
