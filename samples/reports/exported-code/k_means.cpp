// SPDX-License-Identifier: GPL-3.0-or-later
// The sum of the squared distances of points from their nearest centres (samples/kernels/k_means.ks).
#include "rows.h"
#include "sample_gradient.h"
#include "sample_primal.h"

namespace {

struct Program {
    std::string name = "k-means";
    std::size_t d = 8, k = 64, n = 2000;
    Vector start = randoms(1, k*d), x = randoms(100000, n*d);
    Rows centres = rows(start, d), points = rows(x, d);

    Vector data() const { return x; }
    double primal() const { return sample_primal::primal(centres, points); }
    auto gradient() const { return sample_gradient::gradient(centres, points); }

    template <typename T>
    T distance(const std::vector<T>& p, std::size_t i, std::size_t c) const {
        T square(0.0);
        for (std::size_t j = 0; j < d; ++j) {
            const T e = x[i * d + j] - p[c * d + j];
            square += e * e;
        }
        return square;
    }
    template <typename T>
    T operator()(const std::vector<T>& p) const {
        T sum(0.0);
        for (std::size_t i = 0; i < n; ++i) {
            T least = distance(p, i, 0);
            for (std::size_t c = 1; c < k; ++c) {
                const T here = distance(p, i, c);
                if (here < least) least = here;
            }
            sum += least;
        }
        return sum;
    }
    // The gradient, written by hand: a point gives its difference to its nearest centre.
    Vector byHand() const {
        Vector result(start.size());
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t nearest = 0;
            double least = HUGE_VAL;
            for (std::size_t c = 0; c < k; ++c) {
                const double here = distance(start, i, c);
                if (here < least) {
                    least = here;
                    nearest = c;
                }
            }
            for (std::size_t j = 0; j < d; ++j)
                result[nearest * d + j] -= 2.0 * (x[i * d + j] - start[nearest * d + j]);
        }
        return result;
    }
};

}  // namespace

int main(int count, char** words) { measureRow(Program(), optionsOf(count, words)); }
