// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts that strategies share.
#pragma once

#include "search/placement/list_scheduling.h"
#include "search/placement/strategies.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mitos::search::placement::internal {

inline Placement single(const schedule::Problem& problem, schedule::Schedule schedule) {
    schedule::PerformanceModel model(problem);
    return evaluated(model, std::move(schedule));
}

/// The devices of a list schedule, which the orders for given devices start from.
inline std::vector<std::uint32_t> usualDevices(const schedule::Problem& problem) {
    return highestLevelFirst(problem).device;
}

inline schedule::Schedule onOneDevice(const schedule::Problem& problem, std::span<const std::uint32_t> order) {
    return schedule::inOrder(std::vector<std::uint32_t>(problem.operationCount(), 0), order);
}

inline std::int64_t whole(const ParameterValues& values, const char* name) {
    return std::get<std::int64_t>(values.at(name));
}
inline double number(const ParameterValues& values, const char* name) { return std::get<double>(values.at(name)); }

inline random_keys::Limits limitsOf(const Request& request) {
    random_keys::Limits limits{.evaluations = request.evaluations, .stop = request.stop};
    if (request.seconds) {
        limits.deadline =
            std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                   std::chrono::duration<double>(*request.seconds));
    }
    return limits;
}

}  // namespace mitos::search::placement::internal
