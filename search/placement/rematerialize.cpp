// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/rematerialize.h"

#include "search/placement/frontier.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

namespace mitos::search::placement {

namespace {

using schedule::Problem;
using schedule::Recomputation;
using schedule::RematerializedGraph;

/// So many of the largest tensors at a highest point are tried.
constexpr std::size_t MostCandidates = 32;

Problem problemOf(const RematerializedGraph& graph, const schedule::ModelOptions& options) {
    auto problem = Problem::make(graph.graph, schedule::equalDevices(1), options);
    assert(problem.ok());
    return *std::move(problem);
}

/// Memory along an order.
struct Profile {
    std::vector<std::uint64_t> during;  ///< by place in the order
    std::uint64_t peak = 0;

    Profile(const Problem& problem, std::span<const std::uint32_t> order) {
        std::vector<std::size_t> open(problem.tensorCount());
        for (std::uint32_t t = 0; t < problem.tensorCount(); ++t) open[t] = problem.consumersOf(t).size();
        std::uint64_t inUse = 0;
        const auto release = [&](std::uint32_t tensor) {
            if (open[tensor] == 0 && !problem.isRetained(tensor)) inUse -= problem.bytesOf(tensor);
        };
        for (const std::uint32_t operation : order) {
            for (const std::uint32_t tensor : problem.outputsOf(operation)) inUse += problem.bytesOf(tensor);
            during.push_back(inUse);
            peak = std::max(peak, inUse);
            for (const std::uint32_t tensor : problem.inputsOf(operation)) {
                --open[tensor];
                release(tensor);
            }
            for (const std::uint32_t tensor : problem.outputsOf(operation)) release(tensor);
        }
    }
    [[nodiscard]] std::size_t firstPeak() const {
        return static_cast<std::size_t>(std::ranges::find(during, peak) - during.begin());
    }
    [[nodiscard]] auto peaks() const { return std::ranges::count(during, peak); }
};

class Rematerializer {
public:
    Rematerializer(const Problem& problem, std::vector<std::uint32_t> order, const RematerializationOptions& options)
        : m_modelOptions(problem.options()),
          m_options(options),
          m_current{schedule::withoutRecomputation(problem.graph()), std::move(order)} {}

    Rematerialization run() {
        const std::uint64_t before = std::get<0>(valueOf(m_current));
        m_best = m_current;
        while (!m_options.stop.stop_requested() && improve()) {
        }
        const std::uint64_t peak = std::get<0>(valueOf(m_best));
        return {std::move(m_best.graph), std::move(m_best.order), before, peak};
    }

private:
    struct State {
        RematerializedGraph graph;
        std::vector<std::uint32_t> order;
    };
    using Value = std::tuple<std::uint64_t, std::ptrdiff_t, double>;  // peak, its places, added time

    [[nodiscard]] Value valueOf(const State& state) const {
        const Profile profile(problemOf(state.graph, m_modelOptions), state.order);
        return {profile.peak, profile.peaks(), state.graph.addedDuration};
    }

    /// Takes the best candidate. Returns whether one lowers the peak, or the number of places that have it.
    bool improve() {
        const Problem problem = problemOf(m_current.graph, m_modelOptions);
        const Profile profile(problem, m_current.order);
        const Value now{profile.peak, profile.peaks(), m_current.graph.addedDuration};
        const std::size_t place = profile.firstPeak();
        std::optional<State> best;
        Value bestValue = now;
        for (const std::uint32_t tensor : waitingAt(problem, place)) {
            if (m_options.stop.stop_requested()) break;
            for (const bool isDeep : {false, true}) {
                std::optional<State> tried = recomputed(problem, tensor, place, isDeep);
                if (!tried || tried->graph.addedDuration > m_options.mostAdded) continue;
                // Never better by time alone: each candidate adds some.
                const Value value = valueOf(*tried);
                if (value >= bestValue) continue;
                bestValue = value;
                best = std::move(tried);
            }
        }
        if (!best) return false;
        m_current = *std::move(best);
        reorder(std::get<0>(bestValue));
        if (std::get<0>(bestValue) < std::get<0>(now)) m_best = m_current;
        return true;
    }

    /// Looks for a better order of the graph.
    void reorder(std::uint64_t peak) {
        if (m_options.states == 0) return;
        const MemoryOrder found = leastMemoryOrder(problemOf(m_current.graph, m_modelOptions),
                                                   {.states = m_options.states, .stop = m_options.stop});
        if (found.peak < peak) m_current.order = found.order;
    }

    /// The tensors that are in memory at a place of the order, were used before, and are used after it but not there; the largest first.
    [[nodiscard]] std::vector<std::uint32_t> waitingAt(const Problem& problem, std::size_t place) const {
        const std::vector<std::size_t> places = placesOf(m_current.order);
        std::vector<std::uint32_t> waiting;
        for (std::uint32_t t = 0; t < problem.tensorCount(); ++t) {
            bool isUsedBefore = false;
            bool isUsedThere = false;
            bool isUsedAfter = false;
            for (const std::uint32_t consumer : problem.consumersOf(t)) {
                isUsedBefore = isUsedBefore || places[consumer] < place;
                isUsedThere = isUsedThere || places[consumer] == place;
                isUsedAfter = isUsedAfter || places[consumer] > place;
            }
            if (isUsedBefore && !isUsedThere && isUsedAfter && problem.bytesOf(t) > 0 && canRepeat(problem, t))
                waiting.push_back(t);
        }
        std::ranges::stable_sort(waiting, std::greater<>(),
                                 [&problem](std::uint32_t tensor) { return problem.bytesOf(tensor); });
        waiting.resize(std::min(waiting.size(), MostCandidates));
        return waiting;
    }
    static bool canRepeat(const Problem& problem, std::uint32_t tensor) {
        const std::uint32_t producer = problem.producerOf(tensor);
        return !problem.isRetained(tensor) && problem.outputsOf(producer).size() == 1 &&
               !problem.inputsOf(producer).empty();
    }
    static std::vector<std::size_t> placesOf(std::span<const std::uint32_t> order) {
        std::vector<std::size_t> places(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
        return places;
    }

    /// The graph and order in which a tensor is made again before its first use after the place. With `isDeep`, inputs that would have to be kept for
    /// that are made again, too.
    [[nodiscard]] std::optional<State> recomputed(const Problem& problem, std::uint32_t tensor, std::size_t place,
                                                  bool isDeep) const {
        State state = m_current;
        const std::vector<std::size_t> places = placesOf(m_current.order);
        const auto isLater = [&](std::uint32_t operation) {
            return operation >= places.size() || places[operation] > place;
        };
        std::size_t insertAt = m_current.order.size();
        for (const std::uint32_t consumer : problem.consumersOf(tensor)) {
            if (isLater(consumer)) insertAt = std::min(insertAt, places[consumer]);
        }
        std::vector<std::uint32_t> added;  // the last one runs first
        // By place, the last one first: whatever uses a tensor is added before it, so that each is made again once.
        const auto placed = [&](std::uint32_t made) { return std::pair(places[problem.producerOf(made)], made); };
        std::set<std::pair<std::size_t, std::uint32_t>> open{placed(tensor)};
        while (!open.empty()) {
            if (m_options.stop.stop_requested() || state.graph.addedDuration > m_options.mostAdded) return std::nullopt;
            const std::uint32_t next = open.rbegin()->second;
            open.erase(std::prev(open.end()));
            Recomputation recomputation{.tensor = next};
            for (const std::uint32_t consumer : state.graph.graph.tensors[next].consumers) {
                if (isLater(consumer)) recomputation.consumers.push_back(consumer);
            }
            const std::uint32_t producer = problem.producerOf(next);
            const std::span<const std::uint32_t> inputs = problem.inputsOf(producer);
            for (const std::uint32_t input : inputs) {
                recomputation.inputs.push_back(copyBefore(problem, state.graph, input, places, place, insertAt));
            }
            const std::vector<std::uint32_t> used = recomputation.inputs;
            auto graph = schedule::withRecomputation(std::move(state.graph), recomputation);
            if (!graph) return std::nullopt;
            state.graph = *std::move(graph);
            added.push_back(static_cast<std::uint32_t>(state.graph.graph.operations.size() - 1));
            if (!isDeep) continue;
            for (const std::uint32_t input : used) {
                // An input that is there after the place in any case is used as it is.
                const bool isKept = input >= problem.tensorCount() || places[problem.producerOf(input)] > place ||
                                    !canRepeat(problem, input) ||
                                    std::ranges::any_of(problem.consumersOf(input), [&](std::uint32_t consumer) {
                                        return places[consumer] >= place;
                                    });
                if (!isKept) open.insert(placed(input));
            }
        }
        if (isDeep && added.size() == 1) return std::nullopt;  // the same as without
        sortByNeed(state, added);
        state.order.insert(state.order.begin() + static_cast<std::ptrdiff_t>(insertAt), added.begin(), added.end());
        return state;
    }

    /// The new operations, each after those whose tensors it uses; the last one first where both may be.
    static void sortByNeed(const State& state, std::vector<std::uint32_t>& added) {
        std::ranges::reverse(added);
        absl::flat_hash_map<std::uint32_t, std::uint32_t> numbers;
        for (const std::uint32_t operation : added)
            numbers.emplace(operation, static_cast<std::uint32_t>(numbers.size()));
        std::vector<std::vector<std::uint32_t>> users(added.size());
        std::vector<std::uint32_t> waits(added.size(), 0);
        for (const schedule::Tensor& tensor : state.graph.graph.tensors) {
            const auto producer = numbers.find(tensor.producer);
            if (producer == numbers.end()) continue;
            for (const std::uint32_t consumer : tensor.consumers) {
                const auto user = numbers.find(consumer);
                if (user == numbers.end()) continue;
                users[producer->second].push_back(user->second);
                ++waits[user->second];
            }
        }
        std::set<std::uint32_t> ready;
        for (std::uint32_t i = 0; i < waits.size(); ++i) {
            if (waits[i] == 0) ready.insert(i);
        }
        std::vector<std::uint32_t> sorted;
        while (!ready.empty()) {
            const std::uint32_t next = *ready.begin();
            ready.erase(ready.begin());
            sorted.push_back(added[next]);
            for (const std::uint32_t user : users[next]) {
                if (--waits[user] == 0) ready.insert(user);
            }
        }
        added = std::move(sorted);
    }

    /// A copy of the tensor that was made between the two places, or else the tensor itself.
    static std::uint32_t copyBefore(const Problem& problem, const RematerializedGraph& graph, std::uint32_t tensor,
                                    std::span<const std::size_t> places, std::size_t place, std::size_t insertAt) {
        for (std::uint32_t t = 0; t < problem.tensorCount(); ++t) {
            const std::size_t made = places[problem.producerOf(t)];
            if (graph.originalTensor[t] == graph.originalTensor[tensor] && made > place && made < insertAt) return t;
        }
        return tensor;
    }

    const schedule::ModelOptions m_modelOptions;
    const RematerializationOptions& m_options;
    State m_current;
    State m_best;  ///< the last one that lowered the peak
};

}  // namespace

Rematerialization rematerialize(const Problem& problem, std::vector<std::uint32_t> order,
                                const RematerializationOptions& options) {
    return Rematerializer(problem, std::move(order), options).run();
}

}  // namespace mitos::search::placement
