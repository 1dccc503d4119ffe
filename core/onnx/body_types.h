// SPDX-License-Identifier: GPL-3.0-or-later
// The types of the outputs of nodes with subgraphs (If, Loop, Scan), as what is in these tells. Only for .cpp files of this folder.
#pragma once

#include "core/ir/operator_registry.h"
#include "core/onnx/library.h"

#include <memory>
#include <optional>
#include <vector>

namespace mitos::onnx {

/// Whether the node is one of those: what is declared of its outputs counts for nothing besides what its subgraphs say.
[[nodiscard]] bool isControlFlow(const proto::NodeProto& node);

/// single: a model of the one node, with the opset and the functions of its file. inputs: all that the node and its subgraphs read.
/// The subgraphs are read as models are, whatever they declare; a size is a number, or has a name that an input has, if that is so
/// in whichever branch is taken and after however many rounds. All others have neither number nor name, and there is no shape where
/// the rank is not always the same. Nothing: a subgraph does not tell even the element type. depth: how many subgraphs the node is
/// inside of; from a few on, element types are all that is told, as the time would double with each.
[[nodiscard]] std::vector<std::optional<proto::TypeProto>> typesOfBodies(
    const proto::ModelProto& single, const std::vector<NodeInput>& inputs,
    const std::shared_ptr<const ir::OperatorRegistry>& registry, int depth);

}  // namespace mitos::onnx
