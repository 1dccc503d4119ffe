// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/machine.h"

#include "core/schedule/task_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mitos::schedule {

namespace {

constexpr double GreatestSpeed = 1e12;

}  // namespace

const std::vector<std::string>& transferModes() {
    static const std::vector<std::string> names{"instant", "rendezvous", "async"};
    return names;
}

const std::string& nameOf(TransferMode mode) { return transferModes()[static_cast<std::size_t>(mode)]; }

std::optional<TransferMode> transferModeNamed(std::string_view name) {
    const auto found = std::ranges::find(transferModes(), name);
    if (found == transferModes().end()) return std::nullopt;
    return static_cast<TransferMode>(found - transferModes().begin());
}

Machine equalDevices(std::uint32_t count, std::uint64_t memory, TransferMode transfers) {
    Machine machine{.transfers = transfers};
    for (std::uint32_t i = 0; i < count; ++i) {
        machine.devices.push_back({.name = fmt::format("{}", i), .memory = memory});
    }
    return machine;
}

Status checkMachine(const Machine& machine) {
    if (machine.devices.empty() || machine.devices.size() > MostDevices) {
        return inputError(fmt::format("a machine with {} devices cannot run anything", machine.devices.size()),
                          fmt::format("give it between 1 and {} devices", MostDevices));
    }
    for (const Device& device : machine.devices) {
        if (!(device.speed >= 1.0 / GreatestSpeed && device.speed <= GreatestSpeed)) {
            return inputError(fmt::format("device {} has speed {}", device.name, device.speed),
                              "a speed is a positive factor; 1 is a device that takes the durations of the graph");
        }
    }
    if (!(machine.latency >= 0.0 && machine.latency <= LongestDuration)) {
        return inputError(fmt::format("the latency of transfers is {}", machine.latency),
                          "it must be a time of 0 or more");
    }
    if (!(machine.bandwidth > 0.0)) {
        return inputError(fmt::format("the bandwidth of transfers is {}", machine.bandwidth),
                          "it must be a positive number of bytes for each unit of time");
    }
    if (machine.transfers == TransferMode::Instant && (machine.latency > 0.0 || std::isfinite(machine.bandwidth))) {
        return inputError("instant transfers have neither latency nor bandwidth",
                          "choose rendezvous or asynchronous transfers, or leave both out");
    }
    return Success{};
}

}  // namespace mitos::schedule
