// SPDX-License-Identifier: GPL-3.0-or-later
// Maps nodes of ONNX graphs to operators of the table and back, by the table's entries (tensor/onnx_mapping.h).
#pragma once

#include "core/base/result.h"
#include "core/tensor/operator.h"

namespace mitos::onnx {

struct MappedNode {
    const tensor::Operator* op = nullptr;
    tensor::Imported imported;
};

/// The table operator of a node. Fails if the table does not have the operator, or not this form of it; the message gives the
/// reason, for the import report.
[[nodiscard]] Result<MappedNode> mapNode(tensor::OnnxNode node, const tensor::OnnxContext& context);

/// The form in which a term of the table is written at opset 17.
[[nodiscard]] tensor::Exported exportedForm(const tensor::Operator& op, const tensor::Attributes& attributes,
                                            std::span<const tensor::ArrayType> inputs);

}  // namespace mitos::onnx
