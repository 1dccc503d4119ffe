// SPDX-License-Identifier: GPL-3.0-or-later
// When the copies of tensors are in memory, as a timeline has it: what explains a peak.
#pragma once

#include "core/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace mitos::schedule {

/// A copy of a tensor on a device.
struct Lifetime {
    std::uint32_t tensor = 0;
    std::uint32_t device = 0;
    double from = 0.0;        ///< the start of the operation or transfer that makes it
    double to = 0.0;          ///< the end of its last use there; the run time if it is retained
    std::uint32_t begin = 0;  ///< number of the event that makes it
    std::uint32_t end = 0;    ///< number of the event that releases it

    friend bool operator==(const Lifetime&, const Lifetime&) = default;
};

/// The copies on a device at a moment.
struct AliveCopies {
    double time = 0.0;
    std::uint64_t bytes = 0;                 ///< of all of them
    std::vector<std::uint32_t> copies = {};  ///< numbers of lifetimes, those with most bytes first
};

/// The lifetimes of all copies. Several things may happen at the same time; they are events in the order in which the performance model
/// has them (Timeline::order), so that the bytes here are those of Timeline::memory.
class Lifetimes {
public:
    /// The problem must outlive it. Requires the timeline of that schedule.
    Lifetimes(const Problem& problem, const Schedule& schedule, const Timeline& timeline);

    /// In the order in which they are made.
    [[nodiscard]] const std::vector<Lifetime>& all() const { return m_all; }
    /// The copies on the device at a time; where something changes at that time, when they take most.
    [[nodiscard]] AliveCopies at(std::uint32_t device, double time) const;
    /// The copies on the device when it needs most; the first such moment.
    [[nodiscard]] AliveCopies atPeak(std::uint32_t device) const;

private:
    /// An event that changed what is on a device: the bytes there from then on.
    struct Step {
        double time = 0.0;
        std::uint32_t event = 0;
        std::uint64_t bytes = 0;
    };
    [[nodiscard]] AliveCopies alive(std::uint32_t device, double time, std::uint32_t event) const;

    const Problem& m_problem;
    std::vector<Lifetime> m_all;
    std::vector<std::vector<Step>> m_steps;  ///< by device
};

}  // namespace mitos::schedule
