// SPDX-License-Identifier: GPL-3.0-or-later
// The order in which nodes are written. Only for .cpp files of this folder.
#pragma once

#include "core/ir/shared.h"

#include <span>
#include <vector>

namespace mitos::onnx {

/// All nodes, those of `order` in that order, each after the nodes that it reads, which come earlier if they must. The others follow in their own
/// order; terms that are no nodes are left out.
[[nodiscard]] std::vector<ir::TermId> inOrder(const ir::TermBank& bank, const ir::SharedNodes& nodes,
                                              std::span<const ir::TermId> order);

}  // namespace mitos::onnx
