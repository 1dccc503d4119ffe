// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels without derivatives: what Mitos exported, plain loops, and Eigen.
#include "conv1d.h"
#include "gemm.h"
#include "gemm_searched.h"
#include "gemv.h"
#include "prefix_sums.h"
#include "rows.h"
#include "softmax.h"

#include <Eigen/Core>

namespace {

using Eigen::Index;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix matrix(const Rows& rows) {
    Matrix made(rows.size(), rows[0].size());
    for (Index i = 0; i < made.rows(); ++i)
        made.row(i) = Eigen::Map<const Eigen::RowVectorXd>(rows[static_cast<std::size_t>(i)].data(), made.cols());
    return made;
}
Eigen::VectorXd vector(const Vector& v) {
    return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Index>(v.size()));
}

void append(Vector& all, const Matrix& m) { all.insert(all.end(), m.data(), m.data() + m.size()); }
void append(Vector& all, const Eigen::VectorXd& v) { all.insert(all.end(), v.data(), v.data() + v.size()); }
void use(const Rows& rows) { use(rows.back().back()); }
void use(const Matrix& m) { use(m(0, 0)); }
void use(const Eigen::VectorXd& v) { use(v(0)); }

// Functions of the same values. The first added is what the others are compared with.
struct Kernel {
    std::string name;
    double seconds;
    std::vector<Call> calls = {};
    Vector wanted = {};

    template <typename Function>
    void add(const char* tool, const Function& f) {
        Vector made;
        append(made, f());
        if (calls.empty()) wanted = made;
        calls.push_back({tool, [f] { use(f()); }, difference(made, wanted)});
    }
    void run() const { measure(name, "row", calls, seconds); }
};

void gemmRow(std::size_t n, double seconds) {
    const Rows a = rows(randoms(1, n * n), n), b = rows(randoms(2000000, n * n), n),
               c = rows(randoms(4000000, n * n), n);
    const double alpha = 1.5, beta = 0.5;
    Kernel kernel{"gemm " + std::to_string(n), seconds};
    kernel.add("plain loops", [&] {
        Rows made(n, Vector(n));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t j = 0; j < n; ++j) made[i][j] += a[i][k] * b[k][j];
            }
            for (std::size_t j = 0; j < n; ++j) made[i][j] = alpha * made[i][j] + beta * c[i][j];
        }
        return made;
    });
    const std::tuple inputs(alpha, a, b, beta, c);
    kernel.add("exported", [&] { return gemm::value(inputs); });
    kernel.add("searched", [&] { return gemm_searched::value(inputs); });
    const Matrix ma = matrix(a), mb = matrix(b), mc = matrix(c);
    kernel.add("Eigen", [&]() -> Matrix { return alpha * ma * mb + beta * mc; });
    kernel.run();
}

void gemvRow(std::size_t n, double seconds) {
    const Rows a = rows(randoms(1, n * n), n);
    const Vector x = randoms(2000000, n);
    Kernel kernel{"gemv " + std::to_string(n), seconds};
    kernel.add("plain loops", [&] {
        Vector made(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) made[i] += a[i][j] * x[j];
        }
        return made;
    });
    kernel.add("exported", [&] { return gemv::value(a, x); });
    const Matrix ma = matrix(a);
    const Eigen::VectorXd mx = vector(x);
    kernel.add("Eigen", [&]() -> Eigen::VectorXd { return ma * mx; });
    kernel.run();
}

void softmaxRow(std::size_t n, double seconds) {
    const Vector x = randoms(1, n, 4.0, -2.0);
    Kernel kernel{"softmax " + std::to_string(n), seconds};
    kernel.add("plain loops", [&] {
        const double most = *std::max_element(x.begin(), x.end());
        Vector made(n);
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            made[i] = std::exp(x[i] - most);
            sum += made[i];
        }
        for (double& e : made) e /= sum;
        return made;
    });
    kernel.add("exported", [&] { return softmax::value(x); });
    const Eigen::VectorXd mx = vector(x);
    kernel.add("Eigen", [&]() -> Eigen::VectorXd {
        const Eigen::VectorXd e = (mx.array() - mx.maxCoeff()).exp();
        return e / e.sum();
    });
    kernel.run();
}

void conv1dRow(std::size_t k, std::size_t l, std::size_t width, std::size_t n, double seconds) {
    std::vector<Rows> kernels;
    for (std::size_t i = 0; i < k; ++i)
        kernels.push_back(rows(randoms(static_cast<std::int64_t>(1 + i * l * width), l * width), width));
    const Rows image = rows(randoms(2000000, l * n), n);
    // The first and the last place whose pixel, at a distance of width / 2 - j, is in the image.
    const auto first = [&](std::size_t j) { return j > width / 2 ? j - width / 2 : 0; };
    const auto end = [&](std::size_t j) { return j < width / 2 ? n - (width / 2 - j) : n; };
    Kernel kernel{"conv1d " + std::to_string(k) + " x " + std::to_string(l) + " x " + std::to_string(width) + " x " +
                      std::to_string(n),
                  seconds};
    kernel.add("plain loops", [&] {
        Rows made(k, Vector(n));
        for (std::size_t o = 0; o < k; ++o) {
            for (std::size_t in = 0; in < l; ++in) {
                for (std::size_t j = 0; j < width; ++j) {
                    for (std::size_t i = first(j); i < end(j); ++i)
                        made[o][i] += image[in][i + width / 2 - j] * kernels[o][in][j];
                }
            }
        }
        return made;
    });
    kernel.add("exported", [&] { return conv1d::value(kernels, image); });
    const Matrix pixels = matrix(image);
    std::vector<Matrix> weights;
    for (const Rows& one : kernels) weights.push_back(matrix(one));
    kernel.add("Eigen", [&]() -> Matrix {
        Matrix made = Matrix::Zero(static_cast<Index>(k), static_cast<Index>(n));
        for (std::size_t o = 0; o < k; ++o) {
            for (std::size_t j = 0; j < width; ++j) {
                const Index count = static_cast<Index>(end(j) - first(j));
                made.row(static_cast<Index>(o)).segment(static_cast<Index>(first(j)), count) +=
                    weights[o].col(static_cast<Index>(j)).transpose() *
                    pixels.middleCols(static_cast<Index>(first(j) + width / 2 - j), count);
            }
        }
        return made;
    });
    kernel.run();
}

void prefixSumsRow(std::size_t n, double seconds) {
    const Vector x = randoms(1, n);
    Kernel kernel{"prefix sums " + std::to_string(n), seconds};
    kernel.add("plain loops", [&] {
        Vector made(n);
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) made[i] = sum += x[i];
        return made;
    });
    kernel.add("exported", [&] { return prefix_sums::value(x); });
    kernel.run();
}

}  // namespace

int main(int count, char** words) {
    const double seconds = optionsOf(count, words).seconds;
    for (const std::size_t n : {100, 400, 800}) gemmRow(n, seconds);
    gemvRow(1000, seconds);
    softmaxRow(10000, seconds);
    conv1dRow(16, 16, 8, 256, seconds);
    prefixSumsRow(10000, seconds);
}
