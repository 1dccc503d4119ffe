// SPDX-License-Identifier: GPL-3.0-or-later
// Which nodes of a graph are needed, and in which order they can be read. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/proto.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <string>
#include <string_view>
#include <vector>

namespace mitos::onnx {

struct GraphOrder {
    std::vector<int> nodes;  ///< those that outputs depend on, inputs first; otherwise as the file has them
    /// Names that these nodes or the graph's outputs read.
    absl::flat_hash_set<std::string_view> used;
    absl::flat_hash_map<std::string_view, const proto::TensorProto*> initializers;
};

/// The views are into the graph. Errors: two values or two outputs of one name, a node that reads what nothing makes or a
/// sparse weight, nodes that need each other.
[[nodiscard]] Result<GraphOrder> orderGraph(const proto::GraphProto& graph);

/// For messages: 'the node "conv1" (Conv)'; by what it makes, where it has no name.
[[nodiscard]] std::string nodeText(const proto::NodeProto& node);

}  // namespace mitos::onnx
