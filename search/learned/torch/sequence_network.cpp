// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/torch/sequence_network.h"

#include "search/learned/node_sequence.h"
#include "search/learned/torch/gated_recurrence.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/relu.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace mitos::search::learned {

namespace {

/// The way through all nodes in one direction.
struct Way {
    at::Tensor order;                  ///< by place in the sequence: the node
    at::Tensor places;                 ///< by node: its place
    std::vector<std::int64_t> begins;  ///< places where a graph begins
};

Way wayAlong(const std::vector<std::uint32_t>& order, std::vector<std::int64_t> begins) {
    std::vector<std::uint32_t> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::uint32_t>(i);
    return {numbersOf(order), numbersOf(places), std::move(begins)};
}

/// A graph begins at the same place as its nodes, since the order of several graphs is one after another.
std::vector<std::int64_t> beginsOf(const GraphView& graph) {
    if (graph.begins.empty()) return {0};
    return {graph.begins.begin(), graph.begins.end()};
}

/// The places where graphs begin from the other end.
std::vector<std::int64_t> reversedBegins(const std::vector<std::int64_t>& begins, std::int64_t nodes) {
    std::vector<std::int64_t> reversed{0};
    for (std::size_t i = begins.size(); i-- > 0;) {
        if (begins[i] > 0) reversed.push_back(nodes - begins[i]);
    }
    return reversed;
}

}  // namespace

SequenceNetwork::SequenceNetwork(const NetworkShape& shape) : TorchNetwork(shape) {
    const auto hidden = static_cast<std::int64_t>(shape.hidden);
    const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
    m_nodeEncoder = add(shape.nodeFeatures, hidden);
    m_levels.resize(shape.rounds);
    for (Level& level : m_levels) {
        for (Unit* unit : {&level.fromFirst, &level.fromLast}) {
            unit->input = add(hidden, Gates * hidden, bound);
            unit->recurrent = add(hidden, Gates * hidden, bound);
        }
        level.merge = add(2 * hidden, hidden);
    }
    m_head = add(hidden, hidden);
    m_last = add(hidden, shape.outputs);
}

at::Tensor SequenceNetwork::outputsOf(const GraphView& graph) const {
    at::Tensor nodes = at::relu(m_nodeEncoder(rowsOf(graph.nodeFeatures, shape().nodeFeatures)));
    if (m_levels.empty()) return m_last(at::relu(m_head(nodes)));
    std::optional<std::vector<std::uint32_t>> order = sequenceOf(graph);
    if (!order) throw std::invalid_argument("the edges of the graph have no topological order");
    const std::vector<std::int64_t> begins = beginsOf(graph);
    const Way onward = wayAlong(*order, begins);
    std::ranges::reverse(*order);
    const Way backward = wayAlong(*order, reversedBegins(begins, graph.nodes));
    const auto known = [&nodes](const Unit& unit, const Way& way) {
        const at::Tensor inputs = at::index_select(unit.input(nodes), 0, way.order);
        return at::index_select(gatedRecurrence(inputs, unit.recurrent, way.begins), 0, way.places);
    };
    for (const Level& level : m_levels) {
        const at::Tensor both = at::cat({known(level.fromFirst, onward), known(level.fromLast, backward)}, 1);
        nodes = nodes.add(level.merge(both));
    }
    return m_last(at::relu(m_head(nodes)));
}

}  // namespace mitos::search::learned
