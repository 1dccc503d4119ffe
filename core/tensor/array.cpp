// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/array.h"

#include <functional>
#include <numeric>

namespace mitos::tensor {

std::int64_t elementCount(std::span<const std::int64_t> shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Shape strides(std::span<const std::int64_t> shape) {
    Shape result(shape.size(), 1);
    for (std::size_t i = shape.size(); i > 1; --i) result[i - 2] = result[i - 1] * shape[i - 1];
    return result;
}

}  // namespace mitos::tensor
