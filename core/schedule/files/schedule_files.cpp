// SPDX-License-Identifier: GPL-3.0-or-later
// See schedule_files.h.
#include "core/schedule/files/schedule_files.h"

#include "core/base/csv.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace mitos::schedule {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::uint64_t madeBytes(const Problem& problem, std::uint32_t operation) {
    std::uint64_t bytes = 0;
    for (const std::uint32_t tensor : problem.outputsOf(operation)) bytes += problem.bytesOf(tensor);
    return bytes;
}

const std::string& nameOf(const Problem& problem, std::uint32_t operation) {
    return problem.graph().operations[operation].name;
}

const std::string& producerOf(const Problem& problem, const TransferRun& run) {
    return nameOf(problem, problem.graph().tensors[run.tensor].producer);
}

/// The most that is in use on a device at a time.
std::uint64_t inUse(const std::vector<MemoryStep>& steps, double time) {
    std::uint64_t bytes = 0;
    auto after = std::ranges::upper_bound(steps, time, {}, &MemoryStep::time);
    if (after == steps.begin()) return 0;
    const double moment = std::prev(after)->time;
    while (after != steps.begin() && std::prev(after)->time == moment) bytes = std::max(bytes, (--after)->bytes);
    return bytes;
}

std::string text(const OrderedJson& json) {
    return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

OrderedJson event(const char* phase, const std::string& name, double start, std::uint32_t process,
                  std::uint32_t track) {
    return {{"ph", phase}, {"name", name}, {"ts", start}, {"pid", process}, {"tid", track}};
}

OrderedJson named(const char* what, std::uint32_t process, std::uint32_t track, const std::string& name) {
    OrderedJson json = event("M", what, 0.0, process, track);
    json["args"] = {{"name", name}};
    return json;
}

std::string deviceName(const Problem& problem, std::uint32_t device) {
    const std::string& name = problem.machine().devices[device].name;
    return name.empty() ? std::to_string(device) : name;
}

/// Calls with each operation, or each transfer, in the order of starting.
template <typename OnOperation, typename OnTransfer>
void inOrderOfStarting(const Problem& problem, const Timeline& timeline, OnOperation onOperation,
                       OnTransfer onTransfer) {
    for (const std::uint32_t task : timeline.order) {
        if (task < problem.operationCount())
            onOperation(task, timeline.operations[task]);
        else
            onTransfer(timeline.transfers[task - problem.operationCount()]);
    }
}

}  // namespace

std::string scheduleCsv(const Problem& problem, const Timeline& timeline) {
    std::string csv = "number,kind,name,device,start,end,bytes,memory\n";
    std::uint32_t number = 0;
    inOrderOfStarting(
        problem, timeline,
        [&](std::uint32_t operation, const OperationRun& run) {
            csv += fmt::format("{},operation,{},{},{},{},{},{}\n", ++number, csvText(nameOf(problem, operation)),
                               run.device, run.start, run.end, madeBytes(problem, operation),
                               inUse(timeline.memory[run.device], run.start));
        },
        [&](const TransferRun& run) {
            csv += fmt::format("{},transfer,{},{} -> {},{},{},{},{}\n", ++number, csvText(producerOf(problem, run)),
                               run.from, run.to, run.start, run.end, problem.bytesOf(run.tensor),
                               inUse(timeline.memory[run.to], run.start));
        });
    return csv;
}

std::string chromeTrace(const Problem& problem, const Timeline& timeline, double microseconds) {
    OrderedJson events = OrderedJson::array();
    for (std::uint32_t device = 0; device < problem.deviceCount(); ++device) {
        events.push_back(named("process_name", device, 0, "device " + deviceName(problem, device)));
        events.push_back(named("thread_name", device, 0, "operations"));
        events.push_back(named("thread_name", device, 1, "transfers to it"));
    }
    const auto lasting = [&](OrderedJson json, double start, double end, std::uint64_t bytes) {
        json["dur"] = (end - start) * microseconds;
        json["args"] = {{"bytes", bytes}};
        events.push_back(std::move(json));
    };
    inOrderOfStarting(
        problem, timeline,
        [&](std::uint32_t operation, const OperationRun& run) {
            lasting(event("X", nameOf(problem, operation), run.start * microseconds, run.device, 0), run.start, run.end,
                    madeBytes(problem, operation));
        },
        [&](const TransferRun& run) {
            lasting(event("X", producerOf(problem, run), run.start * microseconds, run.to, 1), run.start, run.end,
                    problem.bytesOf(run.tensor));
        });
    for (std::uint32_t device = 0; device < problem.deviceCount(); ++device) {
        for (const MemoryStep& step : timeline.memory[device]) {
            OrderedJson json = event("C", "memory", step.time * microseconds, device, 0);
            json["args"] = {{"bytes", step.bytes}};
            events.push_back(std::move(json));
        }
    }
    return text({{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}});
}

std::string scheduleJson(const Problem& problem, const Timeline& timeline, std::string_view unit) {
    const Machine& machine = problem.machine();
    const char* const modes[] = {"instant", "rendezvous", "async"};
    OrderedJson devices = OrderedJson::array();
    for (std::uint32_t device = 0; device < problem.deviceCount(); ++device) {
        const Device& one = machine.devices[device];
        devices.push_back({{"name", deviceName(problem, device)},
                           {"speed", one.speed},
                           {"memory_bytes", one.memory == UnlimitedMemory ? OrderedJson() : OrderedJson(one.memory)}});
    }
    OrderedJson operations = OrderedJson::array();
    OrderedJson transfers = OrderedJson::array();
    inOrderOfStarting(
        problem, timeline,
        [&](std::uint32_t operation, const OperationRun& run) {
            operations.push_back({{"name", nameOf(problem, operation)},
                                  {"operation", operation},
                                  {"device", run.device},
                                  {"start", run.start},
                                  {"end", run.end}});
        },
        [&](const TransferRun& run) {
            transfers.push_back({{"of", producerOf(problem, run)},
                                 {"bytes", problem.bytesOf(run.tensor)},
                                 {"from", run.from},
                                 {"to", run.to},
                                 {"start", run.start},
                                 {"end", run.end}});
        });
    return text({{"machine",
                  {{"devices", std::move(devices)},
                   {"transfers", modes[static_cast<int>(machine.transfers)]},
                   {"latency", machine.latency},
                   {"bandwidth", machine.bandwidth}}},
                 {"unit", unit},
                 {"runtime", timeline.runtime},
                 {"peak_bytes", timeline.peak},
                 {"overflow_bytes", timeline.overflow},
                 {"operations", std::move(operations)},
                 {"transfers", std::move(transfers)}});
}

}  // namespace mitos::schedule
