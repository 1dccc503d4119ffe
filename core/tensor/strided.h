// SPDX-License-Identifier: GPL-3.0-or-later
// Strided copies of elements, which implement transposing, slicing, repeating, joining, padding and resizing.
#pragma once

#include "core/tensor/array.h"

namespace mitos::tensor {

/// to[i . toSteps] = from[i . fromSteps] for every index i of `shape`. A step of 0 repeats, a negative one goes backwards.
void copyStrided(const double* from, const Shape& fromSteps, double* to, const Shape& toSteps, const Shape& shape);

/// An array of that shape whose element i is from[offset + i . steps].
[[nodiscard]] ArrayPtr gathered(const Array& from, std::int64_t offset, const Shape& steps, Shape shape);

/// For each axis of a result, the source position along that axis for each of its positions; -1 for none.
using AxisMaps = std::vector<Shape>;
/// The result; elements without a source position are `fill`.
[[nodiscard]] ArrayPtr gathered(const Array& from, const AxisMaps& maps, double fill = 0.0);

}  // namespace mitos::tensor
