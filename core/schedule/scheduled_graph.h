// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule with all that it is about, so that it can be stored, drawn, checked and exported by itself.
#pragma once

#include "core/schedule/schedule.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mitos::schedule {

/// Operations that are no node of a program, such as the one that provides its inputs.
inline constexpr std::uint32_t NoNode = std::numeric_limits<std::uint32_t>::max();

/// Operations of a graph that run again so that their results need not be kept (rematerialization.h).
struct RepeatedOperations {
    std::uint32_t first = 0;       ///< operations from this number on run again what others ran before
    std::uint64_t peakBefore = 0;  ///< bytes with resident ones, of the schedule without them

    friend bool operator==(const RepeatedOperations&, const RepeatedOperations&) = default;
};

struct ScheduledGraph {
    TaskGraph graph;
    Machine machine;
    ModelOptions options;
    Schedule schedule;
    /// By operation: the number of the program's node among ir::SharedNodes, or NoNode; empty for graphs that are no programs.
    std::vector<std::uint32_t> nodes = {};
    std::vector<std::string> operators = {};  ///< by operation: the operator of its node, "Conv"; empty if not known
    std::string unit = {};                    ///< of durations; empty if it is not known
    std::uint64_t residentBytes =
        0;  ///< of weights beside what the graph has; they lie in the memory of the one device all the time
    std::optional<RepeatedOperations> repeated = {};  ///< nothing: each runs once
    bool isForMemory = false;                         ///< the objective: the peak memory; else the run time
    std::optional<double> bound = {};                 ///< of the objective: no schedule has less
    bool isProven = false;                            ///< no schedule is better, if need be by an exact search

    friend bool operator==(const ScheduledGraph&, const ScheduledGraph&) = default;
};

}  // namespace mitos::schedule
