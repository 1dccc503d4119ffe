// SPDX-License-Identifier: GPL-3.0-or-later
// ADBench's mixture of Gaussians (samples/adbench/gmm.ks, with IN_VECTORS gmm_vectors.ks).
#include "gmm.h"

#include "rows.h"
#include "sample_gradient.h"
#include "sample_primal.h"

namespace {

struct Program {
    std::string name;
    std::size_t d, k, n;
    Vector start;  // alphas, means, icf, one after the other
    Vector x;
    double gamma = 1.0;
    std::int64_t m = 0;
    Vector alphas = {};
    Rows means = {}, icf = {}, xs = {};

    Program(std::size_t dimensions, std::size_t components, std::size_t points)
        : name("gmm d " + std::to_string(dimensions) + " K " + std::to_string(components) + Style),
          d(dimensions),
          k(components),
          n(points),
          start(randoms(100, k + k * d + k * rowSize(), 1.0, -0.5)),
          x(randoms(900000, n * d)),
          alphas(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(k)),
          means(rows(
              {start.begin() + static_cast<std::ptrdiff_t>(k), start.begin() + static_cast<std::ptrdiff_t>(k + k * d)},
              d)),
          icf(rows({start.begin() + static_cast<std::ptrdiff_t>(k + k * d), start.end()}, rowSize())),
          xs(rows(x, d)) {}

    std::size_t rowSize() const { return d * (d + 1) / 2; }
    Vector data() const { return x; }
    double primal() const { return sample_primal::primal(alphas, means, icf, xs, gamma, m); }
    auto gradient() const { return sample_gradient::gradient(alphas, means, icf, xs, gamma, m); }

    template <typename T>
    T operator()(const std::vector<T>& p) const {
        return gmm(p.data(), x.data(), d, k, n, gamma, static_cast<double>(m));
    }
    Vector byHand() const;
};

// The gradient, written by hand: each point adds what it gives to every component.
Vector Program::byHand() const {
    const double* const mean = start.data() + k;
    const double* const factors = mean + k * d;
    Vector diagonal(k * d), weight(k), term(k), z(k * d), centred(k * d), dCentred(d);
    for (std::size_t c = 0; c < k; ++c) {
        weight[c] = start[c];
        for (std::size_t i = 0; i < d; ++i) {
            diagonal[c * d + i] = std::exp(factors[c * rowSize() + i]);
            weight[c] += factors[c * rowSize() + i];
        }
    }
    Vector result(start.size());
    double* const dMean = result.data() + k;
    double* const dFactors = dMean + k * d;
    for (std::size_t at = 0; at < n; ++at) {
        double most = -HUGE_VAL;
        for (std::size_t c = 0; c < k; ++c) {
            double* const zc = &z[c * d];
            double* const cc = &centred[c * d];
            for (std::size_t i = 0; i < d; ++i) {
                cc[i] = x[at * d + i] - mean[c * d + i];
                zc[i] = diagonal[c * d + i] * cc[i];
            }
            const double* below = factors + c * rowSize() + d;
            for (std::size_t j = 0; j < d; below += d - 1 - j, ++j) {
                for (std::size_t i = j + 1; i < d; ++i) zc[i] += below[i - j - 1] * cc[j];
            }
            double square = 0.0;
            for (std::size_t i = 0; i < d; ++i) square += zc[i] * zc[i];
            term[c] = weight[c] - 0.5 * square;
            most = std::max(most, term[c]);
        }
        double sum = 0.0;
        for (std::size_t c = 0; c < k; ++c) sum += term[c] = std::exp(term[c] - most);
        for (std::size_t c = 0; c < k; ++c) {
            const double share = term[c] / sum;
            double* const zc = &z[c * d];
            const double* const cc = &centred[c * d];
            double* const dDiagonal = dFactors + c * rowSize();
            result[c] += share;
            for (std::size_t i = 0; i < d; ++i) {
                zc[i] *= -share;
                dCentred[i] = zc[i] * diagonal[c * d + i];
                dDiagonal[i] += zc[i] * cc[i];
            }
            const double* below = factors + c * rowSize() + d;
            double* dBelow = dDiagonal + d;
            for (std::size_t j = 0; j < d; below += d - 1 - j, dBelow += d - 1 - j, ++j) {
                for (std::size_t i = j + 1; i < d; ++i) {
                    dBelow[i - j - 1] += zc[i] * cc[j];
                    dCentred[j] += below[i - j - 1] * zc[i];
                }
            }
            for (std::size_t i = 0; i < d; ++i) dMean[c * d + i] -= dCentred[i];
        }
    }
    const double most = *std::max_element(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(k));
    double sum = 0.0;
    for (std::size_t c = 0; c < k; ++c) sum += std::exp(start[c] - most);
    for (std::size_t c = 0; c < k; ++c) {
        double* const row = dFactors + c * rowSize();
        for (std::size_t i = 0; i < d; ++i) {
            const double e = diagonal[c * d + i];
            row[i] = row[i] * e + result[c] + gamma * gamma * e * e - static_cast<double>(m);
        }
        for (std::size_t i = d; i < rowSize(); ++i) row[i] += gamma * gamma * factors[c * rowSize() + i];
        result[c] -= static_cast<double>(n) * std::exp(start[c] - most) / sum;
    }
    return result;
}

}  // namespace

int main(int count, char** words) {
    const Options options = optionsOf(count, words);
    measureRow(Program(2, 5, 1000), options);
    measureRow(Program(10, 10, 1000), options);
    measureRow(Program(20, 25, 1000), options);
}
