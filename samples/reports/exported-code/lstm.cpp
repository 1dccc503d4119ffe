// SPDX-License-Identifier: GPL-3.0-or-later
// ADBench's long short-term memory (samples/adbench/lstm.ks).
#include "lstm.h"

#include "rows.h"
#include "sample_gradient.h"
#include "sample_primal.h"

namespace {

struct Program {
    std::string name = "lstm";
    std::size_t n = 1025;
    Vector start =
        randoms(100, Layers* LayerSize + 3 * B, 2.0, -1.0);  // by layer weights and biases; in, out weight and out bias
    Vector state = randoms(5000, Layers * 2 * B, 1.0, -0.5);  // by layer hidden and cell
    Vector sequence = randoms(10000, n* B);
    Rows weight1 = part(0, 4), bias1 = part(4, 4), weight2 = part(8, 4), bias2 = part(12, 4);
    Rows extra = part(16, 3), inputs = rows(sequence, B), states = rows(state, B);

    Rows part(std::size_t row, std::size_t count) const {
        const auto from = start.begin() + static_cast<std::ptrdiff_t>(row * B);
        return rows({from, from + static_cast<std::ptrdiff_t>(count * B)}, B);
    }
    Vector data() const {
        Vector made = state;
        append(made, sequence);
        return made;
    }
    double primal() const {
        return sample_primal::primal(weight1, bias1, weight2, bias2, extra[0], extra[1], extra[2],
                                     {states[0], states[1]}, {states[2], states[3]}, inputs);
    }
    auto gradient() const {
        return sample_gradient::gradient(weight1, bias1, weight2, bias2, extra[0], extra[1], extra[2],
                                         {states[0], states[1]}, {states[2], states[3]}, inputs);
    }

    template <typename T>
    T operator()(const std::vector<T>& p) const {
        return lstm(p.data(), state.data(), sequence.data(), n);
    }
    Vector byHand() const;
};

// The gradient, written by hand: a walk along the sequence that stores what every cell did, and one back.
Vector Program::byHand() const {
    struct Step {
        double input, hidden, cell, forget, in, out, change, tanhCell;  // hidden and cell: before the step
    };
    const double* const extras = &start[Layers * LayerSize];
    std::vector<Step> steps((n - 1) * Layers * B);
    Vector ys((n - 1) * B), s = state, result(start.size());
    std::array<double, B> x{};
    for (std::size_t t = 0; t + 1 < n; ++t) {
        for (std::size_t i = 0; i < B; ++i) x[i] = sequence[t * B + i] * extras[i];
        for (std::size_t l = 0; l < Layers; ++l) {
            const double* const w = &start[l * LayerSize];
            const double* const b = w + 4 * B;
            for (std::size_t i = 0; i < B; ++i) {
                Step& step = steps[(t * Layers + l) * B + i];
                double& hidden = s[2 * l * B + i];
                double& cell = s[(2 * l + 1) * B + i];
                step = {x[i],
                        hidden,
                        cell,
                        sigmoid(x[i] * w[i] + b[i]),
                        sigmoid(hidden * w[B + i] + b[B + i]),
                        sigmoid(x[i] * w[2 * B + i] + b[2 * B + i]),
                        std::tanh(hidden * w[3 * B + i] + b[3 * B + i]),
                        0.0};
                cell = cell * step.forget + step.in * step.change;
                step.tanhCell = std::tanh(cell);
                x[i] = hidden = step.out * step.tanhCell;
            }
        }
        for (std::size_t i = 0; i < B; ++i) ys[t * B + i] = x[i];
    }
    double* const dExtras = &result[Layers * LayerSize];
    Vector ds(state.size());
    const double seed = -1.0 / static_cast<double>(B * (n - 1));
    for (std::size_t t = n - 1; t-- > 0;) {
        std::array<double, B> exponential{}, dx{};
        double sum = 2.0, weights = 0.0;
        for (std::size_t i = 0; i < B; ++i) {
            exponential[i] = std::exp(ys[t * B + i] * extras[B + i] + extras[2 * B + i]);
            sum += exponential[i];
            weights += sequence[(t + 1) * B + i];
        }
        for (std::size_t i = 0; i < B; ++i) {
            const double dy = seed * (sequence[(t + 1) * B + i] - weights * exponential[i] / sum);
            dExtras[B + i] += dy * ys[t * B + i];
            dExtras[2 * B + i] += dy;
            dx[i] = dy * extras[B + i];
        }
        for (std::size_t l = Layers; l-- > 0;) {
            const double* const w = &start[l * LayerSize];
            double* const dw = &result[l * LayerSize];
            double* const db = dw + 4 * B;
            for (std::size_t i = 0; i < B; ++i) {
                const Step& step = steps[(t * Layers + l) * B + i];
                double& dHidden = ds[2 * l * B + i];
                double& dCell = ds[(2 * l + 1) * B + i];
                const double dh = dHidden + dx[i];
                const double dc = dCell + dh * step.out * (1.0 - step.tanhCell * step.tanhCell);
                const double dForget = dc * step.cell * step.forget * (1.0 - step.forget);
                const double dIn = dc * step.change * step.in * (1.0 - step.in);
                const double dOut = dh * step.tanhCell * step.out * (1.0 - step.out);
                const double dChange = dc * step.in * (1.0 - step.change * step.change);
                dw[i] += dForget * step.input;
                dw[B + i] += dIn * step.hidden;
                dw[2 * B + i] += dOut * step.input;
                dw[3 * B + i] += dChange * step.hidden;
                db[i] += dForget;
                db[B + i] += dIn;
                db[2 * B + i] += dOut;
                db[3 * B + i] += dChange;
                dx[i] = dForget * w[i] + dOut * w[2 * B + i];
                dHidden = dIn * w[B + i] + dChange * w[3 * B + i];
                dCell = dc * step.forget;
            }
        }
        for (std::size_t i = 0; i < B; ++i) dExtras[i] += dx[i] * sequence[t * B + i];
    }
    return result;
}

}  // namespace

int main(int count, char** words) { measureRow(Program(), optionsOf(count, words)); }
