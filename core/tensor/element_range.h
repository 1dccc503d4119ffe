// SPDX-License-Identifier: GPL-3.0-or-later
// Which numbers element types can hold, and how large those of an array are. Evaluation is in double precision, so numbers that
// rules write into programs are checked here.
#pragma once

#include "core/ir/type_table.h"

#include <span>

namespace mitos::tensor {

/// From here on, double precision does not represent every whole number.
constexpr double EndOfExact = 0x1p53;

/// Whether an element type holds a finite number without losing it. A floating-point type loses it to infinity, to 0 or to the
/// subnormal numbers, which have few digits; an Integer type by wrapping around, or because it was not exact in double precision.
[[nodiscard]] bool isHeld(ir::Dtype dtype, double value);

/// The largest absolute value of the finite elements; 0 if there is none.
[[nodiscard]] double largestMagnitude(std::span<const double> elements);

}  // namespace mitos::tensor
