// SPDX-License-Identifier: GPL-3.0-or-later
// The function of lstm.cpp, for numbers of any type.
#pragma once

#include "numbers.h"

#include <array>

namespace {

constexpr std::size_t B = 14, Layers = 2, LayerSize = 8 * B;

template <typename T>
T sigmoid(const T& x) {
    using std::exp;
    return 1.0 / (1.0 + exp(T(-x)));
}

template <typename T>
T lstm(const T* p, const double* state, const double* sequence, std::size_t n) {
    using std::exp;
    using std::log;
    using std::tanh;
    std::array<T, Layers * 2 * B> s;
    for (std::size_t i = 0; i < s.size(); ++i) s[i] = T(state[i]);
    const T* const extras = p + Layers * LayerSize;
    std::array<T, B> x;
    T total(0.0);
    for (std::size_t t = 0; t + 1 < n; ++t) {
        for (std::size_t i = 0; i < B; ++i) x[i] = sequence[t * B + i] * extras[i];
        for (std::size_t l = 0; l < Layers; ++l) {
            const T* const w = p + l * LayerSize;
            const T* const b = w + 4 * B;
            for (std::size_t i = 0; i < B; ++i) {
                T& hidden = s[2 * l * B + i];
                T& cell = s[(2 * l + 1) * B + i];
                const T forget = sigmoid(T(x[i] * w[i] + b[i])), in = sigmoid(T(hidden * w[B + i] + b[B + i]));
                const T out = sigmoid(T(x[i] * w[2 * B + i] + b[2 * B + i])),
                        change = tanh(T(hidden * w[3 * B + i] + b[3 * B + i]));
                cell = cell * forget + in * change;
                hidden = out * T(tanh(cell));
                x[i] = hidden;
            }
        }
        T sum(2.0), score(0.0);
        double weights = 0.0;
        for (std::size_t i = 0; i < B; ++i) {
            const T y = x[i] * extras[B + i] + extras[2 * B + i];
            sum += T(exp(y));
            score += sequence[(t + 1) * B + i] * y;
            weights += sequence[(t + 1) * B + i];
        }
        total += score - weights * T(log(sum));
    }
    return -total / static_cast<double>(B * (n - 1));
}

}  // namespace
