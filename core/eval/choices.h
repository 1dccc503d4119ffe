// SPDX-License-Identifier: GPL-3.0-or-later
// The choices that something random is made by, as a sequence of small numbers. Who makes it again from a smaller sequence
// gets something smaller: that is how counterexamples shrink whatever they consist of.
#pragma once

#include "core/base/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mitos::eval {

/// Drawn at random and written down, or read from what was written down. 0 is the simplest choice: the smallest number, and
/// not to do what is done by chance.
class Choices {
public:
    explicit Choices(Random& random) : m_random(&random) {}
    /// What is asked for beyond the end is 0; what is too large becomes the largest.
    explicit Choices(std::vector<std::uint32_t> given) : m_given(std::move(given)) {}

    /// In [0, n); n > 0.
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
    /// All so far, without the zeros at the end.
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
