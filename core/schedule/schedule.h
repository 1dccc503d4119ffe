// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule, and the timeline that the performance model makes of it.
#pragma once

#include "core/schedule/problem.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::schedule {

/// Where operations run, and which of those that are ready goes first: the one of highest priority, with equal priorities the one
/// with the lowest number. Every schedule of the right sizes can be carried out.
struct Schedule {
    std::vector<std::uint32_t> device = {};  ///< by operation
    std::vector<float> priority = {};        ///< by operation
    /// Entry t * devices + d is that of the transfer of tensor t to device d. If empty, transfers go before all operations.
    std::vector<float> transferPriority = {};

    friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// The schedule that starts operations in this order, which must name each once. Operations that must wait for later ones let these go first.
[[nodiscard]] Schedule inOrder(std::vector<std::uint32_t> device, std::span<const std::uint32_t> order);

struct OperationRun {
    std::uint32_t device = 0;
    double start = 0.0;
    double end = 0.0;

    friend bool operator==(const OperationRun&, const OperationRun&) = default;
};

struct TransferRun {
    std::uint32_t tensor = 0;
    std::uint32_t from = 0;  ///< device of the producer
    std::uint32_t to = 0;
    double start = 0.0;
    double end = 0.0;

    friend bool operator==(const TransferRun&, const TransferRun&) = default;
};

/// The bytes in use from a time on, until the next step. Several steps have the same time if something takes no time.
struct MemoryStep {
    double time = 0.0;
    std::uint64_t bytes = 0;

    friend bool operator==(const MemoryStep&, const MemoryStep&) = default;
};

/// The times of everything that happens. A copy of a tensor is in the memory of a device from the start of the operation or transfer that makes it to the end
/// of the last operation or outgoing transfer there that uses it.
struct Timeline {
    std::vector<OperationRun> operations = {};  ///< by operation
    std::vector<TransferRun> transfers = {};    ///< one for each tensor and other device with a consumer of it
    /// The order in which all was started: numbers below the number of operations are operations, others minus that are transfers. Of what
    /// happens at the same time, what is earlier here happens first.
    std::vector<std::uint32_t> order = {};
    std::vector<std::vector<MemoryStep>> memory = {};  ///< by device
    std::vector<std::uint64_t> peak = {};              ///< by device, bytes
    double runtime = 0.0;
    std::uint64_t overflow = 0;  ///< bytes that the fullest device needs beyond its memory; 0: the schedule is feasible

    [[nodiscard]] bool isFeasible() const { return overflow == 0; }
    [[nodiscard]] std::uint64_t highestPeak() const;

    friend bool operator==(const Timeline&, const Timeline&) = default;
};

}  // namespace mitos::schedule
