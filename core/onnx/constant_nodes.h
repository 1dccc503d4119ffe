// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that stand for constants in the file. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/tensor_proto.h"

#include <optional>

namespace mitos::onnx {

/// The data of a Constant node; nullopt if the evaluator cannot compute with it (texts, sparse tensors). Fails if the numbers
/// contradict their sizes.
[[nodiscard]] Result<std::optional<tensor::WeightData>> constantData(const proto::NodeProto& node,
                                                                     TensorReader& tensors);

/// The data of a ConstantOfShape node of those sizes. nullopt and errors as above; also fails for sizes beyond memory.
[[nodiscard]] Result<std::optional<tensor::WeightData>> fillData(const proto::NodeProto& node,
                                                                 const tensor::Shape& sizes, TensorReader& tensors);

}  // namespace mitos::onnx
