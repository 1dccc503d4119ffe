// SPDX-License-Identifier: GPL-3.0-or-later
// How much better a long search is than a short one, by which synthetic graphs are chosen.
#pragma once

#include "core/schedule/generators.h"
#include "search/placement/brkga.h"

#include <cstdint>
#include <stop_token>

namespace mitos::search::placement {

/// The synthetic graphs of the REGAL paper (the description of its data set) are those for which the schedules of its genetic algorithm are 20 % faster with a
/// high limit of evaluations than with a low one. The limits are not published; these are our choices, and so is reading it as a quotient of at least
/// 1.2 (resources/decisions.md).
struct HeadroomOptions {
    Objective objective = Objective::Runtime;
    Decode decode = Decode::Paper;
    random_keys::Settings settings = {};
    std::uint64_t low = 1'000;    ///< evaluations; at least 1
    std::uint64_t high = 50'000;  ///< evaluations; more than `low`
    double least = 0.2;           ///< the gain that is enough; at least 0
    std::uint32_t threads = 1;    ///< the result is the same for any number
    std::stop_token stop = {};
};

struct Headroom {
    schedule::Score low;
    schedule::Score high;  ///< of the search that goes on, so it is never worse
    /// The run time or peak of the short search divided by that of the long one, less 1. Negative where a run time grows for the memory to suffice.
    double gain = 0.0;
    /// The gain is large enough, or the long search alone finds a schedule that fits into memory. Under the objective of run time, schedules that do not fit
    /// are never enough.
    bool isEnough = false;
};

/// Two searches without heuristic starts. Fails for limits and gains out of their ranges, as searchByRandomKeys() does, and if it is stopped.
[[nodiscard]] Result<Headroom> headroomOf(const schedule::Problem& problem, const HeadroomOptions& options = {});

/// A graph that was kept. The seed makes it again.
struct KeptGraph {
    schedule::TaskGraph graph;
    std::uint64_t seed = 0;
    Headroom headroom;
};

/// The machine that graphs are kept for, and how many seeds are tried.
struct KeptGraphSearch {
    schedule::Machine machine = schedule::equalDevices(2);
    schedule::ModelOptions model = {.retainOutputs = false};
    std::uint64_t firstSeed = 1;
    std::uint32_t mostSeeds = 100;
};

/// The graph of the first seed whose headroom is enough. Fails if there is none among the seeds, and as headroomOf() and Problem::make() do.
[[nodiscard]] Result<KeptGraph> nextKeptGraph(const schedule::SyntheticOptions& graphs, const KeptGraphSearch& search,
                                              const HeadroomOptions& options = {});

}  // namespace mitos::search::placement
