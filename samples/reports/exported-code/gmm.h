// SPDX-License-Identifier: GPL-3.0-or-later
// The function of gmm.cpp, for numbers of any type.
#pragma once

#include "numbers.h"

namespace {

template <typename T>
T logSumExp(const T* v, std::size_t count) {
    using std::exp;
    using std::log;
    T most = v[0];
    for (std::size_t i = 1; i < count; ++i) most = larger(most, v[i]);
    T sum(0.0);
    for (std::size_t i = 0; i < count; ++i) sum += T(exp(T(v[i] - most)));
    return most + log(sum);
}

// alphas, means and icf stand one after the other in p.
template <typename T>
T gmm(const T* p, const double* x, std::size_t d, std::size_t k, std::size_t n, double gamma, double m) {
    using std::exp;
    const std::size_t rowSize = d * (d + 1) / 2;
    const T* const mean = p + k;
    const T* const factors = mean + k * d;
    std::vector<T> diagonal(k * d, T(0.0)), weight(k, T(0.0)), term(k, T(0.0)), z(d, T(0.0));
    for (std::size_t c = 0; c < k; ++c) {
        weight[c] = p[c];
        for (std::size_t i = 0; i < d; ++i) {
            diagonal[c * d + i] = exp(factors[c * rowSize + i]);
            weight[c] += factors[c * rowSize + i];
        }
    }
    T sum(0.0);
    for (std::size_t at = 0; at < n; ++at) {
        for (std::size_t c = 0; c < k; ++c) {
            for (std::size_t i = 0; i < d; ++i) z[i] = diagonal[c * d + i] * (x[at * d + i] - mean[c * d + i]);
            const T* below = factors + c * rowSize + d;
            for (std::size_t j = 0; j < d; ++j) {
                const T centred = x[at * d + j] - mean[c * d + j];
                for (std::size_t i = j + 1; i < d; ++i) z[i] += *below++ * centred;
            }
            T square(0.0);
            for (std::size_t i = 0; i < d; ++i) square += z[i] * z[i];
            term[c] = weight[c] - 0.5 * square;
        }
        sum += logSumExp(term.data(), k);
    }
    // The Wishart prior.
    const double dimensions = static_cast<double>(d), pi = std::acos(-1.0);
    const double freedom = dimensions + m + 1.0;
    double constant = freedom * dimensions * (std::log(gamma) - 0.5 * std::log(2.0)) -
                      0.25 * dimensions * (dimensions - 1.0) * std::log(pi);
    for (std::size_t j = 0; j < d; ++j) constant -= std::lgamma(0.5 * freedom - 0.5 * static_cast<double>(j));
    T prior(-static_cast<double>(k) * constant);
    for (std::size_t c = 0; c < k; ++c) {
        T square(0.0);
        for (std::size_t i = 0; i < d; ++i) square += diagonal[c * d + i] * diagonal[c * d + i];
        for (std::size_t i = d; i < rowSize; ++i) square += factors[c * rowSize + i] * factors[c * rowSize + i];
        prior += 0.5 * gamma * gamma * square - m * (weight[c] - p[c]);
    }
    const double points = static_cast<double>(n);
    return sum - points * (logSumExp(p, k) + 0.5 * dimensions * std::log(2.0 * pi)) + prior;
}

}  // namespace
