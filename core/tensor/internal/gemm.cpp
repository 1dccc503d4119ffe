// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/internal/gemm.h"

#include <Eigen/Core>

namespace mitos::tensor {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Constant = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using Mutable = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

template <typename Left, typename Right>
void into(Mutable& c, const Left& a, const Right& b, bool accumulate) {
    if (accumulate)
        c.noalias() += a * b;
    else
        c.noalias() = a * b;
}

}  // namespace

void multiply(const MatrixView& a, const MatrixView& b, double* c, std::int64_t cStride, bool accumulate) {
    const Constant left(a.data, a.rows, a.columns, Eigen::OuterStride<>(a.stride));
    const Constant right(b.data, b.rows, b.columns, Eigen::OuterStride<>(b.stride));
    Mutable result(c, a.isTransposed ? a.columns : a.rows, b.isTransposed ? b.rows : b.columns,
                   Eigen::OuterStride<>(cStride));
    if (a.isTransposed && b.isTransposed)
        into(result, left.transpose(), right.transpose(), accumulate);
    else if (a.isTransposed)
        into(result, left.transpose(), right, accumulate);
    else if (b.isTransposed)
        into(result, left, right.transpose(), accumulate);
    else
        into(result, left, right, accumulate);
}

}  // namespace mitos::tensor
