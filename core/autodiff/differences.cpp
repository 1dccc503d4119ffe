// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/autodiff/differences.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mitos::autodiff {

namespace {

constexpr int Steps = 12;  // of the extrapolation
constexpr int LeastSteps = 3;
/// Differences whose estimated relative error is larger tell nothing.
constexpr double LargestError = 1e-4;
constexpr double ErrorMargin = 20.0;
/// Slopes below this part of the noise are compared as if they were as large.
constexpr double LeastSlope = 1e-7;
/// Smaller values are differences of larger ones, whose rounding they have.
constexpr double LeastValue = 0.1;

Numbers difference(const Numbers& up, const Numbers& down, double h) {
    Numbers slope(up.size());
    for (std::size_t i = 0; i < up.size(); ++i) slope[i] = (up[i] - down[i]) / (2.0 * h);
    return slope;
}

Numbers extrapolated(const Numbers& fine, const Numbers& coarse, double factor) {
    Numbers result(fine.size());
    for (std::size_t i = 0; i < fine.size(); ++i) result[i] = (factor * fine[i] - coarse[i]) / (factor - 1.0);
    return result;
}

/// Whether a step reaches a value with the decisions of the point.
bool isLike(const std::optional<Moved>& moved, const Moved& here) {
    return moved && moved->decisions == here.decisions && areFinite(moved->values) &&
           moved->values.size() == here.values.size();
}

}  // namespace

bool areFinite(const Numbers& numbers) {
    return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

double largest(const Numbers& numbers) {
    double most = 0.0;
    for (const double x : numbers) {
        if (!(std::abs(x) <= most)) most = std::abs(x);  // NaN, too
    }
    return most;
}

double largestDifference(const Numbers& a, const Numbers& b) {
    double most = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]);
        if (!(difference <= most)) most = difference;  // NaN, too
    }
    return most;
}

Product inner(const Numbers& a, const Numbers& b) {
    Product product;
    for (std::size_t i = 0; i < a.size(); ++i) {
        product.sum += a[i] * b[i];
        product.size += std::abs(a[i] * b[i]);
    }
    return product;
}

double relative(double difference, double size) {
    return difference == 0.0 ? 0.0 : difference / std::max(size, std::numeric_limits<double>::min());
}

double Slope::size() const { return std::max(largest(values), LeastSlope * noise); }

bool Slope::isSettled() const { return relative(error, size()) <= LargestError; }

double Slope::allowance(double relativeTo) const { return ErrorMargin * relative(error, relativeTo); }

Result<std::optional<Slope>> slopeAlong(MovedBy movedBy, const DifferenceOptions& options) {
    MITOS_TRY(const std::optional<Moved> here, movedBy(0.0));
    if (!here) return std::optional<Slope>();
    Slope best;
    std::vector<Numbers> above;  // the row of the tableau for the larger step
    int rows = 0;
    double h = options.firstStep;
    for (int k = 0; k < Steps; ++k) {
        MITOS_TRY(const std::optional<Moved> up, movedBy(h));
        MITOS_TRY(const std::optional<Moved> down, movedBy(-h));
        if (!isLike(up, *here) || !isLike(down, *here)) {
            above.clear();
            rows = 0;
            best = {};
            h /= options.skip;
            continue;
        }
        ++rows;
        const double noise = std::max({largest(up->values), largest(down->values), LeastValue}) / h;
        std::vector<Numbers> row{difference(up->values, down->values, h)};
        double factor = 4.0;
        for (std::size_t i = 0; i < above.size(); ++i, factor *= 4.0) {
            row.push_back(extrapolated(row[i], above[i], factor));
            const double error =
                std::max(largestDifference(row[i + 1], row[i]), largestDifference(row[i + 1], above[i]));
            if (error < best.error) best = {row[i + 1], error, noise};
        }
        above = std::move(row);
        if (rows >= LeastSteps && relative(best.error, best.size()) < options.enough) break;
        h /= 2.0;
    }
    if (rows < LeastSteps) return std::optional<Slope>();
    return std::optional(std::move(best));
}

}  // namespace mitos::autodiff
