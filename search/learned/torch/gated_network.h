// SPDX-License-Identifier: GPL-3.0-or-later
// The graph network of the Knossos paper (section 3.2, equations 4 and 5; appendix B), NetworkKind::Gated.
#pragma once

#include "search/learned/torch/torch_network.h"

#include <vector>

namespace mitos::search::learned {

/// The paper's "activation function for GNN: tanh" is that of the gated recurrent unit here; its dense layers for messages, g and r have none.
class GatedNetwork final : public TorchNetwork {
public:
    explicit GatedNetwork(const NetworkShape& shape);

private:
    [[nodiscard]] at::Tensor outputsOf(const GraphView& graph) const override;
    /// The states of the nodes after all rounds.
    [[nodiscard]] at::Tensor propagated(const GraphView& graph, const at::Tensor& first) const;

    std::vector<Layer> m_messages;  ///< by type of edge
    Layer m_input;  ///< of the recurrent unit: rows for reset, update and candidate, as in gatedRecurrence()
    Layer m_recurrent;
    Layer m_gate;   ///< g
    Layer m_value;  ///< r
    std::vector<Layer> m_hidden;
    Layer m_last;
};

}  // namespace mitos::search::learned
