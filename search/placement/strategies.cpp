// SPDX-License-Identifier: GPL-3.0-or-later
// See strategies.h.
#include "search/placement/strategies.h"

#include "core/base/time_limit.h"
#include "search/placement/brkga.h"
#include "search/placement/exact.h"
#include "search/placement/frontier.h"
#include "search/placement/list_scheduling.h"
#include "search/placement/local_search.h"
#include "search/placement/memory_orders.h"
#include "search/placement/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace mitos::search::placement {

namespace {

using schedule::PerformanceModel;
using schedule::Problem;
using schedule::Schedule;

Placement single(const Problem& problem, Schedule schedule) {
    PerformanceModel model(problem);
    return evaluated(model, std::move(schedule));
}

/// The devices of a list schedule, which the orders for given devices start from.
std::vector<std::uint32_t> usualDevices(const Problem& problem) { return highestLevelFirst(problem).device; }

Schedule onOneDevice(const Problem& problem, std::span<const std::uint32_t> order) {
    return schedule::inOrder(std::vector<std::uint32_t>(problem.operationCount(), 0), order);
}

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

std::int64_t whole(const ParameterValues& values, const char* name) { return std::get<std::int64_t>(values.at(name)); }
double number(const ParameterValues& values, const char* name) { return std::get<double>(values.at(name)); }

/// Defaults of the parameters that tuning changes.
struct BrkgaDefaults {
    std::int64_t population = 100;
    std::int64_t elites = 20;
    std::int64_t mutants = 20;
    double inheritance = 0.7;
};
/// The best of a grid on training graphs (resources/decisions.md, "Parameters of brkga-tuned").
constexpr BrkgaDefaults Tuned{.population = 100, .elites = 30, .mutants = 5, .inheritance = 0.7};

std::vector<ParameterInfo> brkgaParameters(const BrkgaDefaults& defaults = {}) {
    constexpr double Most = 100'000.0;
    return {{.name = "decode",
             .title = "Keys mean",
             .help = "finish: a priority for each operation, which goes where it ends first; paper: affinities to the "
                     "devices and priorities; usual: finish for run time, paper for memory",
             .defaultValue = std::string("usual"),
             .choices = {"usual", "finish", "paper"}},
            {.name = "starts",
             .title = "Start from heuristics",
             .help = "whether schedules of simple methods are among the first individuals",
             .defaultValue = true},
            {.name = "population",
             .title = "Population",
             .help = "individuals of an island",
             .defaultValue = defaults.population,
             .minimum = 4,
             .maximum = Most},
            {.name = "elites",
             .title = "Elites",
             .help = "the best ones, which survive",
             .defaultValue = defaults.elites,
             .minimum = 1,
             .maximum = Most},
            {.name = "mutants",
             .title = "Mutants",
             .help = "new ones in each generation",
             .defaultValue = defaults.mutants,
             .minimum = 0,
             .maximum = Most},
            {.name = "inheritance",
             .title = "Inheritance",
             .help = "the probability that a child has the key of its elite parent",
             .defaultValue = defaults.inheritance,
             .minimum = 0.0,
             .maximum = 1.0},
            {.name = "islands",
             .title = "Islands",
             .help = "populations side by side, which exchange their best and may be shared by several processes",
             .defaultValue = std::int64_t{1},
             .minimum = 1,
             .maximum = 1024},
            {.name = "distinct",
             .title = "Distinct elites",
             .help = "whether individuals that mean the schedule of a better one rank behind all others",
             .defaultValue = false},
            {.name = "justify",
             .title = "Justify schedules",
             .help = "whether each schedule is shifted to its end and back to its start, which counts as three "
                     "evaluations; for run time with instant transfers, no limit of memory, and keys of finish",
             .defaultValue = true},
            {.name = "shake",
             .title = "Shake after",
             .help = "generations without an improvement after which the elites are shaken; 0: never",
             .defaultValue = std::int64_t{0},
             .minimum = 0,
             .maximum = Most},
            {.name = "relink",
             .title = "Relink after",
             .help = "generations after which the children lie on a path from the best individual to another good one; "
                     "0: never",
             .defaultValue = std::int64_t{0},
             .minimum = 0,
             .maximum = Most},
            {.name = "checkpoint",
             .title = "Checkpoint",
             .help = "a file that keeps the state of the search, which goes on from it if it is there; empty: none",
             .defaultValue = std::string()}};
}

/// The schedules of the simple methods.
std::vector<Schedule> heuristics(const Problem& problem, Objective objective) {
    std::vector<Schedule> starts;
    starts.push_back(highestLevelFirst(problem));
    starts.push_back(earliestFinish(problem));
    if (objective == Objective::Memory || std::ranges::any_of(problem.machine().devices, [](const auto& device) {
            return device.memory != schedule::UnlimitedMemory;
        })) {
        starts.push_back(greedyMemory(problem));
        starts.push_back(bestOfXla(problem, usualDevices(problem), Objective::Memory).schedule);
        starts.push_back(onOneDevice(problem, problem.topologicalOrder()));
    }
    if (problem.deviceCount() > 1) {
        // A graph that METIS refuses is no reason to refuse the others.
        if (auto parts = partitionAndOrder(problem, {.objective = objective}))
            starts.push_back(std::move(parts->schedule));
    }
    return starts;
}

random_keys::Limits limitsOf(const Request& request) {
    random_keys::Limits limits{.evaluations = request.evaluations, .stop = request.stop};
    if (request.seconds) {
        limits.deadline =
            std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                   std::chrono::duration<double>(*request.seconds));
    }
    return limits;
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

Result<Placement> runBrkga(const Problem& problem, const Request& request) {
    const ParameterValues& values = request.parameters;
    const std::string& decode = std::get<std::string>(values.at("decode"));
    const bool isForTime = request.objective == Objective::Runtime;
    BrkgaOptions options{
        .objective = request.objective,
        .decode = decode == "finish" || (decode == "usual" && isForTime) ? Decode::EarliestFinish : Decode::Paper,
        .settings = {.seed = request.seed,
                     .population = static_cast<std::uint32_t>(whole(values, "population")),
                     .elites = static_cast<std::uint32_t>(whole(values, "elites")),
                     .mutants = static_cast<std::uint32_t>(whole(values, "mutants")),
                     .inheritance = number(values, "inheritance"),
                     .islands = static_cast<std::uint32_t>(whole(values, "islands")),
                     .shakeAfter = static_cast<std::uint32_t>(whole(values, "shake")),
                     .relinkEvery = static_cast<std::uint32_t>(whole(values, "relink"))},
        .ranksDuplicatesLast = std::get<bool>(values.at("distinct")),
        .justifies = std::get<bool>(values.at("justify")),
        .threads = request.threads,
        .checkpoint = std::get<std::string>(values.at("checkpoint")),
        .team = request.team};
    if (request.team != nullptr && request.team->size() > options.settings.islands) {
        const std::uint32_t islands = options.settings.islands;
        return inputError(fmt::format("{} processes cannot share {} island{}", request.team->size(), islands,
                                      islands == 1 ? "" : "s"),
                          fmt::format("--set islands={} or more, or start fewer processes", request.team->size()));
    }
    std::optional<double> bound;
    std::vector<Schedule> starts;
    if (std::get<bool>(values.at("starts"))) {
        starts = heuristics(problem, request.objective);
        if (problem.deviceCount() == 1 && !isForTime) {
            constexpr std::size_t QuickStates = 50'000;
            const MemoryOrder exact = leastMemoryOrder(problem, {.states = QuickStates, .stop = request.stop});
            starts.push_back(onOneDevice(problem, exact.order));
            bound = static_cast<double>(exact.bound);
        }
    }
    // A small first generation holds only some of them.
    const std::size_t room = std::min<std::size_t>(starts.size(), options.settings.population);
    options.starts.assign(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(room));
    MITOS_TRY(Placement found, searchByRandomKeys(problem, options, limitsOf(request), request.observer));
    // The decode may not express a start exactly.
    PerformanceModel model(problem);
    for (Schedule& start : starts) {
        Placement own = evaluated(model, std::move(start));
        if (fitnessOf(own.score, request.objective) >= fitnessOf(found.score, request.objective)) continue;
        own.evaluations = found.evaluations;
        found = std::move(own);
    }
    found.bound = bound;
    return found;
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
         .parameters = brkgaParameters(),
         .run = runBrkga},
        {.name = "brkga-tuned",
         .title = "Genetic algorithm with tuned parameters",
         .description =
             "The same with the parameters that were best on generated training graphs, as a baseline without "
             "learning.",
         .isRandomized = true,
         .hasIslands = true,
         .parameters = brkgaParameters(Tuned),
         .run = runBrkga},
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
