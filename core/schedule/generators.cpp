// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/generators.h"

#include "core/base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace mitos::schedule {

namespace {

constexpr std::uint32_t MostGenerated = 1'000'000;

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

double normal(Random& random) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * random.uniform());
}

/// About 50, whole, and at least 1.
std::uint32_t aboutFifty(Random& random) {
    return static_cast<std::uint32_t>(std::max(1.0, std::round(50.0 + 10.0 * normal(random))));
}

/// Each pair with a probability that may depend on it.
template <typename Probability>
Edges independentPairs(Random& random, std::uint32_t count, Probability probability) {
    Edges edges;
    for (std::uint32_t a = 0; a < count; ++a) {
        for (std::uint32_t b = a + 1; b < count; ++b) {
            if (random.chance(probability(a, b))) edges.emplace_back(a, b);
        }
    }
    return edges;
}

/// Each node is joined to two earlier ones, chosen by the number of their edges.
Edges preferentialPairs(Random& random, std::uint32_t count) {
    constexpr std::uint32_t EdgesOfNode = 2;
    Edges edges;
    std::vector<std::uint32_t> ends;  // each node once for each of its edges
    for (std::uint32_t node = 1; node < count; ++node) {
        std::set<std::uint32_t> chosen;
        while (chosen.size() < std::min(EdgesOfNode, node)) {
            const bool isUniform = node <= EdgesOfNode || ends.empty();
            chosen.insert(isUniform ? static_cast<std::uint32_t>(random.below(node)) : ends[random.below(ends.size())]);
        }
        for (const std::uint32_t other : chosen) {
            edges.emplace_back(other, node);
            ends.push_back(other);
            ends.push_back(node);
        }
    }
    return edges;
}

/// A ring in which each node is joined to the next two, where the far end of some edges is replaced.
Edges smallWorldPairs(Random& random, std::uint32_t count) {
    constexpr double Rewired = 0.3;
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    const auto ordered = [](std::uint32_t a, std::uint32_t b) { return std::pair(std::min(a, b), std::max(a, b)); };
    for (std::uint32_t node = 0; node < count; ++node) {
        for (std::uint32_t step = 1; step <= 2; ++step) {
            std::uint32_t other = (node + step) % count;
            if (random.chance(Rewired)) other = static_cast<std::uint32_t>(random.below(count));
            if (other != node) edges.insert(ordered(node, other));
        }
    }
    return {edges.begin(), edges.end()};
}

Edges pairsOf(Random& random, GraphFamily family, std::uint32_t count) {
    switch (family) {
        case GraphFamily::ErdosRenyi: break;
        case GraphFamily::BarabasiAlbert: return preferentialPairs(random, count);
        case GraphFamily::WattsStrogatz: return smallWorldPairs(random, count);
        case GraphFamily::StochasticBlocks:
            return independentPairs(random, count, [count](std::uint64_t a, std::uint64_t b) {
                return 4 * a / count == 4 * b / count ? 0.3 : 0.01;
            });
    }
    return independentPairs(random, count, [](std::uint32_t, std::uint32_t) { return 0.05; });
}

std::vector<std::uint32_t> shuffled(Random& random, std::uint32_t count) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

double standardDuration(Random& random, StandardDurations distribution, double mean) {
    switch (distribution) {
        case StandardDurations::Uniform: break;
        case StandardDurations::Exponential: return std::max(1.0, std::round(-mean * std::log(1.0 - random.uniform())));
        case StandardDurations::Normal: return std::max(1.0, std::round(mean + mean / 4.0 * normal(random)));
    }
    const auto most = static_cast<std::int64_t>(std::round(2.0 * mean - 1.0));
    return static_cast<double>(random.integer(1, std::max<std::int64_t>(most, 1)));
}

/// By operation, ascending: its layer. Each layer has an operation.
std::vector<std::uint32_t> drawnLayers(Random& random, std::uint32_t count, std::uint32_t layers) {
    std::vector<std::uint32_t> layer(count);
    for (std::uint32_t i = 0; i < count; ++i)
        layer[i] = i < layers ? i : static_cast<std::uint32_t>(random.below(layers));
    std::ranges::sort(layer);
    return layer;
}

/// Durations that follow the sizes of inputs and outputs.
void setDurationsBySizes(TaskGraph& graph, Random& random) {
    std::vector<double> bytes(graph.operations.size());
    for (const Tensor& tensor : graph.tensors) {
        const auto size = static_cast<double>(tensor.bytes);
        bytes[tensor.producer] += size;
        for (const std::uint32_t consumer : tensor.consumers) bytes[consumer] += size;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        graph.operations[i].duration = std::max(0.0, std::round(bytes[i] * (1.0 + 0.2 * normal(random))));
    }
}

/// An operation before all that wait for nothing, and one after all that nothing waits for.
void addSourceAndSink(TaskGraph& graph) {
    const auto count = static_cast<std::uint32_t>(graph.operations.size());
    std::vector<bool> waits(count);
    std::vector<bool> isAwaited(count);
    const auto note = [&](std::uint32_t first, std::uint32_t second) {
        isAwaited[first] = true;
        waits[second] = true;
    };
    for (const Tensor& tensor : graph.tensors) {
        for (const std::uint32_t consumer : tensor.consumers) note(tensor.producer, consumer);
    }
    for (const auto& [first, second] : graph.controlEdges) note(first, second);
    graph.operations.push_back({"source", 0.0});
    graph.operations.push_back({"sink", 0.0});
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!waits[i]) graph.controlEdges.emplace_back(count, i);
        if (!isAwaited[i]) graph.controlEdges.emplace_back(i, count + 1);
    }
}

}  // namespace

TaskGraph syntheticGraph(const SyntheticOptions& options, std::uint64_t seed) {
    Random random(seed);
    const auto drawn = static_cast<std::uint32_t>(random.integer(50, 200));
    const std::uint32_t count = std::min(options.operations == 0 ? drawn : options.operations, MostGenerated);
    const std::vector<std::uint32_t> place = shuffled(random, count);
    TaskGraph graph;
    for (std::uint32_t i = 0; i < count; ++i) {
        graph.operations.push_back({fmt::format("{}", i), static_cast<double>(aboutFifty(random))});
        graph.tensors.push_back({.bytes = aboutFifty(random), .producer = i});
    }
    for (const auto& [a, b] : pairsOf(random, options.family, count)) {
        const auto [first, second] = std::minmax(place[a], place[b]);
        if (random.chance(options.dataEdges)) {
            graph.tensors[first].consumers.push_back(second);
        } else {
            graph.controlEdges.emplace_back(first, second);
        }
    }
    if (options.durationsFollowSizes) setDurationsBySizes(graph, random);
    addSourceAndSink(graph);
    return graph;
}

TaskGraph standardGraph(const StandardOptions& options, std::uint64_t seed) {
    Random random(seed);
    const std::uint32_t count = std::min(options.operations, MostGenerated);
    const bool isLayered =
        options.edges == StandardEdges::LayersByProbability || options.edges == StandardEdges::LayersByPredecessors;
    const bool isProbability =
        options.edges == StandardEdges::SameProbability || options.edges == StandardEdges::LayersByProbability;
    std::vector<std::uint32_t> layer(count);
    std::iota(layer.begin(), layer.end(), 0U);
    if (isLayered) {
        const auto usual = static_cast<std::uint32_t>(std::round(std::sqrt(static_cast<double>(count))));
        layer = drawnLayers(random, count,
                            std::clamp(options.layers == 0 ? usual : options.layers, 1U, std::max(1U, count)));
    }
    TaskGraph graph;
    for (std::uint32_t i = 0; i < count; ++i) {
        const double duration = standardDuration(random, options.durations, std::max(1.0, options.meanDuration));
        graph.operations.push_back({fmt::format("{}", i + 1), duration});
        graph.tensors.push_back({.producer = i});
    }
    std::uint32_t earlier = 0;  // operations of earlier layers
    for (std::uint32_t i = 0; i < count; ++i) {
        while (layer[earlier] != layer[i]) ++earlier;
        const double probability =
            isProbability ? options.density : options.density / std::max(1.0, static_cast<double>(earlier));
        for (std::uint32_t before = 0; before < earlier; ++before) {
            if (random.chance(probability)) graph.tensors[before].consumers.push_back(i);
        }
    }
    std::erase_if(graph.tensors, [](const Tensor& tensor) { return tensor.consumers.empty(); });
    return graph;
}

PlantedGraph plantedGraph(const PlantedOptions& options, std::uint64_t seed) {
    struct Task {
        std::uint32_t start;
        std::uint32_t end;
    };
    Random random(seed);
    std::vector<Task> tasks;
    for (std::uint32_t d = 0; d < options.devices; ++d) {
        std::set<std::uint32_t> cuts{options.length};
        while (cuts.size() < std::min(options.tasksPerDevice, options.length)) {
            cuts.insert(1 + static_cast<std::uint32_t>(random.below(options.length)));
        }
        std::uint32_t start = 0;
        for (const std::uint32_t end : cuts) tasks.push_back({std::exchange(start, end), end});
    }
    const auto count = static_cast<std::uint32_t>(tasks.size());
    const std::vector<std::uint32_t> place = shuffled(random, count);
    PlantedGraph planted{.graph = {}, .optimum = static_cast<double>(options.length)};
    planted.graph.operations.resize(count);
    std::vector<std::set<std::uint32_t>> consumers(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        planted.graph.operations[place[i]] = {fmt::format("{}", place[i]),
                                              static_cast<double>(tasks[i].end - tasks[i].start)};
    }
    const auto edges = static_cast<std::uint64_t>(std::max(0.0, options.edgesPerTask) * count);
    for (std::uint64_t k = 0; k < edges && count > 1; ++k) {
        const std::size_t a = random.below(count);
        const std::size_t b = random.below(count);
        if (tasks[a].end <= tasks[b].start) consumers[place[a]].insert(place[b]);
        if (tasks[b].end <= tasks[a].start) consumers[place[b]].insert(place[a]);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (consumers[i].empty()) continue;
        planted.graph.tensors.push_back({.producer = i, .consumers = {consumers[i].begin(), consumers[i].end()}});
    }
    return planted;
}

}  // namespace mitos::schedule
