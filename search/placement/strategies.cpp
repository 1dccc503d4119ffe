// SPDX-License-Identifier: GPL-3.0-or-later
// See strategies.h.
#include "search/placement/strategies.h"

#include "core/base/time_limit.h"
#include "search/placement/exact.h"
#include "search/placement/frontier.h"
#include "search/placement/genetic.h"
#include "search/placement/internal/strategy_parts.h"
#include "search/placement/learned_strategy.h"
#include "search/placement/list_scheduling.h"
#include "search/placement/local_search.h"
#include "search/placement/memory_orders.h"
#include "search/placement/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mitos::search::placement {

namespace {

using namespace internal;
using schedule::Problem;
using schedule::Schedule;

Result<Placement> runList(const Problem& problem, const Request&) {
    return single(problem, highestLevelFirst(problem));
}
Result<Placement> runHeft(const Problem& problem, const Request&) { return single(problem, earliestFinish(problem)); }
Result<Placement> runMemoryGreedy(const Problem& problem, const Request&) {
    return single(problem, greedyMemory(problem));
}
Result<Placement> runXla(const Problem& problem, const Request& request) {
    return bestOfXla(problem, usualDevices(problem), request.objective);
}

Result<Placement> runPartition(const Problem& problem, const Request& request) {
    return partitionAndOrder(problem, {.objective = request.objective});
}

/// The program's own order, on one device or on those of a list schedule.
Result<Placement> runOwnOrder(const Problem& problem, const Request&) {
    return single(problem, schedule::inOrder(usualDevices(problem), problem.topologicalOrder()));
}

Result<Placement> runRandom(const Problem& problem, const Request& request) {
    return searchAtRandom(problem, {request.objective, request.seed}, limitsOf(request));
}
Result<Placement> runLocalSearch(const Problem& problem, const Request& request) {
    return searchLocally(problem, {request.objective, request.seed}, limitsOf(request));
}

Result<Placement> runFrontier(const Problem& problem, const Request& request) {
    if (problem.deviceCount() > 1 || request.objective != Objective::Memory) {
        return inputError("the strategy frontier finds the order of least peak memory on one device",
                          "--objective memory --devices 1");
    }
    const TimeLimit limit(request.seconds.value_or(0.0), request.stop);
    const MemoryOrder found = leastMemoryOrder(
        problem, {.states = static_cast<std::size_t>(whole(request.parameters, "states")), .stop = limit.token()});
    Placement placed = single(problem, onOneDevice(problem, found.order));
    placed.evaluations = found.states;
    placed.bound = static_cast<double>(found.bound);
    return placed;
}

Result<Placement> runExact(const Problem& problem, const Request& request) {
    const TimeLimit limit(request.seconds.value_or(0.0), request.stop);
    return searchExactly(problem, {.objective = request.objective,
                                   .nodes = static_cast<std::uint64_t>(whole(request.parameters, "nodes")),
                                   .stop = limit.token()});
}

std::vector<ParameterInfo> exactParameters() {
    constexpr double Most = 1e15;
    return {{.name = "nodes",
             .title = "Nodes",
             .help = "the most nodes of search trees; 0: no limit",
             .defaultValue = std::int64_t{1'000'000},
             .minimum = 0,
             .maximum = Most}};
}

std::vector<ParameterInfo> frontierParameters() {
    constexpr double Most = 1e9;
    return {{.name = "states",
             .title = "States",
             .help = "the most sets of operations that are kept",
             .defaultValue = std::int64_t{500'000},
             .minimum = 1,
             .maximum = Most}};
}

}  // namespace

const std::vector<Strategy>& strategies() {
    static const std::vector<Strategy> all{
        {.name = "order",
         .title = "The program's own order",
         .description = "The order in which the operations are written; devices as a list schedule chooses them.",
         .run = runOwnOrder},
        {.name = "list",
         .title = "HLFET list scheduling",
         .description =
             "Whenever a device is free, it runs the ready operation with the longest chain of work behind it "
             "(Adam, Chandy and Dickson 1974).",
         .run = runList},
        {.name = "heft",
         .title = "HEFT",
         .description = "Operations by rank, each on the device and in the gap where it ends first, for devices of "
                        "different speeds (Topcuoglu, Hariri and Wu 2002).",
         .run = runHeft},
        {.name = "memory-greedy",
         .title = "Greedy memory order",
         .description = "At each step the operation and device for which the highest peak grows least.",
         .run = runMemoryGreedy},
        {.name = "xla",
         .title = "The best of XLA's three orders",
         .description = "List, depth-first and post-order, of which the public XLA compiler takes the best.",
         .run = runXla},
        {.name = "partition",
         .title = "Graph partitioning and depth-first order",
         .description = "Devices by METIS, so that few bytes cross them and each has its share; then the best of XLA's "
                        "three orders (GP+DFS of the REGAL paper).",
         .run = runPartition},
        {.name = "brkga",
         .title = "Biased random-key genetic algorithm",
         .description = "Evolves keys that are decoded into schedules (Gonçalves and Resende 2011; REGAL paper, "
                        "section 2). Starts from "
                        "the simple methods, for the memory of one device also from a short exact search, and is never "
                        "worse than they.",
         .isRandomized = true,
         .hasIslands = true,
         .parameters = geneticParameters(),
         .run = runGenetic},
        {.name = "brkga-tuned",
         .title = "Genetic algorithm with tuned parameters",
         .description =
             "The same with the parameters that were best on generated training graphs, as a baseline without "
             "learning.",
         .isRandomized = true,
         .hasIslands = true,
         .parameters = geneticParameters(TunedGenetic),
         .run = runGenetic},
        {.name = "brkga-learned",
         .title = "Genetic algorithm with a learned policy",
         .description = "A graph network that was trained on other graphs chooses for each operation from which "
                        "distributions mutants draw their keys (REGAL paper, section 3).",
         .isRandomized = true,
         .hasIslands = true,
         .parameters = learnedParameters(),
         .run = runLearned},
        {.name = "local-search",
         .title = "Local search",
         .description = "From random schedules, the best of all moves of one operation, as long as one improves (a "
                        "baseline of the REGAL paper).",
         .isRandomized = true,
         .run = runLocalSearch},
        {.name = "random",
         .title = "Random search",
         .description =
             "The best of many random schedules: one generation of the genetic algorithm with the keys of the "
             "REGAL paper, which it calls IDRS, before anything is learned.",
         .isRandomized = true,
         .run = runRandom},
        {.name = "frontier",
         .title = "Exact order of least memory",
         .description =
             "Dynamic programming over sets of operations, for the peak of one device; with a proof, or a bound "
             "where a limit ends it (Ahn et al. 2020).",
         .parameters = frontierParameters(),
         .run = runFrontier},
        {.name = "exact",
         .title = "Exact search",
         .description =
             "Looks for the best of all schedules and proves it, or gives a bound where a limit ends it: the "
             "constraint "
             "solver Gecode for the run time on equal devices with instant transfers, branch and bound for all else "
             "(about a dozen operations).",
         .parameters = exactParameters(),
         .run = runExact},
    };
    return all;
}

Result<Strategy> findStrategy(std::string_view name) {
    const auto found = std::ranges::find(strategies(), name, &Strategy::name);
    if (found != strategies().end()) return *found;
    std::string names;
    for (const Strategy& strategy : strategies()) names += (names.empty() ? "" : ", ") + strategy.name;
    return inputError(fmt::format("there is no strategy for schedules \"{}\"", name),
                      fmt::format("strategies: {}", names));
}

Result<Placement> place(const Strategy& strategy, const Problem& problem, Request request) {
    MITOS_TRY(request.parameters, resolveParameters(strategy.name, strategy.parameters, request.parameters));
    return strategy.run(problem, request);
}

}  // namespace mitos::search::placement
