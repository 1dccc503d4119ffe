// SPDX-License-Identifier: GPL-3.0-or-later
// A graph and a machine, checked and indexed.
#pragma once

#include "core/schedule/machine.h"
#include "core/schedule/task_graph.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::schedule {

/// Choices of the performance model.
struct ModelOptions {
    /// Whether outputs of the graph stay on the device of their producer until the end, as in real graphs. Otherwise a tensor that
    /// nothing uses is released right after it was produced.
    bool retainOutputs = true;

    friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

/// A list for each of some numbers, in one row.
class Lists {
public:
    Lists() = default;
    explicit Lists(const std::vector<std::vector<std::uint32_t>>& lists);

    [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
        return {m_entries.data() + m_begin[i], m_begin[i + 1] - m_begin[i]};
    }

private:
    std::vector<std::uint32_t> m_begin;
    std::vector<std::uint32_t> m_entries;
};

/// A scheduling problem. Everything that works with one can rely on its graph having no cycles and its numbers being in range.
class Problem {
public:
    /// Fails as checkGraph() and checkMachine() do.
    [[nodiscard]] static Result<Problem> make(TaskGraph graph, Machine machine, ModelOptions options = {});

    [[nodiscard]] const TaskGraph& graph() const { return m_graph; }
    [[nodiscard]] const Machine& machine() const { return m_machine; }
    [[nodiscard]] const ModelOptions& options() const { return m_options; }
    [[nodiscard]] std::uint32_t operationCount() const { return static_cast<std::uint32_t>(m_graph.operations.size()); }
    [[nodiscard]] std::uint32_t tensorCount() const { return static_cast<std::uint32_t>(m_graph.tensors.size()); }
    [[nodiscard]] std::uint32_t deviceCount() const { return static_cast<std::uint32_t>(m_machine.devices.size()); }

    /// Tensors that an operation produces and uses, operations that use a tensor; each once, in ascending order.
    [[nodiscard]] std::span<const std::uint32_t> outputsOf(std::uint32_t operation) const {
        return m_outputs[operation];
    }
    [[nodiscard]] std::span<const std::uint32_t> inputsOf(std::uint32_t operation) const { return m_inputs[operation]; }
    [[nodiscard]] std::span<const std::uint32_t> consumersOf(std::uint32_t tensor) const { return m_consumers[tensor]; }
    /// Operations that wait for an operation by a control edge.
    [[nodiscard]] std::span<const std::uint32_t> controlledBy(std::uint32_t operation) const {
        return m_controlled[operation];
    }
    /// Operations that wait for an operation for any reason, and those that it waits for.
    [[nodiscard]] std::span<const std::uint32_t> successorsOf(std::uint32_t operation) const {
        return m_successors[operation];
    }
    [[nodiscard]] std::span<const std::uint32_t> predecessorsOf(std::uint32_t operation) const {
        return m_predecessors[operation];
    }
    /// Inputs and control edges of an operation.
    [[nodiscard]] std::span<const std::uint32_t> waitCounts() const { return m_waitCounts; }
    /// All operations, each after its predecessors, and else by number.
    [[nodiscard]] std::span<const std::uint32_t> topologicalOrder() const { return m_order; }

    /// On a device of speed 1.
    [[nodiscard]] double durationOf(std::uint32_t operation) const { return m_durations[operation]; }
    /// By device: 1 / speed.
    [[nodiscard]] std::span<const double> slowness() const { return m_slowness; }
    [[nodiscard]] double durationOf(std::uint32_t operation, std::uint32_t device) const {
        return m_durations[operation] * m_slowness[device];
    }
    [[nodiscard]] double transferDuration(std::uint32_t tensor) const {
        return m_machine.latency + static_cast<double>(m_bytes[tensor]) / m_machine.bandwidth;
    }
    [[nodiscard]] std::uint64_t bytesOf(std::uint32_t tensor) const { return m_bytes[tensor]; }
    [[nodiscard]] std::uint32_t producerOf(std::uint32_t tensor) const { return m_producers[tensor]; }
    /// Whether the tensor stays on its producer's device until the end.
    [[nodiscard]] bool isRetained(std::uint32_t tensor) const { return m_retained[tensor] != 0; }

private:
    Problem(TaskGraph graph, Machine machine, ModelOptions options);

    TaskGraph m_graph;
    Machine m_machine;
    ModelOptions m_options;
    std::vector<double> m_durations;     ///< by operation
    std::vector<double> m_slowness;      ///< by device: 1 / speed
    std::vector<std::uint64_t> m_bytes;  ///< by tensor
    std::vector<std::uint32_t> m_producers;
    Lists m_outputs;
    Lists m_inputs;
    Lists m_consumers;
    Lists m_controlled;
    Lists m_successors;
    Lists m_predecessors;
    std::vector<std::uint32_t> m_waitCounts;
    std::vector<std::uint32_t> m_order;
    std::vector<std::uint8_t> m_retained;
};

/// Lower bounds on every schedule's run time: the longest chain of operations on the fastest device, and all work divided among the devices, rounded
/// up where all times are whole numbers.
struct RuntimeBounds {
    double criticalPath = 0.0;
    double work = 0.0;

    [[nodiscard]] double best() const { return criticalPath > work ? criticalPath : work; }
};
[[nodiscard]] RuntimeBounds runtimeBounds(const Problem& problem);
/// A lower bound on every schedule's highest peak, in bytes: no operation runs without its inputs and outputs on its device.
[[nodiscard]] std::uint64_t peakBound(const Problem& problem);

}  // namespace mitos::schedule
