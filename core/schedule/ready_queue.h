// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that are ready, by priority.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::schedule {

/// Gives the task of the highest priority first, and of equal ones the task with the lowest number. Priorities are any floats but NaN.
///
/// All priorities are known in advance, so tasks are sorted once: into a table with room to spare, where the slot follows from the priority and
/// the next slots take what does not fit ("linear probing sort", Gonnet and Munro, 1984), in linear time if priorities are spread evenly. The
/// ready tasks are bits in that order.
class ReadyQueue {
public:
    /// A task that is no operation.
    struct Other {
        float priority = 0.0F;
        std::uint32_t task = 0;
    };

    /// All tasks have numbers below `tasks`.
    explicit ReadyQueue(std::size_t tasks) : m_slotOf(tasks) {}

    /// Nothing is ready. Operations have the numbers of their priorities; the others have different numbers.
    void reset(std::span<const float> priority, std::span<const Other> others = {});

    /// The task is ready.
    void wake(std::uint32_t task) {
        const std::uint32_t slot = m_slotOf[task];
        m_bits[slot / 64] |= std::uint64_t{1} << (slot % 64);
        m_words[slot / 4096] |= std::uint64_t{1} << (slot / 64 % 64);
    }

    /// Calls a loop that pops all tasks with an object that has these functions:
    /// - `pop()` gives the next task; requires one that is ready;
    /// - `wakeIf(task, isReady)` wakes the task if it is ready, without a branch. If it is not, it need not be in the queue.
    template <typename F>
    void use(F loop) {
        if (m_words.size() == 1) {
            loop(Few(*this));
        } else {
            loop(Many(*this));
        }
    }

private:
    /// The number of the lowest bit that is set; requires one. (std::countr_zero has an answer for 0, too, which takes time.)
    static std::uint32_t lowestBit(std::uint64_t bits) { return static_cast<std::uint32_t>(__builtin_ctzll(bits)); }

    /// Few tasks: the summary of the bits is one word, which a loop can keep in a register.
    class Few {
    public:
        explicit Few(ReadyQueue& queue)
            : m_table(queue.m_table.data()),
              m_slotOf(queue.m_slotOf.data()),
              m_bits(queue.m_bits.data()),
              m_words(queue.m_words.front()) {}

        void wakeIf(std::uint32_t task, bool isReady) {
            const std::uint32_t slot = m_slotOf[task];
            const auto bit = static_cast<std::uint64_t>(isReady);
            m_bits[slot / 64] |= bit << (slot % 64);
            m_words |= bit << (slot / 64 % 64);
        }
        [[nodiscard]] std::uint32_t pop() {
            const std::uint32_t word = lowestBit(m_words);
            const std::uint64_t bits = m_bits[word];
            const std::uint64_t rest = bits & (bits - 1);
            m_bits[word] = rest;
            m_words &= ~(static_cast<std::uint64_t>(rest == 0) << word);
            return static_cast<std::uint32_t>(m_table[word * 64 + lowestBit(bits)]);
        }

    private:
        const std::uint64_t* m_table;
        const std::uint32_t* m_slotOf;
        std::uint64_t* m_bits;
        std::uint64_t m_words;
    };

    /// Any number of tasks.
    class Many {
    public:
        explicit Many(ReadyQueue& queue) : m_queue(queue) {}

        void wakeIf(std::uint32_t task, bool isReady) {
            const std::uint32_t slot = m_queue.m_slotOf[task];
            const auto bit = static_cast<std::uint64_t>(isReady);
            m_queue.m_bits[slot / 64] |= bit << (slot % 64);
            m_queue.m_words[slot / 4096] |= bit << (slot / 64 % 64);
        }
        [[nodiscard]] std::uint32_t pop() {
            std::size_t group = 0;
            while (m_queue.m_words[group] == 0) ++group;
            const std::size_t word = group * 64 + lowestBit(m_queue.m_words[group]);
            const std::uint64_t bits = m_queue.m_bits[word];
            const std::uint64_t rest = bits & (bits - 1);
            m_queue.m_bits[word] = rest;
            m_queue.m_words[group] &= ~(static_cast<std::uint64_t>(rest == 0) << (word % 64));
            return static_cast<std::uint32_t>(m_queue.m_table[word * 64 + lowestBit(bits)]);
        }

    private:
        ReadyQueue& m_queue;
    };

    [[nodiscard]] bool fill(std::span<const float> priority, std::span<const Other> others, float high, float scale);
    void sort(std::span<const float> priority, std::span<const Other> others);

    std::vector<std::uint64_t> m_table;   ///< by slot: the order of the priority in the upper half, the task below
    std::size_t m_slots = 0;              ///< of the table, to which priorities lead
    std::vector<std::uint32_t> m_slotOf;  ///< by task
    std::vector<std::uint64_t> m_bits;    ///< by slot: whether its task is ready
    std::vector<std::uint64_t> m_words;   ///< by word of these: whether it has a bit
};

}  // namespace mitos::schedule
