// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/headroom.h"

#include <fmt/format.h>

#include <utility>

namespace mitos::search::placement {

namespace {

double objectiveValue(const schedule::Score& score, Objective objective) {
    return objective == Objective::Memory ? static_cast<double>(score.peak) : score.runtime;
}

}  // namespace

Result<Headroom> headroomOf(const schedule::Problem& problem, const HeadroomOptions& options) {
    if (options.low == 0 || options.high <= options.low) {
        return inputError(fmt::format("the limits of {} and {} evaluations do not make a short and a longer search",
                                      options.low, options.high),
                          "the low limit must be at least 1, and the high one more than that");
    }
    if (!(options.least >= 0.0)) {
        return inputError(fmt::format("a gain of at least {} is not a condition", options.least),
                          "give a number from 0 on; 0.2 is a gain of 20 %");
    }
    const BrkgaOptions search{.objective = options.objective,
                              .decode = options.decode,
                              .settings = options.settings,
                              .threads = options.threads};
    const auto scoreAfter = [&](std::uint64_t evaluations) -> Result<schedule::Score> {
        MITOS_TRY(const Placement found,
                  searchByRandomKeys(problem, search, {.evaluations = evaluations, .stop = options.stop}));
        if (found.evaluations < evaluations) return inputError("the search was stopped", "let it run to its end");
        return found.score;
    };
    Headroom headroom;
    MITOS_TRY(headroom.low, scoreAfter(options.low));
    MITOS_TRY(headroom.high, scoreAfter(options.high));
    const double before = objectiveValue(headroom.low, options.objective);
    const double after = objectiveValue(headroom.high, options.objective);
    // Where both are 0 nothing is gained.
    if (before != after) headroom.gain = before / after - 1.0;
    const bool isSmaller = headroom.gain >= options.least;
    if (options.objective == Objective::Memory) {
        headroom.isEnough = isSmaller;
    } else {
        headroom.isEnough = headroom.high.overflow == 0 && (isSmaller || headroom.low.overflow != 0);
    }
    return headroom;
}

Result<KeptGraph> nextKeptGraph(const schedule::SyntheticOptions& graphs, const KeptGraphSearch& search,
                                const HeadroomOptions& options) {
    for (std::uint32_t i = 0; i < search.mostSeeds; ++i) {
        const std::uint64_t seed = search.firstSeed + i;
        schedule::TaskGraph graph = schedule::syntheticGraph(graphs, seed);
        MITOS_TRY(const schedule::Problem problem, schedule::Problem::make(graph, search.machine, search.model));
        MITOS_TRY(const Headroom headroom, headroomOf(problem, options));
        if (headroom.isEnough) return KeptGraph{.graph = std::move(graph), .seed = seed, .headroom = headroom};
    }
    return inputError(fmt::format("none of {} graphs from seed {} on is {} % better after {} evaluations than after {}",
                                  search.mostSeeds, search.firstSeed, 100.0 * options.least, options.high, options.low),
                      "ask for a smaller gain, or take graphs of another family");
}

}  // namespace mitos::search::placement
