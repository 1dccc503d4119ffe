// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of ONNX's own operators after opset 17, the last one that the ONNX library in use supports: which operators are new or
// changed since which opset, how their nodes are converted to the forms of opset 17, in which terms are read and written, and back.
// Fields of ONNX's messages that are newer than the library too: protobuf keeps them as unknown fields, so they are written again.
// Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/proto.h"
#include "core/onnx/internal/written_names.h"
#include "core/tensor/onnx_mapping.h"
#include "core/tensor/operator.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace mitos::onnx {

/// Whether nodes of that operator of ONNX's own have the same form in `opset` as in opset 17: the same inputs and attributes with the
/// same meaning. Additional element types do not count.
[[nodiscard]] bool hasFormOfOpset17(std::string_view type, int opset);
/// Whether every node of the operator in version `before` means the same in `after`; both versions are 17 or later.
[[nodiscard]] bool isCarriedAfter17(std::string_view type, int before, int after);

/// Whether ONNX has a node for the operator with that many inputs in `opset`: it is one of ONNX's own, or an operator of ONNX
/// Runtime that became one.
[[nodiscard]] bool hasNode(const tensor::Operator& op, std::size_t inputs, int opset);

/// A node of one of ONNX's own operators in the form of opset 17, or of ONNX Runtime's earlier operator. Fails if that form cannot
/// express the node.
[[nodiscard]] Result<tensor::OnnxNode> lowered(tensor::OnnxNode node, const tensor::OnnxContext& context);
/// Rewrites the nodes of a graph of opset 17 to those of `opset`. `names` has the names of its values. Nodes that already have the
/// newer form stay.
void raise(proto::ModelProto& model, int opset, UniqueNames& names);
/// The version of the file format (IR) that was released with an opset.
[[nodiscard]] int irVersionOf(int opset);

/// The overload, which distinguishes functions of one name that differ in their inputs; empty for others (IR version 10).
[[nodiscard]] std::string overloadOf(const proto::FunctionProto& function);
[[nodiscard]] std::string overloadOf(const proto::NodeProto& node);

/// The default of an attribute of a function (IR version 9); nullopt if it has none.
[[nodiscard]] std::optional<proto::AttributeProto> defaultOf(const proto::FunctionProto& function,
                                                             const std::string& attribute);

}  // namespace mitos::onnx
