// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/learned/torch/message_network.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>

namespace mitos::search::learned {

namespace {

/// The mean of the messages that each node gets; 0 where it gets none.
at::Tensor meanAt(const at::Tensor& messages, const at::Tensor& receivers, std::int64_t nodes) {
    const at::Tensor sums = at::index_add(at::zeros({nodes, messages.size(1)}), 0, receivers, messages);
    const at::Tensor counts =
        at::index_add(at::zeros({nodes, 1}), 0, receivers, at::ones({receivers.size(0), 1})).clamp_min(1.0);
    return sums.div(counts);
}

}  // namespace

MessageNetwork::MessageNetwork(const NetworkShape& shape) : TorchNetwork(shape) {
    const auto hidden = static_cast<std::int64_t>(shape.hidden);
    m_nodeEncoder = add(shape.nodeFeatures, hidden);
    m_edgeEncoder = add(shape.edgeFeatures, hidden);
    if (shape.rounds > 0) {
        for (Messages* messages : {&m_forward, &m_backward}) {
            messages->sender = add(hidden, hidden);
            messages->receiver = add(hidden, hidden);
            messages->edge = add(hidden, hidden);
        }
        m_update = add(3 * hidden, hidden);
        m_change = add(hidden, hidden);
    }
    m_head = add(hidden, hidden);
    m_last = add(hidden, shape.outputs);
}

at::Tensor MessageNetwork::gathered(const Messages& layers, const at::Tensor& nodes, const at::Tensor& edges,
                                    const at::Tensor& senders, const at::Tensor& receivers) {
    const at::Tensor fromSenders = at::index_select(layers.sender(nodes), 0, senders);
    const at::Tensor fromReceivers = at::index_select(layers.receiver(nodes), 0, receivers);
    const at::Tensor messages = at::relu(fromSenders.add(fromReceivers).add(layers.edge(edges)));
    return meanAt(messages, receivers, nodes.size(0));
}

at::Tensor MessageNetwork::outputsOf(const GraphView& graph) const {
    at::Tensor nodes = at::relu(m_nodeEncoder(rowsOf(graph.nodeFeatures, shape().nodeFeatures)));
    if (shape().rounds > 0) {
        const at::Tensor edges = at::relu(m_edgeEncoder(rowsOf(graph.edgeFeatures, shape().edgeFeatures)));
        const at::Tensor from = numbersOf(graph.from);
        const at::Tensor to = numbersOf(graph.to);
        for (std::uint32_t round = 0; round < shape().rounds; ++round) {
            const at::Tensor before = gathered(m_forward, nodes, edges, from, to);
            const at::Tensor behind = gathered(m_backward, nodes, edges, to, from);
            nodes = nodes.add(m_change(at::relu(m_update(at::cat({nodes, before, behind}, 1)))));
        }
    }
    return m_last(at::relu(m_head(nodes)));
}

}  // namespace mitos::search::learned
