// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes of unknown operators are kept as they are, so that they can be written back. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/library.h"
#include "core/onnx/internal/tensor_proto.h"
#include "core/tensor/model.h"

#include <absl/container/btree_map.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mitos::onnx {

/// The operator set versions that a file imports, by domain.
using Opsets = absl::btree_map<std::string, std::int64_t>;

/// A node without the names of its values: equal nodes are kept as equal bytes, independent of the names of their values and
/// of the rest of the file.
struct KeptNode {
    std::string name;                 ///< for the term's payload: "com.microsoft::Gelu#…", ends in an attribute key
    tensor::OpaqueNode node;          ///< its bytes are a model of the one node, with the functions it calls
    std::vector<std::string> inputs;  ///< names in the file: its inputs, then what its subgraphs read from outside
    std::vector<std::string> canonical;  ///< names of these inputs in the bytes
    Determinism determinism = Determinism::Certain;
};
/// The number of bytes that the opaque nodes of one file may have in all.
inline constexpr std::uintmax_t MostKeptBytes = std::uintmax_t{1} << 30U;

/// Keeps a node. Tensors in other files are kept with it, read by `tensors`. Fails if these cannot be read, or if the node has more
/// than `mostBytes`.
[[nodiscard]] Result<KeptNode> keepNode(const proto::NodeProto& node, const proto::ModelProto& file,
                                        const Opsets& opsets, TensorReader& tensors, std::uintmax_t mostBytes);

/// The model of one node that keepNode made.
[[nodiscard]] proto::ModelProto keptModel(const tensor::OpaqueNode& node);
/// The least certain of the node, the nodes in its subgraphs and those of the functions that it calls.
[[nodiscard]] Determinism determinismOf(const proto::ModelProto& kept);
/// Checks whether the node can be written at that opset. Fails if an operator of the node or in its subgraphs has another meaning
/// there.
[[nodiscard]] Status checkCarried(const tensor::OpaqueNode& node, const proto::ModelProto& kept, int opset);
/// The kept node with new names of values: of all inputs (its own first, "" for those left out, then those of subgraphs) and
/// outputs.
[[nodiscard]] proto::NodeProto restoredNode(const proto::ModelProto& kept, std::span<const std::string> inputs,
                                            std::span<const std::string> outputs);

/// Calls `visit` with each occurrence of a name that subgraphs of the node read from outside.
void visitCaptured(proto::NodeProto& node, absl::FunctionRef<void(std::string&)> visit);
/// Calls `visit` with each node in subgraphs of the node, at every depth, and the node itself.
void visitNodes(const proto::NodeProto& node, absl::FunctionRef<void(const proto::NodeProto&)> visit);
/// The names of values, each once, that subgraphs of the node read from outside.
[[nodiscard]] std::vector<std::string> capturedNames(const proto::NodeProto& node);

}  // namespace mitos::onnx
