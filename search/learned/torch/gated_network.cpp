// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/torch/gated_network.h"

#include "core/base/random.h"
#include "search/learned/torch/edge_sums.h"
#include "search/learned/torch/gated_recurrence.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gru_cell.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/split_with_sizes.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace mitos::search::learned {

namespace {

/// Throws for graphs that have other nodes, kinds or types than the network knows.
void check(const GraphView& graph, const NetworkShape& shape) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    const auto areBelow = [](std::span<const std::uint32_t> numbers, std::uint32_t end) {
        return std::ranges::all_of(numbers, [end](std::uint32_t number) { return number < end; });
    };
    require(graph.nodeKinds.size() == graph.nodes && areBelow(graph.nodeKinds, shape.nodeFeatures),
            "a node has a kind that the network does not know");
    require(graph.edgeTypes.size() == graph.edges() && areBelow(graph.edgeTypes, shape.edgeFeatures),
            "an edge has a type that the network does not know");
    require(graph.to.size() == graph.edges() && areBelow(graph.from, graph.nodes) && areBelow(graph.to, graph.nodes),
            "an edge leads to a node that does not exist");
    require(std::ranges::is_sorted(graph.begins) && areBelow(graph.begins, graph.nodes + 1) &&
                (graph.begins.empty() || graph.begins.front() == 0),
            "the first nodes of the graphs are not in order");
}

/// Messages are linear, so that states are added before the layer of their type: nodes that get several messages of one type take one row.
struct MessageRows {
    Links gathered;                    ///< from nodes to rows, which are in the order of types
    std::vector<std::int64_t> counts;  ///< by type: its rows
    Links scattered;                   ///< from rows to nodes
    at::Tensor messages;               ///< [nodes, types]: the number of messages, each of which has a bias
};

MessageRows rowsFor(const GraphView& graph, std::uint32_t types) {
    std::vector<std::uint32_t> order(graph.edges());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {},
                             [&graph](std::uint32_t edge) { return std::pair(graph.edgeTypes[edge], graph.to[edge]); });
    MessageRows rows{.gathered = {},
                     .counts = std::vector<std::int64_t>(types, 0),
                     .scattered = {},
                     .messages = at::zeros({std::int64_t{graph.nodes}, std::int64_t{types}})};
    std::vector<std::uint32_t> senders;
    std::vector<std::uint32_t> rowOfSender;
    std::vector<std::uint32_t> receivers;  // by row
    float* const messages = rows.messages.data_ptr<float>();
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t type = graph.edgeTypes[order[i]];
        const std::uint32_t to = graph.to[order[i]];
        if (i == 0 || type != graph.edgeTypes[order[i - 1]] || to != graph.to[order[i - 1]]) {
            receivers.push_back(to);
            ++rows.counts[type];
        }
        senders.push_back(graph.from[order[i]]);
        rowOfSender.push_back(static_cast<std::uint32_t>(receivers.size() - 1));
        messages[std::size_t{to} * types + type] += 1.0F;
    }
    const auto count = static_cast<std::int64_t>(receivers.size());
    std::vector<std::uint32_t> all(receivers.size());
    std::iota(all.begin(), all.end(), 0U);
    rows.gathered = {numbersOf(senders), numbersOf(rowOfSender), count};
    rows.scattered = {numbersOf(all), numbersOf(receivers), std::int64_t{graph.nodes}};
    return rows;
}

/// The kinds as one-hot vectors, with zeros behind them.
at::Tensor firstStates(const GraphView& graph, std::uint32_t hidden) {
    at::Tensor states = at::zeros({std::int64_t{graph.nodes}, std::int64_t{hidden}});
    float* const values = states.data_ptr<float>();
    for (std::size_t node = 0; node < graph.nodes; ++node) values[node * hidden + graph.nodeKinds[node]] = 1.0F;
    return states;
}

Links nodesToGraphs(const GraphView& graph) {
    std::vector<std::uint32_t> nodes(graph.nodes);
    std::iota(nodes.begin(), nodes.end(), 0U);
    std::vector<std::uint32_t> graphs(graph.nodes, 0);
    for (std::size_t i = 1; i < graph.begins.size(); ++i)
        std::fill(graphs.begin() + graph.begins[i], graphs.end(), static_cast<std::uint32_t>(i));
    return {numbersOf(nodes), numbersOf(graphs), static_cast<std::int64_t>(graph.graphs())};
}

/// 0 with the probability, else what keeps the mean as it is.
at::Tensor dropoutMask(const at::Tensor& like, double probability, Random& random) {
    at::Tensor mask = at::empty(like.sizes());
    const auto kept = static_cast<float>(1.0 / (1.0 - probability));
    float* const values = mask.data_ptr<float>();
    for (std::int64_t i = 0; i < mask.numel(); ++i) values[i] = random.chance(probability) ? 0.0F : kept;
    return mask;
}

}  // namespace

GatedNetwork::GatedNetwork(const NetworkShape& shape) : TorchNetwork(shape) {
    const auto hidden = static_cast<std::int64_t>(shape.hidden);
    const auto addBalanced = [this](std::int64_t inputs, std::int64_t outputs) {
        return add(inputs, outputs, balancedBound(inputs, outputs));
    };
    if (shape.rounds > 0) {
        for (std::uint32_t type = 0; type < shape.edgeFeatures; ++type)
            m_messages.push_back(addBalanced(hidden, hidden));
        const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
        m_input = add(hidden, Gates * hidden, bound);
        m_recurrent = add(hidden, Gates * hidden, bound);
    }
    m_gate = addBalanced(2 * hidden, hidden);
    m_value = addBalanced(hidden, hidden);
    std::int64_t width = hidden;
    for (std::uint32_t layer = 0; layer < shape.layers; ++layer) {
        m_hidden.push_back(addBalanced(width, shape.readout));
        width = shape.readout;
    }
    m_last = addBalanced(width, shape.outputs);
}

at::Tensor GatedNetwork::propagated(const GraphView& graph, const at::Tensor& first) const {
    if (shape().rounds == 0) return first;
    const MessageRows rows = rowsFor(graph, shape().edgeFeatures);
    std::vector<at::Tensor> allBiases;
    for (const Layer& layer : m_messages) allBiases.push_back(layer.bias);
    const at::Tensor biases = at::mm(rows.messages, at::stack(allBiases));
    at::Tensor states = first;
    for (std::uint32_t round = 0; round < shape().rounds; ++round) {
        std::vector<at::Tensor> parts = at::split_with_sizes(sumsAlong(states, rows.gathered), rows.counts);
        for (std::size_t type = 0; type < parts.size(); ++type)
            parts[type] = at::linear(parts[type], m_messages[type].weight);
        const at::Tensor messages = sumsAlong(at::cat(parts), rows.scattered).add(biases);
        states = at::gru_cell(messages, states, m_input.weight, m_recurrent.weight, m_input.bias, m_recurrent.bias);
    }
    return states;
}

at::Tensor GatedNetwork::outputsOf(const GraphView& graph) const {
    check(graph, shape());
    const at::Tensor first = firstStates(graph, shape().hidden);
    const at::Tensor states = propagated(graph, first);
    const at::Tensor weighted = at::sigmoid(m_gate(at::cat({states, first}, 1))).mul(m_value(states));
    at::Tensor values = sumsAlong(weighted, nodesToGraphs(graph));
    Random random(graph.dropout.value_or(0));
    for (const Layer& layer : m_hidden) {
        values = at::tanh(layer(values));
        if (graph.dropout && shape().dropout > 0.0) values = values.mul(dropoutMask(values, shape().dropout, random));
    }
    return m_last(values);
}

}  // namespace mitos::search::learned
