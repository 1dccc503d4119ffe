// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs made at random: the synthetic graphs of the REGAL paper, and graphs with a known optimum.
#pragma once

#include "core/schedule/task_graph.h"

#include <cstdint>

namespace mitos::schedule {

enum class GraphFamily { ErdosRenyi, BarabasiAlbert, WattsStrogatz, StochasticBlocks };

/// The paper's appendix on its synthetic graphs is not at hand; these are our choices, some of which a reproduction by others (TrafPy)
/// shares: Erdős–Rényi with 0.05 edges per pair, Barabási–Albert with 2 edges per node, Watts–Strogatz with 4 neighbours and 0.3 rewired, and four blocks
/// with 0.3 inside and 0.01 across.
struct SyntheticOptions {
    GraphFamily family = GraphFamily::ErdosRenyi;
    std::uint32_t operations = 0;  ///< without source and sink; 0: between 50 and 200 at random
    double dataEdges = 0.8;        ///< probability that an edge is one of data; the others are control edges
    bool durationsFollowSizes =
        false;  ///< durations are the bytes of inputs and outputs, with 20 % noise, as TrafPy has them
};

/// Edges are oriented by a random order of the operations. Durations and sizes are about 50 with a standard deviation of 10, whole and
/// at least 1. An operation without duration and tensors comes before all others, and one after them. At most 1,000,000 operations.
[[nodiscard]] TaskGraph syntheticGraph(const SyntheticOptions& options, std::uint64_t seed);

struct PlantedOptions {
    std::uint32_t devices = 2;
    std::uint32_t tasksPerDevice = 50;
    std::uint32_t length = 1'000;  ///< the optimum
    double edgesPerTask = 3.0;     ///< on average
};

/// A graph whose least run time on equal devices with instant transfers is known: each device is filled without gaps, and edges are added between tasks
/// that follow each other in time (after Kwok and Ahmad, "Benchmarking and comparison of the task graph scheduling algorithms", 1999).
struct PlantedGraph {
    TaskGraph graph;
    double optimum = 0.0;
};
[[nodiscard]] PlantedGraph plantedGraph(const PlantedOptions& options, std::uint64_t seed);

}  // namespace mitos::schedule
