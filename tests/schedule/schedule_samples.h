// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs for the tests of schedules.
#pragma once

#include "core/base/random.h"
#include "core/schedule/performance_model.h"

#include <QtGlobal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mitos::tests {

/// An operation with one tensor, which `consumers` use; without a tensor if bytes is 0.
struct Node {
    std::string name;
    double duration = 1.0;
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> consumers = {};
};

inline schedule::TaskGraph makeGraph(const std::vector<Node>& nodes) {
    schedule::TaskGraph graph;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        graph.operations.push_back({nodes[i].name, nodes[i].duration});
        if (nodes[i].bytes == 0 && nodes[i].consumers.empty()) continue;
        graph.tensors.push_back({.bytes = nodes[i].bytes, .producer = i, .consumers = nodes[i].consumers});
    }
    return graph;
}

/// a → b, a → c, {b, c} → e with durations 2, 3, 1 and 2; every tensor has one byte.
inline schedule::TaskGraph diamond() {
    return makeGraph({{"a", 2.0, 1, {1, 2}}, {"b", 3.0, 1, {3}}, {"c", 1.0, 1, {3}}, {"e", 2.0, 1}});
}

/// Operations with small integer durations, each with one or two tensors of small sizes; about half of the pairs depend on each other, some by control
/// edges only.
inline schedule::TaskGraph randomGraph(Random& random, std::uint32_t operations) {
    schedule::TaskGraph graph;
    for (std::uint32_t i = 0; i < operations; ++i) {
        graph.operations.push_back(
            {std::string(1, static_cast<char>('a' + i % 26)), static_cast<double>(random.below(6))});
        const std::size_t tensors = 1 + random.below(2);
        for (std::size_t k = 0; k < tensors; ++k) {
            schedule::Tensor tensor{.bytes = random.below(10), .producer = i};
            for (std::uint32_t next = i + 1; next < operations; ++next) {
                if (random.chance(0.3)) tensor.consumers.push_back(next);
            }
            graph.tensors.push_back(std::move(tensor));
        }
        if (i > 0 && random.chance(0.2)) graph.controlEdges.emplace_back(random.below(i), i);
    }
    return graph;
}

inline schedule::Problem mustMake(schedule::TaskGraph graph, schedule::Machine machine,
                                  schedule::ModelOptions options = {}) {
    Result<schedule::Problem> problem = schedule::Problem::make(std::move(graph), std::move(machine), options);
    if (!problem) qFatal("%s", problem.error().message.c_str());
    return *std::move(problem);
}

inline schedule::Timeline mustRun(const schedule::Problem& problem, const schedule::Schedule& schedule) {
    Result<schedule::Timeline> timeline = schedule::timelineOf(problem, schedule);
    if (!timeline) qFatal("%s", timeline.error().message.c_str());
    return *std::move(timeline);
}

inline schedule::Schedule randomSchedule(Random& random, const schedule::Problem& problem) {
    schedule::Schedule schedule;
    for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
        schedule.device.push_back(static_cast<std::uint32_t>(random.below(problem.deviceCount())));
        schedule.priority.push_back(static_cast<float>(random.uniform()));
    }
    for (std::size_t i = 0; i < std::size_t{problem.tensorCount()} * problem.deviceCount(); ++i) {
        schedule.transferPriority.push_back(static_cast<float>(random.uniform()));
    }
    return schedule;
}

}  // namespace mitos::tests
