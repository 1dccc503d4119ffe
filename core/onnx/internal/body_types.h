// SPDX-License-Identifier: GPL-3.0-or-later
// Derives the types of the outputs of nodes with subgraphs (If, Loop, Scan) from these subgraphs. Only for .cpp files of this folder.
#pragma once

#include "core/ir/operator_registry.h"
#include "core/onnx/internal/library.h"

#include <memory>
#include <optional>
#include <vector>

namespace mitos::onnx {

/// Whether the node is one of those. Their declared output types are ignored in favour of those that the subgraphs give.
[[nodiscard]] bool isControlFlow(const proto::NodeProto& node);

/// `single` is a model of the one node, with the opset and the functions of its file; `inputs` are all values that the node and its
/// subgraphs read. The subgraphs are read as models are, whatever they declare; a size is a number, or has the name of an input's
/// size, if that holds for every branch and any number of iterations. All other sizes have neither number nor name, and there is no
/// shape if the rank is not always the same. nullopt if a subgraph does not even determine the element type. `depth` is the number
/// of subgraphs around the node; beyond a few, only element types are derived, as the time would double with each.
[[nodiscard]] std::vector<std::optional<proto::TypeProto>> typesOfBodies(
    const proto::ModelProto& single, const std::vector<NodeInput>& inputs,
    const std::shared_ptr<const ir::OperatorRegistry>& registry, int depth);

}  // namespace mitos::onnx
