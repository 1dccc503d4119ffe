// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/partition.h"

#include "search/placement/memory_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <metis.h>
#include <mutex>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

namespace mitos::search::placement {

namespace {

using schedule::Problem;

/// METIS adds weights up in its integers, which have 32 bits in Debian.
constexpr double MostTotal = 1e9;

/// Weights in proportion, with a sum that METIS can hold. All are equal if none says anything.
std::vector<idx_t> scaled(std::span<const double> weights, idx_t least) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double most = MostTotal - static_cast<double>(weights.size()) * static_cast<double>(least);
    const bool areWhole = std::ranges::all_of(weights, [](double weight) { return weight == std::floor(weight); });
    const double scale = total > 0.0 && (total > most || !areWhole) ? most / total : 1.0;
    std::vector<idx_t> whole;
    whole.reserve(weights.size());
    for (const double weight : weights)
        whole.push_back(total > 0.0 ? std::max(least, static_cast<idx_t>(weight * scale)) : 1);
    return whole;
}

/// The graph in METIS's compressed form: each edge stands at both of its ends.
struct MetisGraph {
    std::vector<idx_t> begin{0};
    std::vector<idx_t> neighbours;
    std::vector<idx_t> edgeWeights;
    std::vector<idx_t> weights;
};

MetisGraph metisGraphOf(const Problem& problem, Objective objective) {
    const std::uint32_t count = problem.operationCount();
    std::vector<std::map<std::uint32_t, double>> bytes(count);
    std::vector<double> weights(count);
    for (std::uint32_t tensor = 0; tensor < problem.tensorCount(); ++tensor) {
        const std::uint32_t producer = problem.producerOf(tensor);
        const auto size = static_cast<double>(problem.bytesOf(tensor));
        if (objective == Objective::Memory) weights[producer] += size;
        for (const std::uint32_t consumer : problem.consumersOf(tensor)) {
            bytes[producer][consumer] += size;
            bytes[consumer][producer] += size;
        }
    }
    if (objective == Objective::Runtime) {
        for (std::uint32_t i = 0; i < count; ++i) weights[i] = problem.graph().operations[i].duration;
    }
    MetisGraph graph;
    std::vector<double> edgeWeights;
    for (const std::map<std::uint32_t, double>& neighbours : bytes) {
        for (const auto& [other, size] : neighbours) {
            graph.neighbours.push_back(static_cast<idx_t>(other));
            edgeWeights.push_back(size);
        }
        graph.begin.push_back(static_cast<idx_t>(graph.neighbours.size()));
    }
    // An edge without weight is not allowed.
    graph.edgeWeights = scaled(edgeWeights, 1);
    graph.weights = scaled(weights, 0);
    return graph;
}

/// The share of each of the devices in the given order.
std::vector<real_t> sharesOf(const Problem& problem, std::span<const std::uint32_t> devices, Objective objective) {
    const auto& all = problem.machine().devices;
    const bool isByMemory = objective == Objective::Memory && std::ranges::all_of(all, [](const auto& device) {
                                return device.memory != schedule::UnlimitedMemory && device.memory != 0;
                            });
    std::vector<double> amounts;
    for (const std::uint32_t d : devices) {
        const double equal = objective == Objective::Runtime ? all[d].speed : 1.0;
        amounts.push_back(isByMemory ? static_cast<double>(all[d].memory) : equal);
    }
    const double total = std::accumulate(amounts.begin(), amounts.end(), 0.0);
    std::vector<real_t> shares;
    for (const double amount : amounts) shares.push_back(static_cast<real_t>(amount / total));
    return shares;
}

/// METIS draws from rand(), which it seeds first and which all threads share: two calls at a time would give other partitions.
std::mutex& metisInUse() {
    static std::mutex mutex;
    return mutex;
}

std::string_view errorText(int code) {
    if (code == METIS_ERROR_MEMORY) return "there was not enough memory";
    return code == METIS_ERROR_INPUT ? "it refused the graph" : "it gave no reason";
}

}  // namespace

Result<std::vector<std::uint32_t>> partitioned(const Problem& problem, const PartitionOptions& options) {
    const std::uint32_t count = problem.operationCount();
    std::vector<std::uint32_t> devices(problem.deviceCount());
    std::iota(devices.begin(), devices.end(), 0U);
    std::ranges::stable_sort(devices, std::greater<>(),
                             [&](std::uint32_t d) { return problem.machine().devices[d].speed; });
    devices.resize(std::min<std::size_t>(devices.size(), count));
    std::vector<std::uint32_t> device(count, devices.front());
    if (devices.size() == 1) return device;
    if (devices.size() == count) {
        for (std::uint32_t i = 0; i < count; ++i) device[i] = devices[i];
        return device;
    }
    MetisGraph graph = metisGraphOf(problem, options.objective);
    if (graph.neighbours.size() > static_cast<std::size_t>(MostTotal)) {
        return Error{ErrorCode::Limit,
                     fmt::format("a graph with {} edges is too large to be partitioned", graph.neighbours.size() / 2)};
    }
    std::array<idx_t, METIS_NOPTIONS> settings{};
    METIS_SetDefaultOptions(settings.data());
    settings[METIS_OPTION_SEED] = static_cast<idx_t>(options.seed & 0x7FFFFFFFU);
    auto vertices = static_cast<idx_t>(count);
    idx_t constraints = 1;
    auto parts = static_cast<idx_t>(devices.size());
    idx_t cut = 0;
    std::vector<real_t> shares = sharesOf(problem, devices, options.objective);
    std::vector<idx_t> part(count);
    // Arrays without elements must have an address, too.
    graph.neighbours.push_back(0);
    graph.edgeWeights.push_back(1);
    constexpr idx_t MostBisected = 8;
    const auto partition = parts <= MostBisected ? METIS_PartGraphRecursive : METIS_PartGraphKway;
    const std::scoped_lock lock(metisInUse());
    const int code =
        partition(&vertices, &constraints, graph.begin.data(), graph.neighbours.data(), graph.weights.data(), nullptr,
                  graph.edgeWeights.data(), &parts, shares.data(), nullptr, settings.data(), &cut, part.data());
    if (code != METIS_OK) {
        return Error{ErrorCode::Evaluation, fmt::format("METIS could not partition the graph: {}", errorText(code)),
                     std::nullopt, "try another strategy, or fewer devices"};
    }
    for (std::uint32_t i = 0; i < count; ++i) device[i] = devices[static_cast<std::size_t>(part[i])];
    return device;
}

Result<Placement> partitionAndOrder(const Problem& problem, const PartitionOptions& options) {
    MITOS_TRY(const std::vector<std::uint32_t> device, partitioned(problem, options));
    return bestOfXla(problem, device, options.objective);
}

}  // namespace mitos::search::placement
