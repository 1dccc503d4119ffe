// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/random_keys/beta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mitos::random_keys {

namespace {

constexpr double LeastShape = 0.01;
constexpr double GreatestShape = 1e4;

/// The logarithm of the gamma function of x > 0 by Stirling's series, to nine digits. The C library's function is not for several threads.
double logGamma(double x) {
    constexpr double SeriesFrom = 8.0;
    double sum = 0.0;
    for (; x < SeriesFrom; x += 1.0) sum -= std::log(x);
    const double y = 1.0 / (x * x);
    return sum + (x - 0.5) * std::log(x) - x + 0.5 * std::log(2.0 * std::numbers::pi) +
           (1.0 / 12.0 - y * (1.0 / 360.0 - y / 1260.0)) / x;
}

/// The continued fraction of the incomplete beta function by Lentz's method; it converges fast for x below the mean.
double fractionOf(double a, double b, double x) {
    constexpr double Tiny = 1e-300;
    constexpr double Precision = 1e-12;
    constexpr int MostTerms = 1'000;
    const auto apart = [](double value) { return std::abs(value) < Tiny ? Tiny : value; };
    double c = 1.0;
    double d = 1.0 / apart(1.0 - (a + b) * x / (a + 1.0));
    double result = d;
    for (int m = 1; m <= MostTerms; ++m) {
        const double k = m;
        for (const double term : {k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k)),
                                  -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0))}) {
            d = 1.0 / apart(1.0 + term * d);
            c = apart(1.0 + term / c);
            result *= c * d;
        }
        if (std::abs(c * d - 1.0) < Precision) break;
    }
    return result;
}

/// The logarithm of 1 / B(alpha, beta), the factor of the density.
double logFactor(const Beta& distribution) {
    const double a = distribution.alpha;
    const double b = distribution.beta;
    return logGamma(a + b) - logGamma(a) - logGamma(b);
}

/// probabilityUpTo() for x inside (0, 1), and the density there.
struct Slope {
    double probability;
    double density;
};
Slope slopeAt(const Beta& distribution, double factor, double x) {
    const double a = distribution.alpha;
    const double b = distribution.beta;
    const double front = std::exp(factor + a * std::log(x) + b * std::log1p(-x));
    const double probability =
        x < (a + 1.0) / (a + b + 2.0) ? front * fractionOf(a, b, x) / a : 1.0 - front * fractionOf(b, a, 1.0 - x) / b;
    return {std::clamp(probability, 0.0, 1.0), front / (x * (1.0 - x))};
}

}  // namespace

Status checkDistributions(const MutantDistributions& mutants, std::size_t genes) {
    if (mutants.ofGene.empty()) return Success{};
    if (mutants.ofGene.size() != genes) {
        return inputError(
            fmt::format("there are {} distributions of mutants for {} genes", mutants.ofGene.size(), genes),
            "give one for each gene, or none");
    }
    for (const Beta& choice : mutants.choices) {
        const auto isShape = [](double shape) { return shape >= LeastShape && shape <= GreatestShape; };
        if (!isShape(choice.alpha) || !isShape(choice.beta)) {
            return inputError(fmt::format("Beta({}, {}) cannot be used", choice.alpha, choice.beta),
                              fmt::format("both shapes must be between {} and {}", LeastShape, GreatestShape));
        }
    }
    for (const std::uint16_t number : mutants.ofGene) {
        if (number >= mutants.choices.size()) {
            return inputError(fmt::format("a gene has distribution {} of {}", number, mutants.choices.size()),
                              "distributions are numbered from 0");
        }
    }
    return Success{};
}

double probabilityUpTo(const Beta& distribution, double x) {
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    return slopeAt(distribution, logFactor(distribution), x).probability;
}

Quantiles::Quantiles(const Beta& distribution) {
    constexpr int MostSteps = 60;
    constexpr double Precision = 1e-10;  // less than a float distinguishes
    constexpr double Margin = 1.0 / (16.0 * Intervals);
    const double factor = logFactor(distribution);
    double last = 0.0;
    for (std::size_t i = 0; i <= Intervals; ++i) {
        const double u = std::clamp(static_cast<double>(i) / Intervals, Margin, 1.0 - Margin);
        double low = last;
        double high = 1.0;
        // Newton's method, which takes the middle where a step would leave what is known to contain the quantile.
        double x = 0.5 * (low + high);
        for (int k = 0; k < MostSteps && high - low > Precision; ++k) {
            const Slope slope = slopeAt(distribution, factor, x);
            (slope.probability < u ? low : high) = x;
            const double next = x - (slope.probability - u) / slope.density;
            const double before = x;
            x = next > low && next < high ? next : 0.5 * (low + high);
            if (std::abs(x - before) < Precision) break;
        }
        last = x;
        m_at[i] = static_cast<float>(x);
    }
}

}  // namespace mitos::random_keys
