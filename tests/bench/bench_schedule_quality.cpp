// SPDX-License-Identifier: GPL-3.0-or-later
// How far schedules of the genetic algorithm are above what is proven or planted:
// `schedule_quality [graphs] [seconds for each proof] [evaluations] [name=value…]` with parameters of the strategy.
#include "core/base/time_limit.h"
#include "core/schedule/generators.h"
#include "search/placement/exact.h"
#include "search/placement/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace mitos;
using namespace mitos::schedule;
using namespace mitos::search::placement;

struct Instance {
    TaskGraph graph;
    Machine machine;
    ModelOptions model = {};
    Objective objective = Objective::Runtime;
    double optimum = 0.0;  ///< 0: not known
};

struct Kind {
    const char* name;
    Instance (*make)(std::uint32_t operations, std::uint32_t devices, std::uint64_t seed);
};

/// The ways, densities and distributions of the Standard Task Graph Set in turn.
Instance standardInstance(std::uint32_t operations, std::uint32_t devices, std::uint64_t seed) {
    struct Way {
        StandardEdges edges;
        double density;
    };
    const std::vector<Way> ways{{StandardEdges::SameProbability, 0.1},     {StandardEdges::SamePredecessors, 1.0},
                                {StandardEdges::LayersByProbability, 0.1}, {StandardEdges::LayersByPredecessors, 1.0},
                                {StandardEdges::SameProbability, 0.2},     {StandardEdges::SamePredecessors, 3.0},
                                {StandardEdges::LayersByProbability, 0.2}, {StandardEdges::LayersByPredecessors, 3.0},
                                {StandardEdges::SamePredecessors, 5.0},    {StandardEdges::LayersByPredecessors, 5.0}};
    const Way& way = ways[seed % ways.size()];
    return {standardGraph({.edges = way.edges,
                           .durations = static_cast<StandardDurations>(seed / ways.size() % 3),
                           .operations = operations,
                           .density = way.density,
                           .meanDuration = seed % 2 == 0 ? 5.0 : 10.0},
                          seed),
            equalDevices(devices)};
}

Instance instanceOf(PlantedGraph planted, Objective objective) {
    return {std::move(planted.graph), std::move(planted.machine), planted.model, objective, planted.optimum};
}

PlantedOptions plantedOptions(std::uint32_t operations, std::uint32_t devices) {
    return {.devices = devices, .tasksPerDevice = std::max(1U, operations / devices)};
}

Instance plantedInstance(std::uint32_t operations, std::uint32_t devices, std::uint64_t seed) {
    return instanceOf(plantedGraph(plantedOptions(operations, devices), seed), Objective::Runtime);
}

/// A transfer takes about as long as an operation.
Instance transferInstance(std::uint32_t operations, std::uint32_t devices, std::uint64_t seed) {
    PlantedOptions options = plantedOptions(operations, devices);
    options.bandwidth = 50.0 * options.tasksPerDevice / options.length;
    return instanceOf(plantedGraph(options, seed), Objective::Runtime);
}

Instance memoryInstance(std::uint32_t operations, std::uint32_t devices, std::uint64_t seed) {
    return instanceOf(plantedMemoryGraph(plantedOptions(operations, devices), seed), Objective::Memory);
}

struct Mean {
    double sum = 0.0;
    double squares = 0.0;
    int count = 0;

    void add(double value) {
        sum += value;
        squares += value * value;
        ++count;
    }
    [[nodiscard]] double mean() const { return count == 0 ? 0.0 : sum / count; }
    /// Half of the 95 % interval.
    [[nodiscard]] double half() const {
        if (count < 2) return 0.0;
        const double variance = std::max(0.0, (squares - sum * mean()) / (count - 1));
        return 1.96 * std::sqrt(variance / count);
    }
};

struct Proof {
    double bound = 0.0;  ///< no schedule is shorter
    bool isOptimum = false;
};

/// A proof, or the bound that is proven, in that time.
Proof proofOf(const Problem& problem, double best, double seconds) {
    const double simple = runtimeBounds(problem).best();
    if (best <= simple) return {best, true};
    const TimeLimit limit(seconds, {});
    const auto found = searchExactly(problem, {.stop = limit.token()});
    if (!found) return {simple, false};
    if (found->isProven.value_or(false)) return {found->score.runtime, true};
    const double bound = std::max(simple, std::ceil(found->bound.value_or(0.0) - 1e-6));
    return {bound, best <= bound};
}

}  // namespace

int main(int argc, char** argv) {
    const int graphs = argc > 1 ? std::atoi(argv[1]) : 40;
    const double seconds = argc > 2 ? std::atof(argv[2]) : 3.0;
    const std::uint64_t evaluations = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 5'000;
    const Strategy strategy = *findStrategy("brkga");
    ParameterValues parameters;
    for (int i = 4; i < argc; ++i) {
        const std::string_view given = argv[i];
        const std::size_t equals = given.find('=');
        const auto info = std::ranges::find(strategy.parameters, given.substr(0, equals), &ParameterInfo::name);
        if (equals == std::string_view::npos || info == strategy.parameters.end()) {
            fmt::print(stderr, "{} is no parameter of {} with a value\n", given, strategy.name);
            return 2;
        }
        const auto value = parseParameter(*info, given.substr(equals + 1));
        if (!value) {
            fmt::print(stderr, "{}\n", value.error().message);
            return 2;
        }
        parameters.emplace(info->name, *value);
    }
    // The last column is the mean over all graphs, where what is not proven is compared with its bound.
    fmt::print("kind      tasks devices  proven  optimal  above %    +-       ms  at most %\n");
    for (const Kind& kind : {Kind{"standard", standardInstance}, Kind{"planted", plantedInstance},
                             Kind{"transfers", transferInstance}, Kind{"memory", memoryInstance}}) {
        for (const std::uint32_t operations : {50U, 100U}) {
            for (const std::uint32_t devices : {2U, 4U, 8U, 16U}) {
                Mean above;
                Mean atMost;
                int optimal = 0;
                double time = 0.0;
                for (int i = 1; i <= graphs; ++i) {
                    const auto seed = static_cast<std::uint64_t>(i);
                    const Instance instance = kind.make(operations, devices, seed);
                    const Problem problem = *Problem::make(instance.graph, instance.machine, instance.model);
                    const auto begin = std::chrono::steady_clock::now();
                    const Request request{.objective = instance.objective,
                                          .seed = seed,
                                          .evaluations = evaluations,
                                          .parameters = parameters};
                    const Placement found = *place(strategy, problem, request);
                    time += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
                    const double value = instance.objective == Objective::Memory ? static_cast<double>(found.score.peak)
                                                                                 : found.score.runtime;
                    const Proof proof =
                        instance.optimum != 0.0 ? Proof{instance.optimum, true} : proofOf(problem, value, seconds);
                    if (value < proof.bound - 1e-9) fmt::print("below the bound: {} {}\n", value, proof.bound);
                    const double percent = 100.0 * (value / proof.bound - 1.0);
                    atMost.add(percent);
                    if (!proof.isOptimum) continue;
                    above.add(percent);
                    optimal += percent < 1e-9 ? 1 : 0;
                }
                fmt::print("{:9} {:5} {:7} {:7} {:8}  {:7.3f} {:6.3f} {:7.1f}  {:7.3f}\n", kind.name, operations,
                           devices, above.count, optimal, above.mean(), above.half(), time / graphs, atMost.mean());
                std::fflush(stdout);
            }
        }
    }
    return 0;
}
