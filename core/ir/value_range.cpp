// SPDX-License-Identifier: GPL-3.0-or-later
// Interval arithmetic with outward rounding.
#include "core/ir/value_range.h"

#include <algorithm>
#include <cmath>

namespace mitos::ir {

namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr ValueRange Anything{};

/// The sum; if it was rounded, the next Float in the direction.
double sumTowards(double a, double b, double direction) {
    const double sum = a + b;
    if (std::isnan(sum)) return direction;
    if (!std::isfinite(sum)) return std::isinf(a) || std::isinf(b) ? sum : direction;
    const double rest = sum - a;
    const bool isExact = (a - (sum - rest)) + (b - rest) == 0.0;
    return isExact ? sum : std::nextafter(sum, direction);
}

double productTowards(double a, double b, double direction) {
    if (a == 0.0 || b == 0.0) return 0.0;  // an infinite end is open, so zero times it is zero
    const double product = a * b;
    if (std::isinf(product)) return std::isinf(a) || std::isinf(b) ? product : std::nextafter(product, direction);
    const bool isExact = std::abs(product) > 1e-280 && std::fma(a, b, -product) == 0.0;
    return isExact ? product : std::nextafter(product, direction);
}

double quotientTowards(double a, double b, double direction) {
    if (std::isinf(b)) return 0.0;
    const double quotient = a / b;
    if (std::isinf(quotient)) return std::isinf(a) ? quotient : std::nextafter(quotient, direction);
    const bool isExact = a == 0.0 || (std::abs(quotient) > 1e-280 && std::fma(quotient, b, -a) == 0.0);
    return isExact ? quotient : std::nextafter(quotient, direction);
}

/// The range of the values of `f` at the ends of both, rounded outward.
template <typename F>
ValueRange ofEnds(const ValueRange& a, const ValueRange& b, F f) {
    ValueRange result{Infinity, -Infinity, false};
    for (const double x : {a.low, a.high}) {
        for (const double y : {b.low, b.high}) {
            result.low = std::min(result.low, f(x, y, -Infinity));
            result.high = std::max(result.high, f(x, y, Infinity));
        }
    }
    return result;
}

}  // namespace

ValueRange ValueRange::exactly(double value) {
    if (!std::isfinite(value)) return Anything;
    return {value, value, value != 0.0};
}

ValueRange hull(const ValueRange& a, const ValueRange& b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high), a.excludesZero() && b.excludesZero()};
}

ValueRange meet(const ValueRange& a, const ValueRange& b) {
    const ValueRange both{std::max(a.low, b.low), std::min(a.high, b.high), a.excludesZero() || b.excludesZero()};
    return both.low <= both.high ? both : a;
}

ValueRange negated(const ValueRange& a) { return {-a.high, -a.low, a.isNonzero}; }

ValueRange sum(const ValueRange& a, const ValueRange& b) {
    ValueRange result{sumTowards(a.low, b.low, -Infinity), sumTowards(a.high, b.high, Infinity), false};
    // Rounding must not lose that the sum of a positive number and a nonnegative one is positive.
    if (a.isNonnegative() && b.isNonnegative()) {
        result.low = std::max(result.low, 0.0);
        result.isNonzero = a.isPositive() || b.isPositive();
    }
    if (a.isNonpositive() && b.isNonpositive()) {
        result.high = std::min(result.high, 0.0);
        result.isNonzero = a.isNegative() || b.isNegative();
    }
    return result;
}

ValueRange product(const ValueRange& a, const ValueRange& b) {
    ValueRange result = ofEnds(a, b, productTowards);
    const bool isNonnegative = (a.isNonnegative() && b.isNonnegative()) || (a.isNonpositive() && b.isNonpositive());
    const bool isNonpositive = (a.isNonnegative() && b.isNonpositive()) || (a.isNonpositive() && b.isNonnegative());
    if (isNonnegative) result.low = std::max(result.low, 0.0);
    if (isNonpositive) result.high = std::min(result.high, 0.0);
    result.isNonzero = a.excludesZero() && b.excludesZero();
    return result;
}

ValueRange quotient(const ValueRange& a, const ValueRange& b) {
    ValueRange result = Anything;
    if (b.low > 0.0 || b.high < 0.0) {
        result = ofEnds(a, b, quotientTowards);
    } else {
        const bool isNonnegative = (a.isNonnegative() && b.isNonnegative()) || (a.isNonpositive() && b.isNonpositive());
        const bool isNonpositive = (a.isNonnegative() && b.isNonpositive()) || (a.isNonpositive() && b.isNonnegative());
        if (isNonnegative) result.low = 0.0;
        if (isNonpositive) result.high = 0.0;
    }
    result.isNonzero = a.excludesZero();
    return result;
}

ValueRange absolute(const ValueRange& a) {
    if (a.isNonnegative()) return a;
    if (a.isNonpositive()) return negated(a);
    return {0.0, std::max(-a.low, a.high), a.isNonzero};
}

ValueRange square(const ValueRange& a) {
    ValueRange result = product(absolute(a), absolute(a));
    result.isNonzero = a.excludesZero();
    return result;
}

ValueRange larger(const ValueRange& a, const ValueRange& b) {
    const double low = std::max(a.low, b.low);
    // If both ends are zero, it is enough that one operand is positive.
    const bool isNonzero = a.isPositive() || b.isPositive() || (a.excludesZero() && b.excludesZero());
    return {low, std::max(a.high, b.high), isNonzero};
}

ValueRange smaller(const ValueRange& a, const ValueRange& b) { return negated(larger(negated(a), negated(b))); }

ValueRange truncatedQuotient(const ValueRange& a, const ValueRange& b) {
    ValueRange result = quotient(a, b);
    const bool isNonnegative = result.isNonnegative();
    const bool isNonpositive = result.isNonpositive();
    result = {std::min(result.low, 0.0), std::max(result.high, 0.0), false};
    if (isNonnegative) result.low = 0.0;
    if (isNonpositive) result.high = 0.0;
    return result;
}

ValueRange exponential(const ValueRange& a) {
    return {a.isNonnegative() ? 1.0 : 0.0, a.isNonpositive() ? 1.0 : Infinity, true};
}

ValueRange logarithm(const ValueRange& a) {
    return {a.low >= 1.0 ? 0.0 : -Infinity, a.high <= 1.0 ? 0.0 : Infinity, a.low > 1.0 || a.high < 1.0};
}

ValueRange squareRoot(const ValueRange& a) {
    const double low = a.low > 0.0 ? std::nextafter(std::sqrt(a.low), 0.0) : 0.0;
    return {a.low >= 1.0 ? std::max(low, 1.0) : low, Infinity, a.excludesZero()};
}

ValueRange oddUnitRange(const ValueRange& a) {
    return {a.isNonnegative() ? 0.0 : -1.0, a.isNonpositive() ? 0.0 : 1.0, a.excludesZero()};
}

ValueRange power(const ValueRange& base, const ValueRange& exponent) {
    if (exponent.low != exponent.high) {
        const bool isPositive = base.isPositive();
        return isPositive             ? ValueRange{0.0, Infinity, true}
               : base.isNonnegative() ? ValueRange{0.0, Infinity, false}
                                      : Anything;
    }
    if (exponent.low == 0.0) return ValueRange::exactly(1.0);
    if (exponent.low == 2.0) return square(base);
    const bool isEven = std::fmod(exponent.low, 2.0) == 0.0;
    if (!isEven && !base.isNonnegative()) return Anything;
    return {0.0, Infinity, base.excludesZero()};
}

ValueRange repeated(const ValueRange& element) {
    return {element.isNonnegative() ? element.low : -Infinity, element.isNonpositive() ? element.high : Infinity,
            (element.isNonnegative() || element.isNonpositive()) && element.isNonzero};
}

ValueRange ofWhole(const ValueRange& range) {
    ValueRange result = range;
    if (result.isNonzero && result.low == 0.0) result.low = 1.0;
    if (result.isNonzero && result.high == 0.0) result.high = -1.0;
    return result;
}

ValueRange wrapped(const ValueRange& exact, const WholeLimits& limits) {
    if (exact.low < limits.low || exact.high >= limits.end) return limits.range();
    return ofWhole(exact);
}

}  // namespace mitos::ir
