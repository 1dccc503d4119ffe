// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/performance_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace mitos::schedule {

namespace {

constexpr float First = std::numeric_limits<float>::infinity();
/// With more devices, the next event is found by sorting.
constexpr std::uint32_t MostMerged = 16;
constexpr std::uint32_t NoOperation = std::numeric_limits<std::uint32_t>::max();

std::uint64_t overflowOf(std::span<const std::uint64_t> peaks, const Machine& machine) {
    std::uint64_t overflow = 0;
    for (std::size_t d = 0; d < peaks.size(); ++d) {
        const std::uint64_t memory = machine.devices[d].memory;
        if (peaks[d] > memory) overflow = std::max(overflow, peaks[d] - memory);
    }
    return overflow;
}

/// The value if the condition holds, else 0; without a branch.
std::uint64_t valueIf(bool condition, std::uint64_t value) {
    return value & (0 - static_cast<std::uint64_t>(condition));
}

}  // namespace

PerformanceModel::PerformanceModel(const Problem& problem)
    : m_problem(problem),
      m_operationCount(problem.operationCount()),
      m_deviceCount(problem.deviceCount()),
      m_transferMode(problem.machine().transfers),
      m_hasTransfers(m_deviceCount > 1 && m_transferMode != TransferMode::Instant),
      m_ready(m_operationCount + (m_hasTransfers ? std::size_t{problem.tensorCount()} * m_deviceCount : 0)),
      m_runs(m_operationCount),
      m_uses(std::size_t{problem.tensorCount()} * m_deviceCount) {
    for (std::uint32_t i = 0; i < m_operationCount; ++i) {
        const std::size_t predecessors = problem.predecessorsOf(i).size();
        m_statesByPredecessors.push_back({0.0, static_cast<std::uint32_t>(predecessors)});
        m_statesByWaits.push_back({0.0, problem.waitCounts()[i]});
        if (predecessors == 0) m_first.push_back(i);
        std::uint64_t bytes = 0;
        for (const std::uint32_t tensor : problem.outputsOf(i)) bytes += problem.bytesOf(tensor);
        m_outputBytes.push_back(bytes);
    }
    for (std::uint32_t tensor = 0; m_hasTransfers && tensor < problem.tensorCount(); ++tensor)
        m_transferDurations.push_back(problem.transferDuration(tensor));
}

double PerformanceModel::runtime(const ScheduleView& schedule) {
    if (m_transferMode == TransferMode::Instant) {
        runInstantly(schedule, false);
    } else {
        countUses(schedule);
        runTasks<Keeps::Times>(schedule);
    }
    return m_runtime;
}

Score PerformanceModel::score(const ScheduleView& schedule) {
    countUses(schedule);
    if (isOrderOfTime()) {
        runTasks<Keeps::Peaks>(schedule);
    } else if (m_transferMode == TransferMode::Instant) {
        runInstantly(schedule, true);
        if (m_deviceCount <= MostMerged) {
            mergeEvents(schedule);
        } else {
            recordInstantTransfers(schedule);
            replay(nullptr);
        }
    } else {
        runTasks<Keeps::Order>(schedule);
        replay(nullptr);
    }
    return {m_runtime, *std::ranges::max_element(m_peak), overflowOf(m_peak, m_problem.machine())};
}

Timeline PerformanceModel::timeline(const ScheduleView& schedule) {
    countUses(schedule);
    if (m_transferMode == TransferMode::Instant) {
        runInstantly(schedule, true);
        recordInstantTransfers(schedule);
    } else {
        runTasks<Keeps::Order>(schedule);
    }
    Timeline timeline{.operations = m_runs, .transfers = m_transfers, .order = m_order};
    timeline.memory.resize(m_deviceCount);
    replay(&timeline);
    timeline.peak = m_peak;
    timeline.runtime = m_runtime;
    timeline.overflow = overflowOf(m_peak, m_problem.machine());
    return timeline;
}

/// Nothing has been started.
void PerformanceModel::start(const ScheduleView& schedule) {
    m_ready.reset(schedule.priority, std::span(m_pending).first(m_pendingCount));
    m_deviceFree.assign(m_deviceCount, 0.0);
    m_transfers.clear();
    m_order.clear();
    m_runtime = 0.0;
    for (const std::uint32_t operation : m_first) m_ready.wake(operation);
}

/// For instant transfers, where it does not matter what an operation waits for.
void PerformanceModel::runInstantly(const ScheduleView& schedule, bool keepsOrder) {
    start(schedule);
    m_states = m_statesByPredecessors;
    m_order.resize(keepsOrder ? m_operationCount : 0);
    m_ready.use([&](auto ready) {
        const std::uint32_t* const deviceOf = schedule.device.data();
        State* const states = m_states.data();
        double* const free = m_deviceFree.data();
        double runtime = 0.0;
        for (std::uint32_t i = 0; i < m_operationCount; ++i) {
            const std::uint32_t operation = ready.pop();
            const std::uint32_t device = deviceOf[operation];
            const double start = std::max(states[operation].readyTime, free[device]);
            const double end = start + m_problem.durationOf(operation, device);
            free[device] = end;
            runtime = std::max(runtime, end);
            m_runs[operation] = {device, start, end};
            if (keepsOrder) m_order[i] = operation;
            for (const std::uint32_t next : m_problem.successorsOf(operation)) wakeIf(ready, next, end, true);
        }
        m_runtime = runtime;
    });
}

/// Adds instant transfers to the order.
void PerformanceModel::recordInstantTransfers(const ScheduleView& schedule) {
    const std::vector<std::uint32_t> operations = m_order;
    m_order.clear();
    std::vector<bool> isSent(m_uses.size(), false);
    for (const std::uint32_t operation : operations) {
        const OperationRun& run = m_runs[operation];
        m_order.push_back(operation);
        for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
            for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) {
                const std::uint32_t to = schedule.device[consumer];
                const std::size_t copy = std::size_t{tensor} * m_deviceCount + to;
                if (to == run.device || isSent[copy]) continue;
                isSent[copy] = true;
                m_order.push_back(m_operationCount + static_cast<std::uint32_t>(m_transfers.size()));
                m_transfers.push_back({tensor, run.device, to, run.end, run.end});
            }
        }
    }
}

template <PerformanceModel::Keeps What>
void PerformanceModel::runTasks(const ScheduleView& schedule) {
    if (m_hasTransfers) findTransfers(schedule);
    start(schedule);
    m_states = m_statesByWaits;
    if (m_transferMode == TransferMode::Async) m_linkFree.assign(std::size_t{m_deviceCount} * m_deviceCount, 0.0);
    if constexpr (What == Keeps::Peaks) {
        m_inUse.assign(m_deviceCount, 0);
        m_peak.assign(m_deviceCount, 0);
    }
    m_ready.use([&](auto ready) {
        const std::size_t tasks = m_operationCount + m_pendingCount;
        for (std::size_t i = 0; i < tasks; ++i) {
            const std::uint32_t task = ready.pop();
            if (task < m_operationCount) {
                runOperation<What>(ready, task, schedule);
            } else {
                runTransfer<What>(ready, task - m_operationCount, schedule);
            }
        }
    });
}

template <PerformanceModel::Keeps What, typename Ready>
void PerformanceModel::runOperation(Ready& ready, std::uint32_t operation, const ScheduleView& schedule) {
    const std::uint32_t* const deviceOf = schedule.device.data();
    const std::uint32_t device = deviceOf[operation];
    const double start = std::max(m_states[operation].readyTime, m_deviceFree[device]);
    const double end = start + m_problem.durationOf(operation, device);
    m_deviceFree[device] = end;
    m_runtime = std::max(m_runtime, end);
    m_runs[operation] = {device, start, end};
    if constexpr (What == Keeps::Order) m_order.push_back(operation);
    if constexpr (What == Keeps::Peaks) {
        allocate(device, m_outputBytes[operation]);
        endOperation(operation, device);
    }
    for (const std::uint32_t next : m_problem.controlledBy(operation)) wakeIf(ready, next, end, true);
    for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
        for (const std::uint32_t consumer : m_problem.consumersOf(tensor))
            wakeIf(ready, consumer, end, deviceOf[consumer] == device);
        if (!m_hasTransfers) continue;
        const std::uint32_t first = tensor * m_deviceCount;
        for (std::uint32_t to = 0; to < m_deviceCount; ++to) {
            ready.wakeIf(m_operationCount + first + to,
                         (static_cast<unsigned>(to != device) & static_cast<unsigned>(m_uses[first + to] != 0)) != 0);
        }
    }
}

template <PerformanceModel::Keeps What, typename Ready>
void PerformanceModel::runTransfer(Ready& ready, std::uint32_t transfer, const ScheduleView& schedule) {
    const std::uint32_t* const deviceOf = schedule.device.data();
    const std::uint32_t tensor = transfer / m_deviceCount;
    const std::uint32_t to = transfer % m_deviceCount;
    const OperationRun& producer = m_runs[m_problem.producerOf(tensor)];
    const std::uint32_t from = producer.device;
    double start = producer.end;
    double end = 0.0;
    if (m_transferMode == TransferMode::Rendezvous) {
        start = std::max({start, m_deviceFree[from], m_deviceFree[to]});
        end = start + m_transferDurations[tensor];
        m_deviceFree[from] = end;
        m_deviceFree[to] = end;
    } else {
        double& linkFree = m_linkFree[std::size_t{from} * m_deviceCount + to];
        start = std::max(start, linkFree);
        end = start + m_transferDurations[tensor];
        linkFree = end;
    }
    m_runtime = std::max(m_runtime, end);
    if constexpr (What == Keeps::Order) {
        m_order.push_back(m_operationCount + static_cast<std::uint32_t>(m_transfers.size()));
        m_transfers.push_back({tensor, from, to, start, end});
    }
    if constexpr (What == Keeps::Peaks) {
        allocate(to, m_problem.bytesOf(tensor));
        dropUse(from, tensor);
    }
    for (const std::uint32_t consumer : m_problem.consumersOf(tensor))
        wakeIf(ready, consumer, end, deviceOf[consumer] == to);
}

/// One thing that an operation waits for is there at that time, or it is not; without a branch.
template <typename Ready>
void PerformanceModel::wakeIf(Ready& ready, std::uint32_t operation, double time, bool isThere) {
    State& state = m_states[operation];
    state.readyTime = std::max(state.readyTime, isThere ? time : 0.0);
    const std::uint32_t waits = state.waits - static_cast<std::uint32_t>(isThere);
    state.waits = waits;
    ready.wakeIf(operation, (static_cast<unsigned>(isThere) & static_cast<unsigned>(waits == 0)) != 0);
}

void PerformanceModel::countUses(const ScheduleView& schedule) {
    const std::uint32_t* const deviceOf = schedule.device.data();
    if (m_deviceCount == 2) {
        for (std::uint32_t tensor = 0; tensor < m_problem.tensorCount(); ++tensor) {
            const std::span<const std::uint32_t> consumers = m_problem.consumersOf(tensor);
            std::uint32_t onSecond = 0;
            for (const std::uint32_t consumer : consumers) onSecond += deviceOf[consumer];
            std::uint32_t* const uses = m_uses.data() + std::size_t{tensor} * 2;
            uses[0] = static_cast<std::uint32_t>(consumers.size()) - onSecond;
            uses[1] = onSecond;
            const std::uint32_t from = deviceOf[m_problem.producerOf(tensor)];
            uses[from] += static_cast<std::uint32_t>(uses[1 - from] != 0) +
                          static_cast<std::uint32_t>(m_problem.isRetained(tensor));
        }
        return;
    }
    std::ranges::fill(m_uses, 0);
    for (std::uint32_t tensor = 0; tensor < m_problem.tensorCount(); ++tensor) {
        std::uint32_t* const uses = m_uses.data() + std::size_t{tensor} * m_deviceCount;
        for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) ++uses[deviceOf[consumer]];
        const std::uint32_t from = deviceOf[m_problem.producerOf(tensor)];
        std::uint32_t usesOfSource = uses[from] + static_cast<std::uint32_t>(m_problem.isRetained(tensor));
        for (std::uint32_t to = 0; to < m_deviceCount; ++to)
            usesOfSource += static_cast<std::uint32_t>(to != from && uses[to] != 0);
        uses[from] = usesOfSource;
    }
}

/// Sets the transfers that are tasks. Requires the uses.
void PerformanceModel::findTransfers(const ScheduleView& schedule) {
    const bool isFirst = schedule.transferPriority.empty();
    m_pending.resize(m_uses.size());
    std::size_t count = 0;
    for (std::uint32_t tensor = 0; tensor < m_problem.tensorCount(); ++tensor) {
        const std::uint32_t from = schedule.device[m_problem.producerOf(tensor)];
        for (std::uint32_t to = 0; to < m_deviceCount; ++to) {
            const std::uint32_t transfer = tensor * m_deviceCount + to;
            m_pending[count] = {isFirst ? First : schedule.transferPriority[transfer], m_operationCount + transfer};
            count += static_cast<std::size_t>(to != from) & static_cast<std::size_t>(m_uses[transfer] != 0);
        }
    }
    m_pendingCount = count;
}

/// Sets the peaks for instant transfers. The events of each device are in order already: those of its operations, and with the end of one, the
/// transfers of its outputs.
void PerformanceModel::mergeEvents(const ScheduleView& schedule) {
    m_inUse.assign(m_deviceCount, 0);
    m_peak.assign(m_deviceCount, 0);
    m_nextOnDevice.resize(m_operationCount);
    m_position.resize(m_operationCount);
    std::array<std::uint32_t, MostMerged> last{};
    std::array<Event, MostMerged> next{};
    std::array<std::uint32_t, MostMerged> running{};
    last.fill(NoOperation);
    running.fill(NoOperation);
    for (std::uint32_t i = 0; i < m_order.size(); ++i) {
        const std::uint32_t operation = m_order[i];
        const std::uint32_t device = schedule.device[operation];
        m_position[operation] = i;
        m_nextOnDevice[operation] = NoOperation;
        (last[device] == NoOperation ? running[device] : m_nextOnDevice[last[device]]) = operation;
        last[device] = operation;
    }
    const auto setNext = [&](std::uint32_t device) {
        const std::uint32_t operation = running[device];
        next[device] = operation == NoOperation ? Event{std::numeric_limits<double>::infinity(), NoOperation, true}
                                                : Event{m_runs[operation].start, m_position[operation], false};
    };
    for (std::uint32_t d = 0; d < m_deviceCount; ++d) setNext(d);
    for (std::size_t i = 0; i < 2 * m_order.size(); ++i) {
        std::uint32_t device = 0;
        for (std::uint32_t d = 1; d < m_deviceCount; ++d) {
            const bool isEarlier = next[d].time < next[device].time ||
                                   (next[d].time == next[device].time && next[d].position < next[device].position);
            device = isEarlier ? d : device;
        }
        const std::uint32_t operation = running[device];
        if (!next[device].isEnd) {
            allocate(device, m_outputBytes[operation]);
            next[device].time = m_runs[operation].end;
            next[device].isEnd = true;
            continue;
        }
        endOperation(operation, device);
        for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
            for (std::uint32_t to = 0; to < m_deviceCount; ++to) {
                if (to == device || m_uses[std::size_t{tensor} * m_deviceCount + to] == 0) continue;
                allocate(to, m_problem.bytesOf(tensor));
                dropUse(device, tensor);
            }
        }
        running[device] = m_nextOnDevice[operation];
        setNext(device);
    }
}

/// Sets the peaks, and the memory of a timeline if there is one, from what was recorded.
void PerformanceModel::replay(Timeline* timeline) {
    m_inUse.assign(m_deviceCount, 0);
    m_peak.assign(m_deviceCount, 0);
    if (isOrderOfTime()) {
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

void PerformanceModel::begin(std::uint32_t task, Timeline* timeline) {
    if (task < m_operationCount) {
        const OperationRun& run = m_runs[task];
        allocate(run.device, m_outputBytes[task]);
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
        endOperation(task, run.device);
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
    const std::uint32_t uses = --m_uses[std::size_t{tensor} * m_deviceCount + device];
    m_inUse[device] -= valueIf(uses == 0, m_problem.bytesOf(tensor));
}

/// Releases what the operation was the last to use, and those of its outputs that nothing uses on its device.
void PerformanceModel::endOperation(std::uint32_t operation, std::uint32_t device) {
    for (const std::uint32_t tensor : m_problem.inputsOf(operation)) dropUse(device, tensor);
    for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
        const std::uint32_t uses = m_uses[std::size_t{tensor} * m_deviceCount + device];
        m_inUse[device] -= valueIf(uses == 0, m_problem.bytesOf(tensor));
    }
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
