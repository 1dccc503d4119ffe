// SPDX-License-Identifier: GPL-3.0-or-later
// Code that work rules share. A size that is only a name counts as 1: costs of such programs are those of their smallest run.
#pragma once

#include "core/tensor/operator.h"

namespace mitos::tensor {

[[nodiscard]] double elements(const ArrayType& type);
[[nodiscard]] double bytes(const ArrayType& type);

/// Every input is read once, every output is written once, and there are no flops.
[[nodiscard]] Work movement(const ShapeInput& in, std::span<const ArrayType> outputs);
/// The same, marked as a view.
[[nodiscard]] Work view(const ShapeInput& in, std::span<const ArrayType> outputs);
/// The work by the operator's work rule, or by the default rule if it has none.
[[nodiscard]] Work work(const ShapeInput& in, std::span<const ArrayType> outputs);

}  // namespace mitos::tensor
