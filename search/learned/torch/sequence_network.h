// SPDX-License-Identifier: GPL-3.0-or-later
// A recurrent network over the nodes of a graph in topological order, NetworkKind::Sequence.
#pragma once

#include "search/learned/torch/torch_network.h"

#include <vector>

namespace mitos::search::learned {

class SequenceNetwork final : public TorchNetwork {
public:
    explicit SequenceNetwork(const NetworkShape& shape);

private:
    /// One recurrent unit, gatedRecurrence().
    struct Unit {
        Layer input;
        Layer recurrent;
    };
    struct Level {
        Unit fromFirst;
        Unit fromLast;
        Layer merge;
    };

    [[nodiscard]] at::Tensor outputsOf(const GraphView& graph) const override;

    Layer m_nodeEncoder;
    std::vector<Level> m_levels;
    Layer m_head;
    Layer m_last;
};

}  // namespace mitos::search::learned
