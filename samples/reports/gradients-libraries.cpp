// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients of the programs of gradients.md by ADOL-C (a tape, recorded once and then run backwards) and by Ceres' jets (forward mode, for
// bundle adjustment, which has 15 inputs). Sizes and seeds of tangents are those of the table; times are medians in µs.
//
//   g++ -std=c++17 -O3 -DNDEBUG samples/reports/gradients-libraries.cpp -o libraries -ladolc $(pkg-config --cflags eigen3) && ./libraries
#include <adolc/adolc.h>
#include <ceres/jet.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

constexpr int Convolution = 16;
constexpr int Product = 64;
constexpr int Memory = 1000;
constexpr int Mixture = 32;

template <typename T>
using Vector = std::vector<T>;

/// Kernels (k by l by n numbers), then the image (l by n), all sizes equal.
template <typename T>
Vector<T> conv1d(const Vector<T>& in) {
    constexpr int N = Convolution;
    const T* const kernels = in.data();
    const T* const image = kernels + N * N * N;
    Vector<T> out(N * N, T(0.0));
    for (int k = 0; k < N; ++k) {
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) {
                const int at = i + N / 2 - j;
                if (at < 0 || at >= N) continue;
                for (int l = 0; l < N; ++l) out[k * N + i] += image[l * N + at] * kernels[(k * N + l) * N + j];
            }
        }
    }
    return out;
}

template <typename T>
Vector<T> product(const Vector<T>& in) {
    constexpr int N = Product;
    Vector<T> out(N, T(0.0));
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) out[i] += in[i * N + j] * in[N * N + j];
    }
    return out;
}

template <typename T>
T sigmoid(const T& x) {
    return 1.0 / (1.0 + exp(-x));
}

/// Four weights for each element, then the hidden state, the cell and the input.
template <typename T>
Vector<T> lstm(const Vector<T>& in) {
    constexpr int N = Memory;
    Vector<T> out(2 * N);
    for (int i = 0; i < N; ++i) {
        const T* const w = &in[4 * i];
        const T& hidden = in[4 * N + i];
        const T& cell = in[5 * N + i];
        const T& input = in[6 * N + i];
        const T next = cell * sigmoid(T(input * w[0])) + sigmoid(T(hidden * w[1])) * tanh(hidden * w[3]);
        out[i] = sigmoid(T(input * w[2])) * tanh(next);
        out[N + i] = next;
    }
    return out;
}

template <typename T>
T logsumexp(const Vector<T>& v) {
    const T most = *std::max_element(v.begin(), v.end(), [](const T& a, const T& b) { return a < b; });
    T sum = 0.0;
    for (const T& each : v) sum += exp(each - most);
    return most + log(sum);
}

/// Weights, means, logarithms of inverse deviations, points.
template <typename T>
Vector<T> gmm(const Vector<T>& in) {
    constexpr int N = Mixture;
    const T* const alphas = in.data();
    const T* const means = alphas + N;
    const T* const qs = means + N * N;
    const T* const xs = qs + N * N;
    T sum = 0.0;
    Vector<T> terms(N);
    for (int i = 0; i < N; ++i) {
        for (int c = 0; c < N; ++c) {
            T term = alphas[c];
            for (int j = 0; j < N; ++j) {
                const T z = exp(qs[c * N + j]) * (xs[i * N + j] - means[c * N + j]);
                term += qs[c * N + j] - 0.5 * z * z;
            }
            terms[c] = term;
        }
        sum += logsumexp(terms);
    }
    return {sum - double(N) * logsumexp(Vector<T>(alphas, alphas + N))};
}

/// Rotation, center, focal length, two distortions, point, weight, feature.
template <typename T>
Vector<T> bundle(const Vector<T>& in) {
    const T* const r = in.data();
    const T d[3] = {in[9] - in[3], in[10] - in[4], in[11] - in[5]};
    T x[3];
    const T theta2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const T theta = sqrt(theta2);
    const T c = cos(theta);
    const T s = sin(theta);
    const T w[3] = {r[0] / theta, r[1] / theta, r[2] / theta};
    const T t = (w[0] * d[0] + w[1] * d[1] + w[2] * d[2]) * (1.0 - c);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        x[i] = c * d[i] + s * (w[j] * d[k] - w[k] * d[j]) + t * w[i];
    }
    const T u = x[0] / x[2];
    const T v = x[1] / x[2];
    const T q = u * u + v * v;
    const T scale = in[6] * (1.0 + in[7] * q + in[8] * q * q);
    return {in[12] * (scale * u - in[13]), in[12] * (scale * v - in[14])};
}

Vector<double> numbers(std::size_t count) {
    Vector<double> result(count);
    for (std::size_t i = 0; i < count; ++i) result[i] = 0.3 + 0.5 * std::sin(1.0 + 0.7 * double(i));
    return result;
}

double median(const std::function<void()>& call) {
    Vector<double> times;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (times.size() < 5 || std::chrono::steady_clock::now() < end) {
        const auto start = std::chrono::steady_clock::now();
        call();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

template <typename Function, typename Plain>
void withTape(const char* name, short tape, std::size_t inputs, Function function, Plain plain) {
    Vector<double> point = numbers(inputs);
    std::size_t outputs = 0;
    const auto record = [&] {
        trace_on(tape);
        Vector<adouble> active(inputs);
        for (std::size_t i = 0; i < inputs; ++i) active[i] <<= point[i];
        Vector<adouble> result = function(active);
        outputs = result.size();
        double ignored = 0.0;
        for (adouble& each : result) each >>= ignored;
        trace_off();
    };
    record();
    Vector<double> tangent(outputs, 1.0);
    Vector<double> value(outputs);
    Vector<double> gradient(inputs);
    const auto backwards = [&] {
        ::zos_forward(tape, int(outputs), int(inputs), 1, point.data(), value.data());
        ::fos_reverse(tape, int(outputs), int(inputs), tangent.data(), gradient.data());
    };
    const double both = median([&] {
        record();
        backwards();
    });
    const double primal = median([&] { value = plain(point); });
    std::printf("| %s | %.4g | %.4g | %.4g |\n", name, primal, median(backwards), both);
}

}  // namespace

int main() {
    std::printf(
        "| gradient | primal, µs | ADOL-C, recorded tape, µs | ADOL-C with recording, µs |\n|---|---|---|---|\n");
    withTape("conv1d", 1, Convolution * Convolution * (Convolution + 1), conv1d<adouble>, conv1d<double>);
    withTape("matrix_multiply", 2, Product * (Product + 1), product<adouble>, product<double>);
    withTape("lstm", 3, 7 * Memory, lstm<adouble>, lstm<double>);
    withTape("gmm", 4, Mixture * (3 * Mixture + 1), gmm<adouble>, gmm<double>);
    withTape("bundle", 5, 15, bundle<adouble>, bundle<double>);
    using Jet = ceres::Jet<double, 15>;
    const Vector<double> point = numbers(15);
    double sink = 0.0;
    const double jets = median([&] {
        for (int repeat = 0; repeat < 1000; ++repeat) {
            Vector<Jet> active;
            for (int i = 0; i < 15; ++i) active.emplace_back(point[i], i);
            const Vector<Jet> result = bundle(active);
            sink += (result[0].v + result[1].v)[0];
        }
    });
    std::printf("Ceres jets, bundle: %.4g (%g)\n", jets / 1000.0, sink);
}
