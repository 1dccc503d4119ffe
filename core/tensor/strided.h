// SPDX-License-Identifier: GPL-3.0-or-later
// Moving elements about: what transposing, slicing, repeating, joining and padding come down to.
#pragma once

#include "core/tensor/array.h"

namespace mitos::tensor {

/// to[i . toSteps] = from[i . fromSteps] for every index i of `shape`. A step of 0 repeats, a negative one goes backwards.
void copyStrided(const double* from, const Shape& fromSteps, double* to, const Shape& toSteps, const Shape& shape);

/// An array of that shape whose element i is from[offset + i . steps].
[[nodiscard]] ArrayPtr gathered(const Array& from, std::int64_t offset, const Shape& steps, Shape shape);

}  // namespace mitos::tensor
