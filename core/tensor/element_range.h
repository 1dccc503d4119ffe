// SPDX-License-Identifier: GPL-3.0-or-later
// Which numbers element types can hold, and how large those of an array are. Evaluation is in double precision, so what rules
// write into programs is asked here.
#pragma once

#include "core/ir/type_table.h"

#include <span>

namespace mitos::tensor {

/// From here on not every whole number is one in double precision.
constexpr double EndOfExact = 0x1p53;

/// Whether an element type holds a finite number without losing it: a floating type to infinity, to 0 or among the subnormal
/// numbers, which have few digits; an Integer type by wrapping around, or because it was not exact in double precision.
[[nodiscard]] bool isHeld(ir::Dtype dtype, double value);

/// Of the finite elements the largest, without its sign; 0 if there is none.
[[nodiscard]] double largestMagnitude(std::span<const double> elements);

}  // namespace mitos::tensor
