// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/ready_queue.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace mitos::schedule {

namespace {

constexpr std::uint64_t NoTask = std::numeric_limits<std::uint64_t>::max();
/// Where more tasks than this are in the way of one, priorities are not spread evenly.
constexpr std::uint32_t MostSteps = 64;
/// Slots behind the last one to which priorities lead, as rounded.
constexpr std::size_t Spare = 2 * MostSteps;

/// Ascending numbers for descending priorities, and below them the task.
std::uint64_t entryOf(float priority, std::uint32_t task) {
    const auto bits = std::bit_cast<std::uint32_t>(priority + 0.0F);  // one zero
    const std::uint32_t descending = (bits >> 31U) != 0 ? bits : ~bits & 0x7FFFFFFFU;
    return (std::uint64_t{descending} << 32U) | task;
}

}  // namespace

void ReadyQueue::reset(std::span<const float> priority, std::span<const Other> others) {
    const std::size_t count = priority.size() + others.size();
    // The more slots, the fewer tasks meet in one, as long as the bits are few (Few).
    constexpr std::size_t MostWithRoom = 3'800;
    m_slots = std::max(2 * count, std::min(4 * count, MostWithRoom)) + 1;
    const std::size_t words = (m_slots + Spare) / 64 + 1;
    // The bits never become fewer, so that every slot that a task ever had has one.
    m_bits.assign(std::max(m_bits.size(), words), 0);
    m_words.assign(m_bits.size() / 64 + 1, 0);
    // Keys of a genetic algorithm are in [0, 1].
    if (fill(priority, others, 1.0F, static_cast<float>(m_slots - 1))) return;
    float least = std::numeric_limits<float>::infinity();
    float greatest = -least;
    const auto note = [&](float value) {
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    };
    for (const float value : priority) note(value);
    for (const Other& other : others) note(other.priority);
    const float scale = static_cast<float>(m_slots - 1) / (greatest - least);
    if (std::isfinite(greatest) && std::isfinite(scale) && fill(priority, others, greatest, scale)) return;
    sort(priority, others);
}

/// Returns whether all tasks have a slot.
bool ReadyQueue::fill(std::span<const float> priority, std::span<const Other> others, float high, float scale) {
    m_table.assign(m_slots + Spare, NoTask);
    std::uint64_t* const table = m_table.data();
    std::uint32_t* const slotOf = m_slotOf.data();
    const auto most = static_cast<float>(m_slots);
    const auto insert = [&](float value, std::uint32_t task) {
        const float place = (high - value) * scale;
        if (!(place >= 0.0F && place <= most)) return false;
        auto slot = static_cast<std::uint32_t>(place);
        std::uint64_t entry = entryOf(value, task);
        for (const std::uint32_t end = slot + MostSteps; slot < end; ++slot) {
            const std::uint64_t there = table[slot];
            if (there < entry) continue;
            table[slot] = entry;
            slotOf[static_cast<std::uint32_t>(entry)] = slot;
            if (there == NoTask) return true;
            entry = there;
        }
        return false;
    };
    for (std::uint32_t i = 0; i < priority.size(); ++i) {
        if (!insert(priority[i], i)) return false;
    }
    return std::ranges::all_of(others, [&](const Other& other) { return insert(other.priority, other.task); });
}

void ReadyQueue::sort(std::span<const float> priority, std::span<const Other> others) {
    m_table.clear();
    for (std::uint32_t i = 0; i < priority.size(); ++i) m_table.push_back(entryOf(priority[i], i));
    for (const Other& other : others) m_table.push_back(entryOf(other.priority, other.task));
    std::ranges::sort(m_table);
    for (std::uint32_t slot = 0; slot < m_table.size(); ++slot)
        m_slotOf[static_cast<std::uint32_t>(m_table[slot])] = slot;
}

}  // namespace mitos::schedule
