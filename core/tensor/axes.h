// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that work along axes. Terms count axes from 0 only; ONNX counts from the end too.
#pragma once

#include "core/tensor/onnx_mapping.h"
#include "core/tensor/operator.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::tensor {

/// Whether the first input has such axes, in rising order; every axis if its rank is not known: error.
[[nodiscard]] Status checkAxes(const ShapeInput& in, std::span<const std::int64_t> axes);
/// Whether they are axes of an array of that rank, in rising order: error.
[[nodiscard]] Status checkAxes(const ShapeInput& in, std::span<const std::int64_t> axes, std::size_t rank);
/// From `first` to the last one.
[[nodiscard]] std::vector<std::int64_t> axesFrom(std::int64_t first, std::size_t rank);

/// importPlainly, with the attribute `axis` (`otherwise` where the node has none) counted from 0.
[[nodiscard]] Result<Imported> importWithAxis(const Operator& op, const OnnxNode& node, const OnnxContext& context,
                                              std::int64_t otherwise);

}  // namespace mitos::tensor
