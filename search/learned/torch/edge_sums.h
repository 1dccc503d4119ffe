// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the edges of a graph, with their derivatives. Written out, because LibTorch's index_select and index_add make
// GatedNetwork take a third to a half more time.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace mitos::search::learned {

/// Row from[i] is added to row to[i] of the result.
struct Links {
    at::Tensor from;  ///< whole numbers (kLong)
    at::Tensor to;    ///< as many
    std::int64_t targets = 0;
};

/// [links.targets, columns of rows]. The numbers of the links must be below those of the rows.
[[nodiscard]] at::Tensor sumsAlong(const at::Tensor& rows, const Links& links);

}  // namespace mitos::search::learned
