// SPDX-License-Identifier: GPL-3.0-or-later
// Products of matrices in double precision, for evaluation.
#pragma once

#include <cstdint>

namespace mitos::tensor {

/// A matrix that lies in memory row by row, `stride` elements apart.
struct MatrixView {
    const double* data = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t stride = 0;
    bool isTransposed = false;  ///< what is meant is the transpose of what lies there
};

/// c = a b, or c += a b; the rows of c are cStride apart.
void multiply(const MatrixView& a, const MatrixView& b, double* c, std::int64_t cStride, bool accumulate = false);

}  // namespace mitos::tensor
