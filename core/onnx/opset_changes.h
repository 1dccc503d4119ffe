// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX's own operators after opset 17, the last one that ONNX's library here knows: which are new or take something else since when,
// how their nodes are written in the forms of opset 17, in which terms are read and written, and the other way round. Only for .cpp
// files of this folder.
#pragma once

#include "core/onnx/proto.h"
#include "core/onnx/written_names.h"
#include "core/tensor/onnx_mapping.h"

#include <string_view>

namespace mitos::onnx {

/// Whether a node of that operator of ONNX's own has the same form in `opset` as in opset 17, as far as inputs, attributes and their
/// meaning go. Element types that it takes besides do not count.
[[nodiscard]] bool hasFormOfOpset17(std::string_view type, int opset);
/// Whether every node of the operator in version `before` means the same in `after`; both from 17 on.
[[nodiscard]] bool isCarriedAfter17(std::string_view type, int before, int after);

/// A node of one of ONNX's own operators as opset 17 has it, or as ONNX Runtime had it before ONNX did. Errors: the form says what
/// that one cannot.
[[nodiscard]] Result<tensor::OnnxNode> lowered(tensor::OnnxNode node, const tensor::OnnxContext& context);
/// Rewrites the nodes of a graph of opset 17 to those of `opset`. `names` are those of its values. Nodes that have the newer
/// form stay.
void raise(proto::ModelProto& model, int opset, UniqueNames& names);
/// The version of the format that came with an opset.
[[nodiscard]] int irVersionOf(int opset);

}  // namespace mitos::onnx
