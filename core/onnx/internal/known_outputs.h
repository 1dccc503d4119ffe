// SPDX-License-Identifier: GPL-3.0-or-later
// Evaluates nodes while a model is read, if they compute Integers from constants or sizes: their outputs become constants and,
// where other nodes read them, attributes. Reads nodes that stand for constants in the file. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/node_mapping.h"
#include "core/onnx/internal/size_array.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/onnx/internal/values.h"

#include <optional>
#include <vector>

namespace mitos::onnx {

/// The outputs, if all inputs are known and some of them are Integers. nullopt if that is much work (more than 4096
/// elements, more than a million operations) or an Integer is beyond 2^53, where the evaluator rounds.
[[nodiscard]] std::optional<std::vector<tensor::ArrayPtr>> foldedOutputs(const MappedNode& mapped,
                                                                         const NodeInputs& context);

/// Whether such outputs have floating-point numbers that are computed from weights. Then the node stays a computation, by whose weights the
/// program can be differentiated.
[[nodiscard]] bool areOfWeights(const std::vector<tensor::ArrayPtr>& outputs, const MappedNode& mapped,
                                const NodeInputs& context);

/// The outputs, if they are computed from sizes and Integers alone.
[[nodiscard]] std::optional<std::vector<SizeArray>> sizedOutputs(const MappedNode& mapped, const NodeInputs& context);

/// The data of a Constant node; nullopt if the evaluator cannot compute with it (texts, sparse tensors). Fails if the numbers
/// contradict their sizes.
[[nodiscard]] Result<std::optional<tensor::WeightData>> constantData(const proto::NodeProto& node,
                                                                     TensorReader& tensors);

/// The data of a ConstantOfShape node of those sizes. nullopt and errors as above; also fails for sizes beyond memory.
[[nodiscard]] Result<std::optional<tensor::WeightData>> fillData(const proto::NodeProto& node,
                                                                 const tensor::Shape& sizes, TensorReader& tensors);

}  // namespace mitos::onnx
