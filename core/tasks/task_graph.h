// SPDX-License-Identifier: GPL-3.0-or-later
// The input of scheduling: operations with durations, tensors with sizes, and what depends on what. Plain values.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mitos::tasks {

/// Longer times are refused as mistakes.
inline constexpr double LongestDuration = 1e15;

struct Operation {
    std::string name = {};
    double duration = 0.0;  ///< on a device of speed 1, in any unit

    friend bool operator==(const Operation&, const Operation&) = default;
};

/// The result of an operation, in the memory of the device that runs it.
struct Tensor {
    std::uint64_t bytes = 0;
    std::uint32_t producer = 0;                 ///< number of an operation
    std::vector<std::uint32_t> consumers = {};  ///< numbers of operations; empty if nothing in the graph uses it
    bool isOutput = false;                      ///< a result of the graph, like each tensor without consumers

    friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// Operations and tensors have the numbers of their places here.
struct TaskGraph {
    std::vector<Operation> operations = {};
    std::vector<Tensor> tensors = {};
    /// (first, second): the second operation starts when the first has ended, though it uses nothing of it.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> controlEdges = {};

    friend bool operator==(const TaskGraph&, const TaskGraph&) = default;
};

/// The same for graphs that differ in names only, from run to run.
[[nodiscard]] std::uint64_t contentHash(const TaskGraph& graph);

/// Fails for a graph without operations or with too many, durations that are negative, no numbers or too long, sizes whose sum is
/// too large, edges from or to operations that do not exist, and cycles, one of which the error names.
[[nodiscard]] Status checkGraph(const TaskGraph& graph);

}  // namespace mitos::tasks
