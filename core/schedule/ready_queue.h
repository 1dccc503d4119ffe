// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that are ready, by priority.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace mitos::schedule {

/// Gives the task of the highest priority first, and of equal ones the task with the lowest number. Priorities are any floats but NaN.
class ReadyQueue {
public:
    void clear() { m_heap.clear(); }
    [[nodiscard]] bool isEmpty() const { return m_heap.empty(); }
    void push(float priority, std::uint32_t task) {
        m_heap.push_back((orderedBits(priority) << 32U) | ~task);
        std::ranges::push_heap(m_heap);
    }
    [[nodiscard]] std::uint32_t pop() {
        std::ranges::pop_heap(m_heap);
        const auto task = ~static_cast<std::uint32_t>(m_heap.back());
        m_heap.pop_back();
        return task;
    }

private:
    /// Unsigned numbers in the order of the floats.
    static std::uint64_t orderedBits(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);  // one zero
        return (bits >> 31U) != 0 ? ~bits : bits | 0x80000000U;
    }

    std::vector<std::uint64_t> m_heap;  ///< priority in the upper half, the inverted number below
};

}  // namespace mitos::schedule
