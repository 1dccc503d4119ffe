// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/timeline_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace mitos::schedule {

namespace {

/// Times may be rounded differently by this fraction.
constexpr double Tolerance = 1e-9;

bool isBefore(double a, double b) { return a < b - Tolerance * std::max(1.0, std::abs(b)); }
bool isEqual(double a, double b) { return !isBefore(a, b) && !isBefore(b, a); }

/// A moment: of what happens at one time, what was started earlier comes first, and its start before its end.
using Moment = std::tuple<double, std::size_t, int>;

struct Interval {
    double start;
    double end;
    std::string what;
};

class TimelineCheck {
public:
    TimelineCheck(const TaskGraph& graph, const Machine& machine, const ModelOptions& options, const Schedule& schedule,
                  const Timeline& timeline)
        : m_graph(graph),
          m_machine(machine),
          m_options(options),
          m_schedule(schedule),
          m_timeline(timeline) {}

    std::vector<std::string> run() {
        if (!hasAllParts()) return std::move(m_faults);
        checkOperations();
        checkTransfers();
        checkPrecedence();
        checkOrder();
        if (!m_faults.empty()) return std::move(m_faults);
        checkExclusiveness();
        checkMemory();
        checkRuntime();
        return std::move(m_faults);
    }

private:
    template <typename... Parts>
    void report(fmt::format_string<Parts...> text, Parts&&... parts) {
        m_faults.push_back(fmt::format(text, std::forward<Parts>(parts)...));
    }
    [[nodiscard]] std::string nameOf(std::size_t operation) const {
        const std::string& name = m_graph.operations[operation].name;
        return name.empty() ? fmt::format("operation {}", operation) : name;
    }
    [[nodiscard]] std::string nameOf(const TransferRun& run) const {
        return fmt::format("the transfer of tensor {} to device {}", run.tensor, run.to);
    }

    bool hasAllParts() {
        const std::size_t operations = m_graph.operations.size();
        const std::size_t devices = m_machine.devices.size();
        if (m_schedule.device.size() != operations || m_timeline.operations.size() != operations) {
            report("schedule and timeline have {} and {} operations, the graph has {}", m_schedule.device.size(),
                   m_timeline.operations.size(), operations);
        }
        if (m_timeline.memory.size() != devices || m_timeline.peak.size() != devices) {
            report("the timeline does not have the memory of {} devices", devices);
        }
        for (const OperationRun& run : m_timeline.operations) {
            if (run.device >= devices) report("the timeline uses device {} of {}", run.device, devices);
        }
        for (const TransferRun& run : m_timeline.transfers) {
            if (run.from >= devices || run.to >= devices || run.tensor >= m_graph.tensors.size()) {
                report("{} from device {} cannot be", nameOf(run), run.from);
            }
        }
        return m_faults.empty();
    }

    void checkOperations() {
        for (std::size_t i = 0; i < m_graph.operations.size(); ++i) {
            const OperationRun& run = m_timeline.operations[i];
            if (run.device != m_schedule.device[i]) {
                report("{} runs on device {}, not on {}", nameOf(i), run.device, m_schedule.device[i]);
                continue;
            }
            checkDuration(nameOf(i), run.start, run.end,
                          m_graph.operations[i].duration / m_machine.devices[run.device].speed);
        }
    }
    void checkDuration(const std::string& what, double start, double end, double duration) {
        if (!(start >= 0.0)) report("{} starts at {}", what, start);
        if (!isEqual(end, start + duration)) report("{} takes {}, not {}", what, end - start, duration);
    }

    void checkTransfers() {
        for (std::size_t i = 0; i < m_timeline.transfers.size(); ++i) {
            const TransferRun& run = m_timeline.transfers[i];
            const Tensor& tensor = m_graph.tensors[run.tensor];
            const OperationRun& producer = m_timeline.operations[tensor.producer];
            const bool isNeeded = std::ranges::any_of(
                tensor.consumers, [&](std::uint32_t c) { return m_timeline.operations[c].device == run.to; });
            if (run.from != producer.device) report("{} comes from device {}, where it is not", nameOf(run), run.from);
            if (run.to == producer.device || !isNeeded) report("{} is not needed", nameOf(run));
            if (!m_transferOf.emplace(std::pair(run.tensor, run.to), i).second) report("{} is repeated", nameOf(run));
            if (isBefore(run.start, producer.end)) {
                report("{} starts at {}, before {} ends at {}", nameOf(run), run.start, nameOf(tensor.producer),
                       producer.end);
            }
            const bool isInstant = m_machine.transfers == TransferMode::Instant;
            const double duration =
                isInstant ? 0.0 : m_machine.latency + static_cast<double>(tensor.bytes) / m_machine.bandwidth;
            checkDuration(nameOf(run), run.start, run.end, duration);
        }
    }

    void checkPrecedence() {
        for (std::uint32_t t = 0; t < m_graph.tensors.size(); ++t) {
            const Tensor& tensor = m_graph.tensors[t];
            const OperationRun& producer = m_timeline.operations[tensor.producer];
            for (const std::uint32_t c : tensor.consumers) {
                const OperationRun& consumer = m_timeline.operations[c];
                double there = producer.end;
                if (consumer.device != producer.device) {
                    const auto transfer = m_transferOf.find({t, consumer.device});
                    if (transfer == m_transferOf.end()) {
                        report("tensor {} is never transferred to device {}, where {} needs it", t, consumer.device,
                               nameOf(c));
                        continue;
                    }
                    there = m_timeline.transfers[transfer->second].end;
                }
                if (isBefore(consumer.start, there)) {
                    report("{} starts at {}, but its input of {} is there at {}", nameOf(c), consumer.start,
                           nameOf(tensor.producer), there);
                }
            }
        }
        for (const auto& [first, second] : m_graph.controlEdges) {
            if (isBefore(m_timeline.operations[second].start, m_timeline.operations[first].end)) {
                report("{} starts before {} ends, for which it has to wait", nameOf(second), nameOf(first));
            }
        }
    }

    /// Every task is in the order of starting, once and after what it waits for.
    void checkOrder() {
        const std::size_t operations = m_graph.operations.size();
        m_position.assign(operations + m_timeline.transfers.size(), m_timeline.order.size());
        for (std::size_t i = 0; i < m_timeline.order.size(); ++i) {
            const std::uint32_t task = m_timeline.order[i];
            if (task < m_position.size() && m_position[task] == m_timeline.order.size()) m_position[task] = i;
        }
        const bool hasAll = m_timeline.order.size() == m_position.size() &&
                            std::ranges::all_of(m_position, [&](std::size_t p) { return p < m_position.size(); });
        if (!hasAll) {
            report("the order of starting does not have each operation and transfer once");
            return;
        }
        const auto require = [&](std::size_t first, std::size_t second) {
            if (m_position[first] > m_position[second])
                report("the order of starting has task {} before {}", second, first);
        };
        for (std::uint32_t t = 0; t < m_graph.tensors.size(); ++t) {
            const std::uint32_t producer = m_graph.tensors[t].producer;
            for (const std::uint32_t c : m_graph.tensors[t].consumers) {
                const auto transfer = m_transferOf.find({t, m_timeline.operations[c].device});
                if (transfer == m_transferOf.end()) {
                    require(producer, c);
                } else {
                    require(producer, operations + transfer->second);
                    require(operations + transfer->second, c);
                }
            }
        }
        for (const auto& [first, second] : m_graph.controlEdges) require(first, second);
    }

    void checkExclusiveness() {
        std::map<std::string, std::vector<Interval>> resources;
        const auto device = [](std::uint32_t d) { return fmt::format("device {}", d); };
        for (std::size_t i = 0; i < m_timeline.operations.size(); ++i) {
            const OperationRun& run = m_timeline.operations[i];
            resources[device(run.device)].push_back({run.start, run.end, nameOf(i)});
        }
        for (const TransferRun& run : m_timeline.transfers) {
            const Interval interval{run.start, run.end, nameOf(run)};
            if (m_machine.transfers == TransferMode::Rendezvous) {
                resources[device(run.from)].push_back(interval);
                resources[device(run.to)].push_back(interval);
            } else if (m_machine.transfers == TransferMode::Async) {
                resources[fmt::format("the link from device {} to {}", run.from, run.to)].push_back(interval);
            }
        }
        for (auto& [resource, intervals] : resources) {
            std::ranges::sort(intervals, {}, [](const Interval& i) { return std::pair(i.start, i.end); });
            for (std::size_t i = 1; i < intervals.size(); ++i) {
                if (isBefore(intervals[i].start, intervals[i - 1].end)) {
                    report("{} has to do {} and {} at time {}", resource, intervals[i - 1].what, intervals[i].what,
                           intervals[i].start);
                    break;
                }
            }
        }
    }

    [[nodiscard]] Moment startOf(std::size_t task) const { return momentOf(task, false); }
    [[nodiscard]] Moment endOf(std::size_t task) const { return momentOf(task, true); }
    [[nodiscard]] Moment momentOf(std::size_t task, bool isEnd) const {
        const std::size_t operations = m_timeline.operations.size();
        if (task < operations) {
            const OperationRun& run = m_timeline.operations[task];
            return {isEnd ? run.end : run.start, m_position[task], isEnd ? 1 : 0};
        }
        const TransferRun& run = m_timeline.transfers[task - operations];
        return {isEnd ? run.end : run.start, m_position[task], isEnd ? 1 : 0};
    }

    /// Each copy of a tensor lives from a moment to another one, or to the end.
    void checkMemory() {
        const std::size_t operations = m_graph.operations.size();
        std::vector<std::map<Moment, std::int64_t>> changes(m_machine.devices.size());
        for (std::uint32_t t = 0; t < m_graph.tensors.size(); ++t) {
            const Tensor& tensor = m_graph.tensors[t];
            const auto bytes = static_cast<std::int64_t>(tensor.bytes);
            std::map<std::uint32_t, Moment> lastUse;  // by device
            const auto use = [&lastUse](std::uint32_t device, const Moment& moment) {
                Moment& last = lastUse.emplace(device, moment).first->second;
                last = std::max(last, moment);
            };
            const std::uint32_t home = m_timeline.operations[tensor.producer].device;
            use(home, endOf(tensor.producer));
            for (const std::uint32_t c : tensor.consumers) use(m_timeline.operations[c].device, endOf(c));
            changes[home][startOf(tensor.producer)] += bytes;
            for (const auto& [device, last] : lastUse) {
                if (device == home) continue;
                const std::size_t transfer = operations + m_transferOf.at({t, device});
                use(home, endOf(transfer));
                changes[device][startOf(transfer)] += bytes;
                changes[device][last] -= bytes;
            }
            const bool isResult = tensor.isOutput || tensor.consumers.empty();
            if (!isResult || !m_options.retainOutputs) changes[home][lastUse.at(home)] -= bytes;
        }
        std::uint64_t overflow = 0;
        for (std::size_t d = 0; d < changes.size(); ++d) {
            const std::uint64_t peak = checkSteps(d, changes[d]);
            if (m_timeline.peak[d] != peak) {
                report("the peak of device {} is {} bytes, not {}", d, peak, m_timeline.peak[d]);
            }
            if (peak > m_machine.devices[d].memory) overflow = std::max(overflow, peak - m_machine.devices[d].memory);
        }
        if (overflow != m_timeline.overflow) {
            report("{} bytes do not fit into the memory of a device, not {}", overflow, m_timeline.overflow);
        }
    }
    std::uint64_t checkSteps(std::size_t device, const std::map<Moment, std::int64_t>& changes) {
        std::int64_t inUse = 0;
        std::int64_t peak = 0;
        std::vector<MemoryStep> steps;
        for (const auto& [moment, change] : changes) {
            if (change == 0) continue;
            inUse += change;
            peak = std::max(peak, inUse);
            steps.push_back({std::get<0>(moment), static_cast<std::uint64_t>(inUse)});
        }
        if (steps != m_timeline.memory[device]) report("the memory in use of device {} is another one", device);
        return static_cast<std::uint64_t>(peak);
    }

    void checkRuntime() {
        double last = 0.0;
        for (const OperationRun& run : m_timeline.operations) last = std::max(last, run.end);
        for (const TransferRun& run : m_timeline.transfers) last = std::max(last, run.end);
        if (!isEqual(last, m_timeline.runtime)) report("the run time is {}, not {}", last, m_timeline.runtime);
    }

    const TaskGraph& m_graph;
    const Machine& m_machine;
    const ModelOptions& m_options;
    const Schedule& m_schedule;
    const Timeline& m_timeline;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> m_transferOf;  ///< by tensor and destination
    std::vector<std::size_t> m_position;
    std::vector<std::string> m_faults;
};

}  // namespace

std::vector<std::string> faultsOf(const TaskGraph& graph, const Machine& machine, const ModelOptions& options,
                                  const Schedule& schedule, const Timeline& timeline) {
    return TimelineCheck(graph, machine, options, schedule, timeline).run();
}

}  // namespace mitos::schedule
