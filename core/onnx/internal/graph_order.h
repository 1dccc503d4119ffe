// SPDX-License-Identifier: GPL-3.0-or-later
// Determines which nodes of a graph are needed, and in which order they can be read. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/proto.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>
#include <vector>

namespace mitos::onnx {

struct GraphOrder {
    std::vector<int> nodes;  ///< nodes on which outputs depend, inputs first; otherwise in the order of the file
    /// Names that these nodes or the graph's outputs read.
    absl::flat_hash_set<std::string_view> used;
    absl::flat_hash_map<std::string_view, const proto::TensorProto*> initializers;
};

/// The views point into the graph. Fails for two values or two outputs of one name, a node that reads a sparse weight or a value
/// that nothing produces, and cycles of nodes.
[[nodiscard]] Result<GraphOrder> orderGraph(const proto::GraphProto& graph);

/// The node for messages: 'the node "conv1" (Conv)'; identified by its output if it has no name.
[[nodiscard]] std::string nodeText(const proto::NodeProto& node);

}  // namespace mitos::onnx
