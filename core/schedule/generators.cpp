// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/generators.h"

#include "core/base/random.h"
#include "core/schedule/performance_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
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

/// An operation of the planted schedule.
struct PlantedTask {
    std::uint32_t device;
    std::uint32_t start;
    std::uint32_t end;
};

/// Each device is filled without gaps.
std::vector<PlantedTask> packedTasks(const PlantedOptions& options, Random& random) {
    std::vector<PlantedTask> tasks;
    for (std::uint32_t d = 0; d < options.devices; ++d) {
        std::set<std::uint32_t> cuts{options.length};
        while (cuts.size() < std::min(options.tasksPerDevice, options.length)) {
            cuts.insert(1 + static_cast<std::uint32_t>(random.below(options.length)));
        }
        std::uint32_t start = 0;
        for (const std::uint32_t end : cuts) tasks.push_back({d, std::exchange(start, end), end});
    }
    return tasks;
}

/// The transfers of a planted schedule, on links that carry one at a time.
class PlantedTransfers {
public:
    struct Transfer {
        std::uint32_t producer;
        std::uint32_t to;
        double start;
        double end;
    };

    /// Whether the tensor of an operation that runs on `from` until `made` is on another device at a time, after its first transfer, which is
    /// planned here if it is possible.
    bool isThere(std::uint32_t producer, std::uint32_t from, std::uint32_t to, double made, double duration,
                 double time) {
        if (const auto known = m_number.find({producer, to}); known != m_number.end())
            return m_all[known->second].end <= time;
        std::map<double, double>& link = m_links[{from, to}];
        double start = made;
        auto next = link.upper_bound(start);
        if (next != link.begin()) start = std::max(start, std::prev(next)->second);
        while (next != link.end() && next->first < start + duration) start = std::max(start, (next++)->second);
        if (!(start + duration <= time)) return false;
        link.emplace(start, start + duration);
        m_number.emplace(std::pair(producer, to), m_all.size());
        m_all.push_back({producer, to, start, start + duration});
        return true;
    }
    [[nodiscard]] const std::vector<Transfer>& all() const { return m_all; }

private:
    using Pair = std::pair<std::uint32_t, std::uint32_t>;

    std::map<Pair, std::map<double, double>> m_links;  ///< by devices: starts and ends
    std::map<Pair, std::size_t> m_number;              ///< by operation and device
    std::vector<Transfer> m_all;
};

/// Priorities by the starts in the planted schedule: then the performance model starts nothing later.
void setPriorities(PlantedGraph& planted, const std::vector<PlantedTask>& tasks,
                   const std::vector<std::uint32_t>& place, const PlantedTransfers& transfers) {
    std::vector<std::uint32_t> tensorOf(tasks.size());
    for (std::uint32_t t = 0; t < planted.graph.tensors.size(); ++t) tensorOf[planted.graph.tensors[t].producer] = t;
    const std::size_t devices = planted.machine.devices.size();
    std::vector<std::pair<double, float*>> starts;
    planted.schedule.device.resize(tasks.size());
    planted.schedule.priority.resize(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        planted.schedule.device[place[i]] = tasks[i].device;
        starts.emplace_back(tasks[i].start, &planted.schedule.priority[place[i]]);
    }
    if (planted.machine.transfers != TransferMode::Instant) {
        planted.schedule.transferPriority.resize(planted.graph.tensors.size() * devices);
        for (const PlantedTransfers::Transfer& transfer : transfers.all()) {
            const std::size_t at = tensorOf[transfer.producer] * devices + transfer.to;
            starts.emplace_back(transfer.start, &planted.schedule.transferPriority[at]);
        }
    }
    std::ranges::stable_sort(starts, {}, [](const auto& one) { return one.first; });
    for (std::size_t k = 0; k < starts.size(); ++k) *starts[k].second = -static_cast<float>(k);
}

PlantedGraph plantedRuntime(const PlantedOptions& options, Random& random, bool hasBytes) {
    const std::vector<PlantedTask> tasks = packedTasks(options, random);
    const auto count = static_cast<std::uint32_t>(tasks.size());
    const std::vector<std::uint32_t> place = shuffled(random, count);
    PlantedGraph planted{.graph = {},
                         .machine = equalDevices(options.devices),
                         .model = {},
                         .schedule = {},
                         .optimum = static_cast<double>(options.length)};
    planted.machine.latency = options.latency;
    planted.machine.bandwidth = options.bandwidth;
    const bool isTimed = options.latency != 0.0 || options.bandwidth != std::numeric_limits<double>::infinity();
    if (isTimed) planted.machine.transfers = TransferMode::Async;
    planted.graph.operations.resize(count);
    std::vector<std::uint64_t> bytes(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        planted.graph.operations[place[i]] = {fmt::format("{}", place[i]),
                                              static_cast<double>(tasks[i].end - tasks[i].start)};
        if (hasBytes) bytes[place[i]] = aboutFifty(random);
    }
    PlantedTransfers transfers;
    std::vector<std::set<std::uint32_t>> consumers(count);
    const auto addIfPossible = [&](std::size_t a, std::size_t b) {
        if (tasks[a].end > tasks[b].start) return;
        const std::uint32_t producer = place[a];
        if (isTimed && tasks[a].device != tasks[b].device) {
            const double duration = options.latency + static_cast<double>(bytes[producer]) / options.bandwidth;
            if (!transfers.isThere(producer, tasks[a].device, tasks[b].device, tasks[a].end, duration, tasks[b].start))
                return;
        }
        consumers[producer].insert(place[b]);
    };
    const auto edges = static_cast<std::uint64_t>(std::max(0.0, options.edgesPerTask) * count);
    for (std::uint64_t k = 0; k < edges && count > 1; ++k) {
        const std::size_t a = random.below(count);
        const std::size_t b = random.below(count);
        addIfPossible(a, b);
        addIfPossible(b, a);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (consumers[i].empty()) continue;
        planted.graph.tensors.push_back(
            {.bytes = bytes[i], .producer = i, .consumers = {consumers[i].begin(), consumers[i].end()}});
    }
    setPriorities(planted, tasks, place, transfers);
    return planted;
}

Result<Timeline> timelineOf(const PlantedGraph& planted) {
    MITOS_TRY(const Problem problem, Problem::make(planted.graph, planted.machine, planted.model));
    return timelineOf(problem, planted.schedule);
}

/// The most bytes in use on the device of an operation from its start to its end, both included.
std::uint64_t mostInUse(const Timeline& timeline, const OperationRun& run) {
    const std::vector<MemoryStep>& steps = timeline.memory[run.device];
    auto step = std::ranges::lower_bound(steps, run.start, {}, &MemoryStep::time);
    std::uint64_t most = step == steps.begin() ? 0 : std::prev(step)->bytes;
    for (; step != steps.end() && step->time <= run.end; ++step) most = std::max(most, step->bytes);
    return most;
}

/// The graph in which one operation uses all that is in the memory of its device, and where outputs without use fill the memory up to the
/// peak.
TaskGraph filledGraph(const PlantedGraph& planted, const Timeline& timeline, std::uint32_t chosen, std::uint64_t peak) {
    TaskGraph graph = planted.graph;
    const OperationRun& run = timeline.operations[chosen];
    std::uint64_t own = 0;
    for (Tensor& tensor : graph.tensors) {
        const bool isNeeded = std::ranges::any_of(tensor.consumers, [&](std::uint32_t consumer) {
            const OperationRun& use = timeline.operations[consumer];
            return use.device == run.device && use.start >= run.start;
        });
        if (isNeeded && timeline.operations[tensor.producer].end <= run.start) {
            own += tensor.bytes;
            const auto at = std::ranges::lower_bound(tensor.consumers, chosen);
            if (at == tensor.consumers.end() || *at != chosen) tensor.consumers.insert(at, chosen);
        } else if (tensor.producer == chosen) {
            own += tensor.bytes;
        }
    }
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        const std::uint64_t used = i == chosen ? own : mostInUse(timeline, timeline.operations[i]);
        if (used < peak) graph.tensors.push_back({.bytes = peak - used, .producer = i});
    }
    return graph;
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

TaskGraph withNoise(TaskGraph graph, double amount, std::uint64_t seed) {
    // Far from where a number of bytes would not be exact.
    constexpr double LargestSize = 0x1.0p53;
    if (amount == 0.0) return graph;
    Random random(seed);
    const auto scaled = [&](double own, double largest) {
        const double factor = std::exp(amount * normal(random));
        return own == 0.0 ? 0.0 : std::min(own * factor, std::max(own, largest));
    };
    for (Operation& operation : graph.operations) operation.duration = scaled(operation.duration, LongestDuration);
    for (Tensor& tensor : graph.tensors) {
        const double noisy = std::round(scaled(static_cast<double>(tensor.bytes), LargestSize));
        if (tensor.bytes != 0) tensor.bytes = static_cast<std::uint64_t>(std::max(noisy, 1.0));
    }
    return graph;
}

PlantedGraph plantedGraph(const PlantedOptions& options, std::uint64_t seed) {
    const bool hasTransfers = options.latency != 0.0 || options.bandwidth != std::numeric_limits<double>::infinity();
    Random random(seed);
    return plantedRuntime(options, random, hasTransfers);
}

PlantedGraph plantedMemoryGraph(const PlantedOptions& options, std::uint64_t seed) {
    PlantedOptions instant = options;
    instant.latency = 0.0;
    instant.bandwidth = std::numeric_limits<double>::infinity();
    Random random(seed);
    PlantedGraph planted = plantedRuntime(instant, random, true);
    planted.model.retainOutputs = false;
    planted.optimum = 0.0;
    const Result<Timeline> timeline = timelineOf(planted);
    if (!timeline) return planted;  // a graph without operations
    const std::uint64_t peak = timeline->highestPeak();
    planted.optimum = static_cast<double>(peak);
    // The last operation of a device is always possible: nothing comes to its device while it runs.
    const auto count = static_cast<std::uint32_t>(planted.graph.operations.size());
    constexpr int Tries = 10;
    for (int k = 0; k < Tries; ++k) {
        TaskGraph graph = filledGraph(planted, *timeline, static_cast<std::uint32_t>(random.below(count)), peak);
        std::swap(graph, planted.graph);
        if (const auto filled = timelineOf(planted); filled && filled->highestPeak() == peak) return planted;
        std::swap(graph, planted.graph);
    }
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (timeline->operations[i].end > timeline->operations[last].end) last = i;
    }
    planted.graph = filledGraph(planted, *timeline, last, peak);
    return planted;
}

}  // namespace mitos::schedule
