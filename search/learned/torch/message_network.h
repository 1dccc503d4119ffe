// SPDX-License-Identifier: GPL-3.0-or-later
// The graph network of the REGAL paper (section 3.2), NetworkKind::Graph.
#pragma once

#include "search/learned/torch/torch_network.h"

namespace mitos::search::learned {

class MessageNetwork final : public TorchNetwork {
public:
    explicit MessageNetwork(const NetworkShape& shape);

private:
    /// A layer of messages over (sender, receiver, edge); its first part is computed once for each node.
    struct Messages {
        Layer sender;
        Layer receiver;
        Layer edge;
    };

    [[nodiscard]] static at::Tensor gathered(const Messages& layers, const at::Tensor& nodes, const at::Tensor& edges,
                                             const at::Tensor& senders, const at::Tensor& receivers);
    [[nodiscard]] at::Tensor outputsOf(const GraphView& graph) const override;

    Layer m_nodeEncoder;
    Layer m_edgeEncoder;
    Messages m_forward;
    Messages m_backward;
    Layer m_update;
    Layer m_change;
    Layer m_head;
    Layer m_last;
};

}  // namespace mitos::search::learned
