// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that stand for numbers of the file. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/tensor_proto.h"

#include <optional>

namespace mitos::onnx {

/// What a Constant node holds; nothing if that cannot be computed with (texts, sparse tensors). Errors: numbers that
/// contradict their sizes.
[[nodiscard]] Result<std::optional<tensor::WeightData>> constantData(const proto::NodeProto& node,
                                                                     TensorReader& tensors);

/// What a ConstantOfShape node of those sizes holds. Nothing, and errors: as above; sizes beyond memory.
[[nodiscard]] Result<std::optional<tensor::WeightData>> fillData(const proto::NodeProto& node,
                                                                 const tensor::Shape& sizes, TensorReader& tensors);

}  // namespace mitos::onnx
