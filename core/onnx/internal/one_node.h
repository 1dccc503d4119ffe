// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of one node, for measuring. Only for .cpp files of this folder.
#pragma once

#include "core/cost/operation.h"
#include "core/tensor/model.h"

namespace mitos::onnx {

/// A model that applies the operation to its inputs and to random weights, in a bank that has the tensor dialect and no function of the
/// name "operation". Fails if the operator is unknown, or if attributes and inputs do not fit it.
[[nodiscard]] Result<tensor::Model> oneNodeModel(ir::TermBank& bank, const cost::Operation& operation);
/// A model that applies Neg that often, to one input of that many floats.
[[nodiscard]] tensor::Model chainModel(ir::TermBank& bank, std::int64_t elements, int nodes);

}  // namespace mitos::onnx
