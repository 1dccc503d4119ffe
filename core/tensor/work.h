// SPDX-License-Identifier: GPL-3.0-or-later
// What work rules share. A size that is only a name counts as 1: costs of such programs are those of their smallest run.
#pragma once

#include "core/tensor/operator.h"

namespace mitos::tensor {

[[nodiscard]] double elements(const ArrayType& type);
[[nodiscard]] double bytes(const ArrayType& type);

/// Every input read once, every output written once, no flops.
[[nodiscard]] Work movement(const ShapeInput& in, std::span<const ArrayType> outputs);
/// The same, and it is a view.
[[nodiscard]] Work view(const ShapeInput& in, std::span<const ArrayType> outputs);
/// By the operator's work rule, or by the rule for operators without one.
[[nodiscard]] Work work(const ShapeInput& in, std::span<const ArrayType> outputs);

}  // namespace mitos::tensor
