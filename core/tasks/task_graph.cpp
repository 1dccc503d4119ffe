// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tasks/task_graph.h"

#include "core/base/hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

namespace mitos::tasks {

namespace {

/// Priorities by position are exact as floats up to this number.
constexpr std::size_t MostOperations = 1U << 24U;
constexpr std::size_t MostTensors = 1U << 24U;
constexpr std::uint64_t MostBytes = std::uint64_t{1} << 62U;
/// So many operations of a cycle are named.
constexpr std::size_t MostNames = 8;

std::string nameOf(const TaskGraph& graph, std::uint32_t operation) {
    const std::string& name = graph.operations[operation].name;
    return name.empty() ? fmt::format("operation {}", operation) : name;
}

Status checkEdge(const TaskGraph& graph, std::uint32_t from, std::uint32_t to) {
    const std::size_t count = graph.operations.size();
    if (from >= count || to >= count) {
        return inputError(
            fmt::format("an edge leads from operation {} to operation {}, but there are {}", from, to, count),
            "operations are numbered from 0");
    }
    return Success{};
}

std::vector<std::vector<std::uint32_t>> predecessorsOf(const TaskGraph& graph) {
    std::vector<std::vector<std::uint32_t>> predecessors(graph.operations.size());
    for (const Tensor& tensor : graph.tensors) {
        for (const std::uint32_t consumer : tensor.consumers) predecessors[consumer].push_back(tensor.producer);
    }
    for (const auto& [first, second] : graph.controlEdges) predecessors[second].push_back(first);
    return predecessors;
}

/// Fails with the names of a cycle. Operations without open predecessors are removed until none is left; among those that are, each has
/// an open predecessor, so going back repeats one.
Status checkAcyclic(const TaskGraph& graph) {
    const std::vector<std::vector<std::uint32_t>> predecessors = predecessorsOf(graph);
    std::vector<std::vector<std::uint32_t>> successors(predecessors.size());
    std::vector<std::size_t> open(predecessors.size());
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < predecessors.size(); ++i) {
        open[i] = predecessors[i].size();
        if (open[i] == 0) ready.push_back(i);
        for (const std::uint32_t before : predecessors[i]) successors[before].push_back(i);
    }
    std::size_t removed = 0;
    while (!ready.empty()) {
        const std::uint32_t operation = ready.back();
        ready.pop_back();
        ++removed;
        for (const std::uint32_t next : successors[operation]) {
            if (--open[next] == 0) ready.push_back(next);
        }
    }
    if (removed == predecessors.size()) return Success{};
    std::uint32_t at = 0;
    while (open[at] == 0) ++at;
    std::vector<std::uint32_t> path;
    std::vector<bool> isOnPath(predecessors.size());
    while (!isOnPath[at]) {
        isOnPath[at] = true;
        path.push_back(at);
        at = *std::ranges::find_if(predecessors[at], [&open](std::uint32_t before) { return open[before] != 0; });
    }
    std::vector<std::uint32_t> cycle(std::ranges::find(path, at), path.end());
    std::ranges::reverse(cycle);
    std::string text = nameOf(graph, at);
    for (std::size_t i = 0; i < std::min(cycle.size(), MostNames); ++i) text += " → " + nameOf(graph, cycle[i]);
    if (cycle.size() > MostNames) text += " → …";
    return inputError(fmt::format("the graph has a cycle: {}", text), "an operation cannot wait for its own result");
}

}  // namespace

std::uint64_t contentHash(const TaskGraph& graph) {
    std::uint64_t hash = 1;
    const auto add = [&hash](std::uint64_t value) { hash = combineHash(hash, value); };
    add(graph.operations.size());
    add(graph.tensors.size());
    for (const Operation& operation : graph.operations) add(std::bit_cast<std::uint64_t>(operation.duration));
    for (const Tensor& tensor : graph.tensors) {
        add(tensor.bytes);
        add(tensor.producer);
        add(tensor.isOutput ? 1 : 0);
        add(tensor.consumers.size());
        for (const std::uint32_t consumer : tensor.consumers) add(consumer);
    }
    for (const auto& [first, second] : graph.controlEdges) {
        add(first);
        add(second);
    }
    return hash;
}

Status checkGraph(const TaskGraph& graph) {
    if (graph.operations.empty()) {
        return inputError("the graph has no operations", "there is nothing to schedule");
    }
    if (graph.operations.size() > MostOperations || graph.tensors.size() > MostTensors) {
        return Error{ErrorCode::Limit,
                     fmt::format("a graph of {} operations and {} tensors is too large", graph.operations.size(),
                                 graph.tensors.size()),
                     std::nullopt, fmt::format("the limit is {} each", MostOperations)};
    }
    double total = 0.0;
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const double duration = graph.operations[i].duration;
        if (!(duration >= 0.0 && duration <= LongestDuration)) {
            return inputError(fmt::format("{} has the duration {}", nameOf(graph, i), duration),
                              fmt::format("a duration is between 0 and {}", LongestDuration));
        }
        total += duration;
    }
    if (total > LongestDuration) {
        return inputError(fmt::format("all operations together take {}", total),
                          fmt::format("the limit is {}; use a larger unit of time", LongestDuration));
    }
    std::uint64_t bytes = 0;
    for (const Tensor& tensor : graph.tensors) {
        if (tensor.bytes > MostBytes - bytes) {
            return inputError("the sizes of all tensors together are more than 2^62 bytes", "a size is wrong");
        }
        bytes += tensor.bytes;
        MITOS_REQUIRE(checkEdge(graph, tensor.producer, tensor.producer));
        for (const std::uint32_t consumer : tensor.consumers) {
            MITOS_REQUIRE(checkEdge(graph, tensor.producer, consumer));
        }
    }
    for (const auto& [first, second] : graph.controlEdges) MITOS_REQUIRE(checkEdge(graph, first, second));
    return checkAcyclic(graph);
}

}  // namespace mitos::tasks
