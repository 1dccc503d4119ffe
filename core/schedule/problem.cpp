// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace mitos::schedule {

namespace {

using ManyLists = std::vector<std::vector<std::uint32_t>>;

/// Sorted lists without repetitions.
void tidy(ManyLists& lists) {
    for (std::vector<std::uint32_t>& list : lists) {
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
}

}  // namespace

Lists::Lists(const ManyLists& lists) {
    m_begin.push_back(0);
    for (const std::vector<std::uint32_t>& list : lists) {
        m_entries.insert(m_entries.end(), list.begin(), list.end());
        m_begin.push_back(static_cast<std::uint32_t>(m_entries.size()));
    }
}

Result<Problem> Problem::make(TaskGraph graph, Machine machine, ModelOptions options) {
    MITOS_REQUIRE(checkMachine(machine));
    MITOS_REQUIRE(checkGraph(graph));
    // Operations and all possible transfers are numbered together.
    const std::uint64_t tasks = graph.operations.size() + std::uint64_t{graph.tensors.size()} * machine.devices.size();
    if (tasks > std::numeric_limits<std::uint32_t>::max()) {
        return Error{ErrorCode::Limit,
                     fmt::format("{} tensors have too many possible transfers among {} devices", graph.tensors.size(),
                                 machine.devices.size()),
                     std::nullopt, "use fewer devices"};
    }
    return Problem(std::move(graph), std::move(machine), options);
}

Problem::Problem(TaskGraph graph, Machine machine, ModelOptions options)
    : m_graph(std::move(graph)),
      m_machine(std::move(machine)),
      m_options(options) {
    const std::size_t count = m_graph.operations.size();
    for (const Operation& operation : m_graph.operations) m_durations.push_back(operation.duration);
    for (const Device& device : m_machine.devices) m_slowness.push_back(1.0 / device.speed);
    ManyLists outputs(count);
    ManyLists inputs(count);
    ManyLists consumers;
    ManyLists controlled(count);
    for (std::uint32_t t = 0; t < m_graph.tensors.size(); ++t) {
        const Tensor& tensor = m_graph.tensors[t];
        m_bytes.push_back(tensor.bytes);
        m_producers.push_back(tensor.producer);
        outputs[tensor.producer].push_back(t);
        consumers.push_back(tensor.consumers);
        for (const std::uint32_t consumer : tensor.consumers) inputs[consumer].push_back(t);
        m_retained.push_back(m_options.retainOutputs && (tensor.isOutput || tensor.consumers.empty()) ? 1 : 0);
    }
    for (const auto& [first, second] : m_graph.controlEdges) controlled[first].push_back(second);
    for (ManyLists* const lists : {&inputs, &consumers, &controlled}) tidy(*lists);

    ManyLists successors = controlled;
    m_waitCounts.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        m_waitCounts[i] += static_cast<std::uint32_t>(inputs[i].size());
        for (const std::uint32_t next : controlled[i]) ++m_waitCounts[next];
        for (const std::uint32_t t : outputs[i]) {
            successors[i].insert(successors[i].end(), consumers[t].begin(), consumers[t].end());
        }
    }
    tidy(successors);
    ManyLists predecessors(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const std::uint32_t next : successors[i]) predecessors[next].push_back(i);
    }

    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    std::vector<std::size_t> open(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        open[i] = predecessors[i].size();
        if (open[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
        const std::uint32_t operation = ready.top();
        ready.pop();
        m_order.push_back(operation);
        for (const std::uint32_t next : successors[operation]) {
            if (--open[next] == 0) ready.push(next);
        }
    }
    m_outputs = Lists(outputs);
    m_inputs = Lists(inputs);
    m_consumers = Lists(consumers);
    m_controlled = Lists(controlled);
    m_successors = Lists(successors);
    m_predecessors = Lists(predecessors);
}

namespace {

/// Whether everything that happens in any schedule happens at a whole number, which sums and their quotients are exact for.
bool hasWholeTimes(const Problem& problem) {
    constexpr double LargestSum = 1e15;
    double sum = 0.0;
    for (const Operation& operation : problem.graph().operations) {
        if (operation.duration != std::floor(operation.duration)) return false;
        sum += operation.duration;
    }
    const Machine& machine = problem.machine();
    return sum <= LargestSum && machine.transfers == TransferMode::Instant &&
           std::ranges::all_of(machine.devices, [](const Device& device) { return device.speed == 1.0; });
}

}  // namespace

RuntimeBounds runtimeBounds(const Problem& problem) {
    double fastest = 0.0;
    double speeds = 0.0;
    for (const Device& device : problem.machine().devices) {
        fastest = std::max(fastest, device.speed);
        speeds += device.speed;
    }
    RuntimeBounds bounds;
    double work = 0.0;
    std::vector<double> end(problem.operationCount());
    for (const std::uint32_t operation : problem.topologicalOrder()) {
        const double duration = problem.graph().operations[operation].duration;
        double start = 0.0;
        for (const std::uint32_t before : problem.predecessorsOf(operation)) start = std::max(start, end[before]);
        end[operation] = start + duration / fastest;
        bounds.criticalPath = std::max(bounds.criticalPath, end[operation]);
        work += duration;
    }
    bounds.work = work / speeds;
    if (hasWholeTimes(problem)) bounds.work = std::ceil(bounds.work);
    return bounds;
}

std::uint64_t peakBound(const Problem& problem) {
    std::uint64_t most = 0;
    for (std::uint32_t operation = 0; operation < problem.operationCount(); ++operation) {
        std::uint64_t bytes = 0;
        for (const std::uint32_t tensor : problem.inputsOf(operation)) bytes += problem.bytesOf(tensor);
        for (const std::uint32_t tensor : problem.outputsOf(operation)) bytes += problem.bytesOf(tensor);
        most = std::max(most, bytes);
    }
    return most;
}

}  // namespace mitos::schedule
