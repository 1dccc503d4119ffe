// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes that nobody knows: kept as they are, so that they can be written back. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/tensor_proto.h"
#include "core/tensor/model.h"

#include <absl/container/btree_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mitos::onnx {

/// Versions by domain, as a file imports them.
using Opsets = absl::btree_map<std::string, std::int64_t>;

/// A node without the names of its values: equal nodes are kept as equal bytes, whatever the file calls their values and
/// whatever else the file says.
struct KeptNode {
    std::string name;                 ///< for the term's payload: "com.microsoft::Gelu#…", the end tells attributes
    tensor::OpaqueNode node;          ///< bytes: a model of the one node, with the functions it calls
    std::vector<std::string> inputs;  ///< of the file: the node's own, then what its subgraphs read from outside
    std::vector<std::string> canonical;  ///< what these are called in the bytes
};
/// How many bytes the opaque nodes of one file may have in all.
inline constexpr std::uintmax_t MostKeptBytes = std::uintmax_t{1} << 30U;

/// Tensors that lie in other files are kept with the node, read by `tensors`. Errors: those cannot be read; the node has more than
/// `mostBytes`.
[[nodiscard]] Result<KeptNode> keepNode(const proto::NodeProto& node, const proto::ModelProto& file,
                                        const Opsets& opsets, TensorReader& tensors, std::uintmax_t mostBytes);

/// The model of one node that keepNode made.
[[nodiscard]] proto::ModelProto keptModel(const tensor::OpaqueNode& node);
/// Whether it can be written at that opset. Errors: an operator, of the node or in its subgraphs, means something else there.
[[nodiscard]] Status checkCarried(const tensor::OpaqueNode& node, const proto::ModelProto& kept, int opset);
/// Its node with values named anew: all inputs (own ones first, "" for those left out, then those of subgraphs) and
/// outputs.
[[nodiscard]] proto::NodeProto restoredNode(const proto::ModelProto& kept, std::span<const std::string> inputs,
                                            std::span<const std::string> outputs);

/// Calls `visit` with each name that subgraphs of the node read from outside, wherever they do.
void visitCaptured(proto::NodeProto& node, absl::FunctionRef<void(std::string&)> visit);
/// Calls `visit` with each node in subgraphs of the node, at every depth, and the node itself.
void visitNodes(const proto::NodeProto& node, absl::FunctionRef<void(const proto::NodeProto&)> visit);
/// Names of values, each once, that subgraphs of the node read from outside.
[[nodiscard]] std::vector<std::string> capturedNames(const proto::NodeProto& node);

}  // namespace mitos::onnx
