// SPDX-License-Identifier: GPL-3.0-or-later
// Operators that work along axes. Terms count axes from 0 only; ONNX also counts from the end.
#pragma once

#include "core/tensor/onnx_mapping.h"
#include "core/tensor/operator.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::tensor {

/// Fails unless these are axes of the first input, in rising order. If its rank is unknown, any axis is accepted.
[[nodiscard]] Status checkAxes(const ShapeInput& in, std::span<const std::int64_t> axes);
/// Fails unless these are axes of an array of that rank, in rising order.
[[nodiscard]] Status checkAxes(const ShapeInput& in, std::span<const std::int64_t> axes, std::size_t rank);
/// The axes from `first` to the last one.
[[nodiscard]] std::vector<std::int64_t> axesFrom(std::int64_t first, std::size_t rank);

/// Does what importPlainly does, with the attribute `axis` (`otherwise` if the node has none) counted from 0.
[[nodiscard]] Result<Imported> importWithAxis(const Operator& op, const OnnxNode& node, const OnnxContext& context,
                                              std::int64_t otherwise);

}  // namespace mitos::tensor
