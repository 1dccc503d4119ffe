// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes of ONNX graphs and operators of the table, by what the table says (tensor/onnx_mapping.h).
#pragma once

#include "core/base/result.h"
#include "core/tensor/operator.h"

namespace mitos::onnx {

struct MappedNode {
    const tensor::Operator* op = nullptr;
    tensor::Imported imported;
};

/// The table operator that a node is. Errors: the table knows no such operator, or not this form of it; the message says
/// why, for the import report.
[[nodiscard]] Result<MappedNode> mapNode(tensor::OnnxNode node, const tensor::OnnxContext& context);

/// How a term of the table is written at opset 17.
[[nodiscard]] tensor::Exported exportedForm(const tensor::Operator& op, const tensor::Attributes& attributes,
                                            std::span<const tensor::ArrayType> inputs);

}  // namespace mitos::onnx
