// SPDX-License-Identifier: GPL-3.0-or-later
// Task graphs made at random: the synthetic graphs of the REGAL paper, graphs like those of the Standard Task Graph Set, and graphs with a known
// optimum of run time or memory.
#pragma once

#include "core/schedule/schedule.h"

#include <cstdint>
#include <limits>

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

/// The graph with other durations and sizes: each is multiplied by a factor of its own, exp(`amount` x) for a standard normal x, so that the median is 1 and
/// no duration becomes negative. Sizes stay whole, and at least 1; what is 0 stays 0. The REGAL paper makes variants of its graphs "by applying
/// multiplicative noise to tensor sizes and op running times" (section 5.1), and does not say which. An amount of 0 changes nothing.
[[nodiscard]] TaskGraph withNoise(TaskGraph graph, double amount, std::uint64_t seed);

/// How the Standard Task Graph Set makes edges between n tasks ("sameprob", "samepred", "layrprob" and "layrpred").
enum class StandardEdges { SameProbability, SamePredecessors, LayersByProbability, LayersByPredecessors };
/// The distributions of its durations ("unifproc", "expoproc" and "normproc").
enum class StandardDurations { Uniform, Exponential, Normal };

/// Parameters of graphs like those of the Standard Task Graph Set (Tobita and Kasahara, "A standard task graph set for fair evaluation of
/// multiprocessor scheduling algorithms", 2002). The number of layers and the deviation of normal durations are our choices.
struct StandardOptions {
    StandardEdges edges = StandardEdges::SamePredecessors;
    StandardDurations durations = StandardDurations::Uniform;
    std::uint32_t operations = 50;  ///< at most 1,000,000
    /// By probability: that of an edge between a task and a later one (the set has 0.1 and 0.2). By predecessors: the mean number of them, as
    /// far as there are earlier tasks.
    double density = 3.0;
    double meanDuration = 5.0;  ///< at least 1
    std::uint32_t layers = 0;   ///< 0: about the square root of the number of operations
};

/// Edges lead from operations to later ones, in graphs of layers to later layers; they have no bytes. Each layer has an operation. Durations are
/// whole and at least 1: uniform from 1 to twice the mean less 1, exponential with that mean, or normal with a deviation of a quarter of it.
[[nodiscard]] TaskGraph standardGraph(const StandardOptions& options, std::uint64_t seed);

struct PlantedOptions {
    std::uint32_t devices = 2;
    std::uint32_t tasksPerDevice = 50;
    std::uint32_t length = 1'000;  ///< of the planted schedule, in units of time
    double edgesPerTask = 3.0;     ///< on average, before those are left out that the planted schedule does not allow
    /// How long transfers take, as in Machine. Where they take time, tensors have about 50 bytes with a standard deviation of 10.
    double latency = 0.0;
    double bandwidth = std::numeric_limits<double>::infinity();
};

/// A graph, the machine and the model for which an optimum is known, and a schedule that has it.
struct PlantedGraph {
    TaskGraph graph;
    Machine machine;  ///< equal devices; transfers are instant, or asynchronous if they take time
    ModelOptions model;
    Schedule schedule;
    double optimum = 0.0;  ///< the least run time, or the least highest peak in bytes
};

/// A graph whose least run time is the length: each device is filled without gaps, so that no schedule is shorter than all work divided among the devices, and
/// edges are added between tasks that follow each other in time (after Kwok and Ahmad, "Benchmarking and comparison of the task graph scheduling
/// algorithms", 1999). Where transfers take time, an edge between devices is added only if the link is free for long enough between
/// the two tasks. A rendezvous would occupy devices, and then the work is no longer the bound; there is none.
[[nodiscard]] PlantedGraph plantedGraph(const PlantedOptions& options, std::uint64_t seed);

/// A graph whose least highest peak is known: its operations have run times and edges as above, with instant transfers, and about 50 bytes each. The
/// peak of that schedule is the optimum, because one operation is made to use all that is in the memory of its device when it runs,
/// and to have outputs that fill the rest: no schedule runs it with less. All other operations get an output without use, which is released after them and
/// fills the memory of their device while they run, as far as it stays below the peak; thus few schedules are as good as the planted one.
/// Latency and bandwidth are ignored.
[[nodiscard]] PlantedGraph plantedMemoryGraph(const PlantedOptions& options, std::uint64_t seed);

}  // namespace mitos::schedule
