// SPDX-License-Identifier: GPL-3.0-or-later
// The branch that an If takes, as nodes of the graph around it. Only for .cpp files of this folder.
#pragma once

#include "core/onnx/internal/proto.h"

#include <optional>

namespace mitos::onnx {

/// The nodes of the branch for that condition. They produce the node's outputs; other values of the branch have names that begin with the
/// first output's. Initializers are Constant nodes, and value_info has the types that the branch declares. nullopt if a name would be
/// ambiguous, or the branch has weights that no node can hold (sparse ones).
[[nodiscard]] std::optional<proto::GraphProto> branchOf(const proto::NodeProto& node, bool condition);

}  // namespace mitos::onnx
