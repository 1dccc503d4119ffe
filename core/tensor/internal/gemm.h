// SPDX-License-Identifier: GPL-3.0-or-later
// Matrix products in double precision, for evaluation.
#pragma once

#include <cstdint>

namespace mitos::tensor {

/// A matrix stored in memory row by row, with rows `stride` elements apart.
struct MatrixView {
    const double* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stride = 0;
    bool isTransposed = false;  ///< whether the view is the transpose of the stored matrix
};

/// c = a b, or c += a b; the rows of c are cStride apart.
void multiply(const MatrixView& a, const MatrixView& b, double* c, std::int64_t cStride, bool accumulate = false);

}  // namespace mitos::tensor
