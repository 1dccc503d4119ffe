// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/node_sequence.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>

namespace mitos::search::learned {

namespace {

/// The number of the graph that a node belongs to.
std::size_t graphOfNode(const GraphView& graph, std::uint32_t node) {
    return static_cast<std::size_t>(std::ranges::upper_bound(graph.begins, node) - graph.begins.begin());
}

}  // namespace

std::optional<std::vector<std::uint32_t>> sequenceOf(const GraphView& graph) {
    std::vector<std::vector<std::uint32_t>> next(graph.nodes);
    std::vector<std::uint32_t> waiting(graph.nodes, 0);  // edges from nodes that have no place yet
    for (std::size_t i = 0; i < graph.edges(); ++i) {
        const std::uint32_t from = graph.from[i];
        const std::uint32_t to = graph.to[i];
        if (from >= graph.nodes || to >= graph.nodes || graphOfNode(graph, from) != graphOfNode(graph, to))
            return std::nullopt;
        next[from].push_back(to);
        ++waiting[to];
    }
    // Graphs come one after another because the heap has only nodes of one at a time.
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    std::vector<std::uint32_t> order;
    order.reserve(graph.nodes);
    const auto placeUpTo = [&](std::uint32_t first, std::uint32_t end) {
        for (std::uint32_t node = first; node < end; ++node) {
            if (waiting[node] == 0) ready.push(node);
        }
        while (!ready.empty()) {
            const std::uint32_t node = ready.top();
            ready.pop();
            order.push_back(node);
            for (const std::uint32_t other : next[node]) {
                if (--waiting[other] == 0) ready.push(other);
            }
        }
    };
    std::uint32_t first = 0;
    for (const std::uint32_t begin : graph.begins) {
        if (begin < first || begin > graph.nodes) return std::nullopt;
        placeUpTo(first, begin);
        first = begin;
    }
    placeUpTo(first, graph.nodes);
    if (order.size() != graph.nodes) return std::nullopt;
    return order;
}

}  // namespace mitos::search::learned
