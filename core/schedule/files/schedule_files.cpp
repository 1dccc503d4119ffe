// SPDX-License-Identifier: GPL-3.0-or-later
// See schedule_files.h.
#include "core/schedule/files/schedule_files.h"

#include "core/base/csv.h"
#include "core/schedule/performance_model.h"
#include "core/tasks/files/task_graph_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

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

constexpr std::size_t DeepestSchedule = 12;

OrderedJson machineJson(const Machine& machine) {
    OrderedJson devices = OrderedJson::array();
    for (const Device& device : machine.devices) {
        devices.push_back(
            {{"name", device.name},
             {"speed", device.speed},
             {"memory_bytes", device.memory == UnlimitedMemory ? OrderedJson() : OrderedJson(device.memory)}});
    }
    return {{"devices", std::move(devices)},
            {"transfers", nameOf(machine.transfers)},
            {"latency", machine.latency},
            {"bandwidth", std::isfinite(machine.bandwidth) ? OrderedJson(machine.bandwidth) : OrderedJson()}};
}

/// Throws for parts that are missing or of another type.
Result<Machine> machineIn(const OrderedJson& json, const std::string& name) {
    Machine machine;
    for (const OrderedJson& device : json.at("devices")) {
        const OrderedJson& memory = device.at("memory_bytes");
        machine.devices.push_back({.name = device.at("name").get<std::string>(),
                                   .speed = device.at("speed").get<double>(),
                                   .memory = memory.is_null() ? UnlimitedMemory : memory.get<std::uint64_t>()});
    }
    const auto mode = transferModeNamed(json.at("transfers").get<std::string>());
    if (!mode) return inputError(fmt::format("{}: there are no such transfers", name), {});
    machine.transfers = *mode;
    machine.latency = json.at("latency").get<double>();
    if (!json.at("bandwidth").is_null()) machine.bandwidth = json.at("bandwidth").get<double>();
    return machine;
}

OrderedJson nodesJson(const std::vector<std::uint32_t>& nodes) {
    OrderedJson json = OrderedJson::array();
    for (const std::uint32_t node : nodes) json.push_back(node == NoNode ? OrderedJson() : OrderedJson(node));
    return json;
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

double microsecondsOf(std::string_view unit) {
    if (unit == "ns") return 1e-3;
    if (unit == "ms") return 1e3;
    return unit == "s" ? 1e6 : 1.0;
}

std::string scheduleJson(const ScheduledGraph& scheduled, const Timeline& timeline) {
    const TaskGraph& graph = scheduled.graph;
    const auto operationCount = static_cast<std::uint32_t>(graph.operations.size());
    OrderedJson operations = OrderedJson::array();
    OrderedJson transfers = OrderedJson::array();
    for (const std::uint32_t task : timeline.order) {
        if (task < operationCount) {
            const OperationRun& run = timeline.operations[task];
            operations.push_back({{"name", graph.operations[task].name},
                                  {"operation", task},
                                  {"device", run.device},
                                  {"start", run.start},
                                  {"end", run.end}});
        } else {
            const TransferRun& run = timeline.transfers[task - operationCount];
            transfers.push_back({{"of", graph.operations[graph.tensors[run.tensor].producer].name},
                                 {"bytes", graph.tensors[run.tensor].bytes},
                                 {"from", run.from},
                                 {"to", run.to},
                                 {"start", run.start},
                                 {"end", run.end}});
        }
    }
    OrderedJson json = {{"machine", machineJson(scheduled.machine)},
                        {"unit", scheduled.unit},
                        {"objective", scheduled.isForMemory ? "memory" : "time"},
                        {"retain_outputs", scheduled.options.retainOutputs},
                        {"resident_bytes", scheduled.residentBytes},
                        {"runtime", timeline.runtime},
                        {"peak_bytes", timeline.peak},
                        {"overflow_bytes", timeline.overflow},
                        {"operations", std::move(operations)},
                        {"transfers", std::move(transfers)},
                        {"graph", OrderedJson::parse(tasks::toJson(graph))},
                        {"schedule",
                         {{"device", scheduled.schedule.device},
                          {"priority", scheduled.schedule.priority},
                          {"transfer_priority", scheduled.schedule.transferPriority}}}};
    if (scheduled.bound) json["bound"] = *scheduled.bound;
    if (scheduled.isProven) json["proven"] = true;
    if (scheduled.repeated) {
        json["rematerialization"] = {{"first_repeated", scheduled.repeated->first},
                                     {"peak_bytes_before", scheduled.repeated->peakBefore}};
    }
    if (!scheduled.nodes.empty()) json["nodes"] = nodesJson(scheduled.nodes);
    if (!scheduled.operators.empty()) json["operators"] = scheduled.operators;
    return text(json);
}

Result<ReadSchedule> readSchedule(const SourceText& source) {
    const auto refuse = [&source](const std::string& why) {
        return Error{ErrorCode::Parse, fmt::format("{}: {}", source.name(), why), std::nullopt,
                     "a schedule is one JSON object, as mitos-cli schedule -o writes it"};
    };
    if (jsonNesting(source.text()) > DeepestSchedule) return refuse("the text is nested too deeply for a schedule");
    try {
        const OrderedJson json = OrderedJson::parse(source.text());
        ReadSchedule read;
        ScheduledGraph& scheduled = read.scheduled;
        MITOS_TRY(scheduled.graph, tasks::readTaskGraph(SourceText(source.name(), json.at("graph").dump())));
        MITOS_TRY(scheduled.machine, machineIn(json.at("machine"), source.name()));
        scheduled.options.retainOutputs = json.value("retain_outputs", true);
        const OrderedJson& choices = json.at("schedule");
        choices.at("device").get_to(scheduled.schedule.device);
        choices.at("priority").get_to(scheduled.schedule.priority);
        choices.at("transfer_priority").get_to(scheduled.schedule.transferPriority);
        scheduled.unit = json.value("unit", std::string());
        scheduled.residentBytes = json.value("resident_bytes", std::uint64_t{0});
        scheduled.isForMemory = json.value("objective", std::string()) == "memory";
        if (json.contains("bound")) scheduled.bound = json.at("bound").get<double>();
        scheduled.isProven = json.value("proven", false);
        if (json.contains("rematerialization")) {
            const OrderedJson& repeated = json.at("rematerialization");
            scheduled.repeated = {.first = repeated.at("first_repeated").get<std::uint32_t>(),
                                  .peakBefore = repeated.at("peak_bytes_before").get<std::uint64_t>()};
            if (scheduled.repeated->first > scheduled.graph.operations.size())
                return refuse("there are fewer operations than run once");
        }
        if (json.contains("nodes")) {
            for (const OrderedJson& node : json.at("nodes"))
                scheduled.nodes.push_back(node.is_null() ? NoNode : node.get<std::uint32_t>());
            if (scheduled.nodes.size() != scheduled.graph.operations.size())
                return refuse("nodes are not as many as operations");
        }
        if (json.contains("operators")) {
            json.at("operators").get_to(scheduled.operators);
            if (scheduled.operators.size() != scheduled.graph.operations.size())
                return refuse("operators are not as many as operations");
        }
        MITOS_TRY(const Problem problem, Problem::make(scheduled.graph, scheduled.machine, scheduled.options));
        MITOS_TRY(read.timeline, timelineOf(problem, scheduled.schedule));
        if (json.at("runtime").get<double>() != read.timeline.runtime ||
            json.at("peak_bytes").get<std::vector<std::uint64_t>>() != read.timeline.peak) {
            return refuse("the run time or the peaks are not those of the schedule");
        }
        return read;
    } catch (const OrderedJson::exception& problem) {
        return refuse(fmt::format("the text is no schedule: {}", problem.what()));
    }
}

}  // namespace mitos::schedule
