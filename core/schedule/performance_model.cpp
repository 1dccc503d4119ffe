// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/performance_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace mitos::schedule {

namespace {

constexpr float First = std::numeric_limits<float>::infinity();

std::uint64_t overflowOf(std::span<const std::uint64_t> peaks, const Machine& machine) {
    std::uint64_t overflow = 0;
    for (std::size_t d = 0; d < peaks.size(); ++d) {
        const std::uint64_t memory = machine.devices[d].memory;
        if (peaks[d] > memory) overflow = std::max(overflow, peaks[d] - memory);
    }
    return overflow;
}

}  // namespace

PerformanceModel::PerformanceModel(const Problem& problem)
    : m_problem(problem),
      m_operationCount(problem.operationCount()),
      m_deviceCount(problem.deviceCount()),
      m_transferMode(problem.machine().transfers),
      m_runs(m_operationCount) {
    for (std::uint32_t i = 0; i < m_operationCount; ++i) {
        m_predecessorCounts.push_back(static_cast<std::uint32_t>(problem.predecessorsOf(i).size()));
    }
    if (m_deviceCount > 1) m_seenIn.resize(std::size_t{problem.tensorCount()} * m_deviceCount);
}

double PerformanceModel::runtime(const ScheduleView& schedule) {
    if (m_transferMode == TransferMode::Instant) {
        runInstantly(schedule);
    } else {
        start(schedule, false);
    }
    return m_runtime;
}

Score PerformanceModel::score(const ScheduleView& schedule) {
    start(schedule, true);
    useMemory(schedule, nullptr);
    return {m_runtime, *std::ranges::max_element(m_peak), overflowOf(m_peak, m_problem.machine())};
}

Timeline PerformanceModel::timeline(const ScheduleView& schedule) {
    start(schedule, true);
    Timeline timeline{.operations = m_runs, .transfers = m_transfers, .order = m_order};
    timeline.memory.resize(m_deviceCount);
    useMemory(schedule, &timeline);
    timeline.peak = m_peak;
    timeline.runtime = m_runtime;
    timeline.overflow = overflowOf(m_peak, m_problem.machine());
    return timeline;
}

void PerformanceModel::start(const ScheduleView& schedule, bool records) {
    m_ready.reset(schedule.priority);
    m_waits.assign(m_problem.waitCounts().begin(), m_problem.waitCounts().end());
    m_readyTime.assign(m_operationCount, 0.0);
    m_deviceFree.assign(m_deviceCount, 0.0);
    if (m_transferMode == TransferMode::Async) m_linkFree.assign(std::size_t{m_deviceCount} * m_deviceCount, 0.0);
    m_transfers.clear();
    m_order.clear();
    m_runtime = 0.0;
    if (++m_run == 0) {
        std::ranges::fill(m_seenIn, 0);
        m_run = 1;
    }
    for (std::uint32_t i = 0; i < m_operationCount; ++i) {
        if (m_waits[i] == 0) m_ready.wake(i);
    }
    while (!m_ready.isEmpty()) {
        const std::uint32_t task = m_ready.pop();
        if (task < m_operationCount) {
            runOperation(task, schedule, records);
        } else {
            const std::uint32_t transfer = task - m_operationCount;
            runTransfer(transfer / m_deviceCount, transfer % m_deviceCount, schedule, records);
        }
    }
}

/// The same as start() for instant transfers, where it does not matter what an operation waits for.
void PerformanceModel::runInstantly(const ScheduleView& schedule) {
    m_ready.reset(schedule.priority);
    m_waits = m_predecessorCounts;
    m_readyTime.assign(m_operationCount, 0.0);
    m_deviceFree.assign(m_deviceCount, 0.0);
    m_runtime = 0.0;
    for (std::uint32_t i = 0; i < m_operationCount; ++i) {
        if (m_waits[i] == 0) m_ready.wake(i);
    }
    while (!m_ready.isEmpty()) {
        const std::uint32_t operation = m_ready.pop();
        const std::uint32_t device = schedule.device[operation];
        const double start = std::max(m_readyTime[operation], m_deviceFree[device]);
        const double end = start + m_problem.durationOf(operation, device);
        m_deviceFree[device] = end;
        m_runtime = std::max(m_runtime, end);
        m_runs[operation] = {device, start, end};
        for (const std::uint32_t next : m_problem.successorsOf(operation)) wake(next, end);
    }
}

void PerformanceModel::runOperation(std::uint32_t operation, const ScheduleView& schedule, bool records) {
    const std::uint32_t device = schedule.device[operation];
    const double start = std::max(m_readyTime[operation], m_deviceFree[device]);
    const double end = start + m_problem.durationOf(operation, device);
    m_deviceFree[device] = end;
    m_runtime = std::max(m_runtime, end);
    m_runs[operation] = {device, start, end};
    if (records) m_order.push_back(operation);
    for (const std::uint32_t next : m_problem.controlledBy(operation)) wake(next, end);
    for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
        for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) {
            const std::uint32_t to = schedule.device[consumer];
            if (to == device) {
                wake(consumer, end);
                continue;
            }
            std::uint32_t& seenIn = m_seenIn[std::size_t{tensor} * m_deviceCount + to];
            const bool isNew = std::exchange(seenIn, m_run) != m_run;
            if (m_transferMode == TransferMode::Instant) {
                if (isNew && records) recordTransfer({tensor, device, to, end, end});
                wake(consumer, end);
            } else if (isNew) {
                const std::uint32_t transfer = tensor * m_deviceCount + to;
                m_ready.push(schedule.transferPriority.empty() ? First : schedule.transferPriority[transfer],
                             m_operationCount + transfer);
            }
        }
    }
}

void PerformanceModel::runTransfer(std::uint32_t tensor, std::uint32_t to, const ScheduleView& schedule, bool records) {
    const OperationRun& producer = m_runs[m_problem.producerOf(tensor)];
    double start = producer.end;
    double end = 0.0;
    if (m_transferMode == TransferMode::Rendezvous) {
        start = std::max({start, m_deviceFree[producer.device], m_deviceFree[to]});
        end = start + m_problem.transferDuration(tensor);
        m_deviceFree[producer.device] = end;
        m_deviceFree[to] = end;
    } else {
        double& linkFree = m_linkFree[std::size_t{producer.device} * m_deviceCount + to];
        start = std::max(start, linkFree);
        end = start + m_problem.transferDuration(tensor);
        linkFree = end;
    }
    m_runtime = std::max(m_runtime, end);
    if (records) recordTransfer({tensor, producer.device, to, start, end});
    for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) {
        if (schedule.device[consumer] == to) wake(consumer, end);
    }
}

void PerformanceModel::wake(std::uint32_t operation, double time) {
    m_readyTime[operation] = std::max(m_readyTime[operation], time);
    if (--m_waits[operation] == 0) m_ready.wake(operation);
}

void PerformanceModel::recordTransfer(const TransferRun& run) {
    m_order.push_back(m_operationCount + static_cast<std::uint32_t>(m_transfers.size()));
    m_transfers.push_back(run);
}

void PerformanceModel::useMemory(const ScheduleView& schedule, Timeline* timeline) {
    countUses(schedule);
    m_inUse.assign(m_deviceCount, 0);
    m_peak.assign(m_deviceCount, 0);
    // If whatever uses a device occupies it, the order of starting is the order of time on each device.
    if (m_deviceCount == 1 || m_transferMode == TransferMode::Rendezvous) {
        for (const std::uint32_t task : m_order) {
            begin(task, timeline);
            end(task, timeline);
        }
        return;
    }
    m_events.clear();
    for (std::uint32_t i = 0; i < m_order.size(); ++i) {
        const std::uint32_t task = m_order[i];
        const bool isOperation = task < m_operationCount;
        const double start = isOperation ? m_runs[task].start : m_transfers[task - m_operationCount].start;
        const double end = isOperation ? m_runs[task].end : m_transfers[task - m_operationCount].end;
        m_events.push_back({start, i, false});
        m_events.push_back({end, i, true});
    }
    std::ranges::sort(m_events, {},
                      [](const Event& event) { return std::tuple(event.time, event.position, event.isEnd); });
    for (const Event& event : m_events) {
        if (event.isEnd) {
            end(m_order[event.position], timeline);
        } else {
            begin(m_order[event.position], timeline);
        }
    }
}

void PerformanceModel::countUses(const ScheduleView& schedule) {
    m_uses.assign(std::size_t{m_problem.tensorCount()} * m_deviceCount, 0);
    for (std::uint32_t tensor = 0; tensor < m_problem.tensorCount(); ++tensor) {
        std::uint32_t* const uses = m_uses.data() + std::size_t{tensor} * m_deviceCount;
        const std::uint32_t from = schedule.device[m_problem.producerOf(tensor)];
        for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) {
            const std::uint32_t to = schedule.device[consumer];
            if (uses[to]++ == 0 && to != from) ++uses[from];
        }
    }
}

void PerformanceModel::begin(std::uint32_t task, Timeline* timeline) {
    if (task < m_operationCount) {
        const OperationRun& run = m_runs[task];
        for (const std::uint32_t tensor : m_problem.outputsOf(task)) allocate(run.device, m_problem.bytesOf(tensor));
        note(run.device, run.start, timeline);
    } else {
        const TransferRun& run = m_transfers[task - m_operationCount];
        allocate(run.to, m_problem.bytesOf(run.tensor));
        note(run.to, run.start, timeline);
    }
}

void PerformanceModel::end(std::uint32_t task, Timeline* timeline) {
    if (task < m_operationCount) {
        const OperationRun& run = m_runs[task];
        for (const std::uint32_t tensor : m_problem.inputsOf(task)) dropUse(run.device, tensor);
        for (const std::uint32_t tensor : m_problem.outputsOf(task)) {
            if (m_uses[std::size_t{tensor} * m_deviceCount + run.device] == 0) release(run.device, tensor);
        }
        note(run.device, run.end, timeline);
    } else {
        const TransferRun& run = m_transfers[task - m_operationCount];
        dropUse(run.from, run.tensor);
        note(run.from, run.end, timeline);
    }
}

void PerformanceModel::allocate(std::uint32_t device, std::uint64_t bytes) {
    m_inUse[device] += bytes;
    m_peak[device] = std::max(m_peak[device], m_inUse[device]);
}

void PerformanceModel::dropUse(std::uint32_t device, std::uint32_t tensor) {
    if (--m_uses[std::size_t{tensor} * m_deviceCount + device] == 0) release(device, tensor);
}

void PerformanceModel::release(std::uint32_t device, std::uint32_t tensor) {
    if (m_problem.isRetained(tensor) && m_runs[m_problem.producerOf(tensor)].device == device) return;
    m_inUse[device] -= m_problem.bytesOf(tensor);
}

void PerformanceModel::note(std::uint32_t device, double time, Timeline* timeline) const {
    if (timeline == nullptr) return;
    std::vector<MemoryStep>& steps = timeline->memory[device];
    if (m_inUse[device] != (steps.empty() ? 0 : steps.back().bytes)) steps.push_back({time, m_inUse[device]});
}

Result<Timeline> timelineOf(const Problem& problem, const Schedule& schedule) {
    const std::size_t operations = problem.operationCount();
    const std::size_t transfers = std::size_t{problem.tensorCount()} * problem.deviceCount();
    if (schedule.device.size() != operations || schedule.priority.size() != operations) {
        return inputError(fmt::format("the schedule has {} devices and {} priorities for {} operations",
                                      schedule.device.size(), schedule.priority.size(), operations),
                          "it may be the schedule of another graph");
    }
    if (!schedule.transferPriority.empty() && schedule.transferPriority.size() != transfers) {
        return inputError(fmt::format("the schedule has {} priorities of transfers, but {} are possible",
                                      schedule.transferPriority.size(), transfers),
                          "give one for each tensor and device, or none");
    }
    for (std::size_t i = 0; i < operations; ++i) {
        if (schedule.device[i] >= problem.deviceCount()) {
            return inputError(fmt::format("the schedule puts operation {} on device {}, but there are {}", i,
                                          schedule.device[i], problem.deviceCount()),
                              "devices are numbered from 0");
        }
    }
    const auto isNan = [](float priority) { return std::isnan(priority); };
    if (std::ranges::any_of(schedule.priority, isNan) || std::ranges::any_of(schedule.transferPriority, isNan)) {
        return inputError("a priority of the schedule is not a number", "priorities are compared");
    }
    return PerformanceModel(problem).timeline({schedule.device, schedule.priority, schedule.transferPriority});
}

}  // namespace mitos::schedule
