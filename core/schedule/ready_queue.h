// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that are ready, by priority.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace mitos::schedule {

/// Gives the task of the highest priority first, and of equal ones the task with the lowest number. Priorities are any floats but NaN.
///
/// The priorities of operations are known in advance, so these are sorted once, in linear time if their priorities are spread evenly, and
/// the ready ones are bits in that order. Tasks with higher numbers are pushed on a heap.
class ReadyQueue {
public:
    /// Nothing is ready. Operations have the numbers of their priorities, which must not change or end before the last pop().
    void reset(std::span<const float> priority) {
        m_priority = priority;
        m_heap.clear();
        sort();
        m_bits.assign((priority.size() + 63) / 64, 0);
        m_words.assign((m_bits.size() + 63) / 64, 0);
        m_ready = 0;
    }
    [[nodiscard]] bool isEmpty() const { return m_ready == 0 && m_heap.empty(); }
    /// The operation is ready.
    void wake(std::uint32_t operation) {
        const std::uint32_t place = m_place[operation];
        m_bits[place / 64] |= std::uint64_t{1} << (place % 64);
        m_words[place / 4096] |= std::uint64_t{1} << (place / 64 % 64);
        ++m_ready;
    }
    /// A task with a number above those of operations is ready.
    void push(float priority, std::uint32_t task) {
        m_heap.push_back((orderedBits(priority) << 32U) | ~task);
        std::ranges::push_heap(m_heap);
    }
    [[nodiscard]] std::uint32_t pop() {
        if (m_ready == 0) return popTask();
        std::size_t word = 0;
        while (m_words[word] == 0) ++word;
        word = word * 64 + static_cast<std::size_t>(std::countr_zero(m_words[word]));
        const std::size_t place = word * 64 + static_cast<std::size_t>(std::countr_zero(m_bits[word]));
        const std::uint32_t operation = m_order[place];
        // With equal priorities, the operation has the lower number.
        if (!m_heap.empty() && (m_heap.front() >> 32U) > orderedBits(m_priority[operation])) return popTask();
        m_bits[word] &= m_bits[word] - 1;
        if (m_bits[word] == 0) m_words[word / 64] &= ~(std::uint64_t{1} << (word % 64));
        --m_ready;
        return operation;
    }

private:
    /// Unsigned numbers in the order of the floats.
    static std::uint64_t orderedBits(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);  // one zero
        return (bits >> 31U) != 0 ? ~bits : bits | 0x80000000U;
    }

    std::uint32_t popTask() {
        std::ranges::pop_heap(m_heap);
        const auto task = ~static_cast<std::uint32_t>(m_heap.back());
        m_heap.pop_back();
        return task;
    }

    /// Sets m_order and m_place. Distributes the operations to as many buckets as there are, and sorts what is left by insertion.
    void sort() {
        constexpr std::uint32_t MostInBucket = 16;
        const std::size_t count = m_priority.size();
        m_order.resize(count);
        m_place.resize(count);
        const auto [least, greatest] = std::ranges::minmax_element(m_priority);
        const float range = count == 0 ? 0.0F : *greatest - *least;
        const float scale = static_cast<float>(count - 1) / range;
        bool isSpread = range > 0.0F && std::isfinite(range) && std::isfinite(scale);
        if (isSpread) {
            m_bucketEnds.assign(count + 1, 0);
            const float high = *greatest;
            const auto bucketOf = [&](std::size_t i) {
                return std::min(static_cast<std::size_t>((high - m_priority[i]) * scale), count - 1);
            };
            for (std::size_t i = 0; i < count; ++i) ++m_bucketEnds[bucketOf(i) + 1];
            isSpread = *std::ranges::max_element(m_bucketEnds) <= MostInBucket;
            if (isSpread) {
                std::partial_sum(m_bucketEnds.begin(), m_bucketEnds.end(), m_bucketEnds.begin());
                for (std::size_t i = 0; i < count; ++i)
                    m_order[m_bucketEnds[bucketOf(i)]++] = static_cast<std::uint32_t>(i);
                for (std::size_t i = 1; i < count; ++i) {
                    const std::uint32_t operation = m_order[i];
                    const float priority = m_priority[operation];
                    std::size_t k = i;
                    for (; k > 0 && m_priority[m_order[k - 1]] < priority; --k) m_order[k] = m_order[k - 1];
                    m_order[k] = operation;
                }
            }
        }
        if (!isSpread) {
            std::iota(m_order.begin(), m_order.end(), 0U);
            std::stable_sort(m_order.begin(), m_order.end(),
                             [this](std::uint32_t a, std::uint32_t b) { return m_priority[a] > m_priority[b]; });
        }
        for (std::size_t i = 0; i < count; ++i) m_place[m_order[i]] = static_cast<std::uint32_t>(i);
    }

    std::span<const float> m_priority;
    std::vector<std::uint32_t> m_order;       ///< operations by descending priority
    std::vector<std::uint32_t> m_place;       ///< by operation: its place in that order
    std::vector<std::uint32_t> m_bucketEnds;  ///< while sorting
    std::vector<std::uint64_t> m_bits;        ///< by place: whether it is ready
    std::vector<std::uint64_t> m_words;       ///< by word of these: whether it has a bit
    std::size_t m_ready = 0;
    std::vector<std::uint64_t> m_heap;  ///< other tasks: priority in the upper half, the inverted number below
};

}  // namespace mitos::schedule
