// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/simple_methods.h"

#include "search/placement/internal/strategy_parts.h"
#include "search/placement/list_scheduling.h"
#include "search/placement/memory_orders.h"
#include "search/placement/partition.h"

#include <algorithm>
#include <utility>

namespace mitos::search::placement {

using schedule::Problem;
using schedule::Schedule;

std::vector<std::optional<Schedule>> simpleSchedules(const Problem& problem, Objective objective, bool savesMemory) {
    const auto partition = [&]() -> std::optional<Schedule> {
        if (problem.deviceCount() < 2) return std::nullopt;
        auto parts = partitionAndOrder(problem, {.objective = objective});
        if (!parts) return std::nullopt;
        return std::move(parts->schedule);
    };
    std::vector<std::optional<Schedule>> schedules;
    schedules.emplace_back(highestLevelFirst(problem));
    schedules.emplace_back(earliestFinish(problem));
    if (savesMemory) {
        schedules.emplace_back(greedyMemory(problem));
        schedules.emplace_back(bestOfXla(problem, internal::usualDevices(problem), Objective::Memory).schedule);
        schedules.emplace_back(internal::onOneDevice(problem, problem.topologicalOrder()));
    } else {
        schedules.resize(SimpleMethods.size() - 1);
    }
    schedules.push_back(partition());
    return schedules;
}

std::vector<Schedule> usualStarts(const Problem& problem, Objective objective) {
    const bool savesMemory =
        objective == Objective::Memory || std::ranges::any_of(problem.machine().devices, [](const auto& device) {
            return device.memory != schedule::UnlimitedMemory;
        });
    std::vector<Schedule> starts;
    for (auto& own : simpleSchedules(problem, objective, savesMemory)) {
        if (own) starts.push_back(*std::move(own));
    }
    return starts;
}

}  // namespace mitos::search::placement
