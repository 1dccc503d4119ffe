// SPDX-License-Identifier: GPL-3.0-or-later
// Convolutions: the windows of images as the columns of a matrix, and the forms of nodes, which operators on Integers share.
#pragma once

#include "core/tensor/internal/window.h"
#include "core/tensor/operator.h"

#include <algorithm>
#include <cstdint>

namespace mitos::tensor {

/// The windows of output lines `from` to `to` (a line is all positions along the last axis), one window per column. Copies
/// from the input, or adds to it (a transposed convolution).
template <bool Add, typename Element, typename Column>
void moveWindows(const Window& window, std::int64_t channels, Element* input, Column* columns, std::int64_t from,
                 std::int64_t to) {
    const auto& [z, y, x] = window.axes;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        Element* const plane = input + channel * window.inputSize();
        for (std::int64_t k = 0; k < window.kernelSize(); ++k) {
            const std::int64_t kz = k / (y.kernel * x.kernel);
            const std::int64_t ky = k / x.kernel % y.kernel;
            const std::int64_t kx = k % x.kernel;
            for (std::int64_t line = from; line < to; ++line, columns += x.output) {
                const std::int64_t iz = z.start(line / y.output) + kz * z.dilation;
                const std::int64_t iy = y.start(line % y.output) + ky * y.dilation;
                const bool isInside = iz >= 0 && iz < z.input && iy >= 0 && iy < y.input;
                if (!isInside) {
                    if constexpr (!Add) std::fill_n(columns, x.output, 0.0);
                    continue;
                }
                Element* const row = plane + (iz * y.input + iy) * x.input;
                for (std::int64_t o = 0; o < x.output; ++o) {
                    const std::int64_t ix = x.start(o) + kx * x.dilation;
                    const bool isHere = ix >= 0 && ix < x.input;
                    if constexpr (Add) {
                        if (isHere) row[ix] += columns[o];
                    } else {
                        columns[o] = isHere ? row[ix] : 0.0;
                    }
                }
            }
        }
    }
}

/// The attributes of a node with the attributes of Conv, whose images are input 0 and whose kernel is input `kernel`. No inputs.
[[nodiscard]] Result<Imported> importConvolution(const Operator& op, const OnnxNode& node, const OnnxContext& context,
                                                 std::size_t kernel);
/// A node with the attributes of Conv and a kernel of that type.
[[nodiscard]] Exported exportConvolution(const Attributes& attributes, const ArrayType& kernel);

}  // namespace mitos::tensor
