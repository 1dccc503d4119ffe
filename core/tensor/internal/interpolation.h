// SPDX-License-Identifier: GPL-3.0-or-later
// Code that interpolating operators share.
#pragma once

#include <cmath>

namespace mitos::tensor {

/// The cubic convolution kernel at that distance (Keys, "Cubic convolution interpolation", 1981, with a = -0.5).
[[nodiscard]] inline double cubicKernel(double distance, double a) {
    const double x = std::abs(distance);
    if (x <= 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
    return x < 2.0 ? ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a : 0.0;
}

}  // namespace mitos::tensor
