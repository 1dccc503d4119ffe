// SPDX-License-Identifier: GPL-3.0-or-later
// Ranges of numbers, and arithmetic on them: a lattice of intervals that may leave out zero.
#pragma once

#include <limits>
#include <utility>

namespace mitos::ir {

/// Bounds of a number: it lies in [low, high], and is not zero if isNonzero. Infinite ends are open; the default says nothing.
///
/// Of whole numbers the bounds hold as machines compute: they wrap (see wrapped()). Of other numbers they hold over the reals wherever
/// there is a value; low and high also hold for Floats that are not NaN, since each operation rounds its ends outward, while a
/// number that isNonzero may underflow to zero. Of a tensor, an array or a tuple they hold for each number in it.
struct ValueRange {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool isNonzero = false;

    [[nodiscard]] bool isPositive() const { return low > 0.0 || (low == 0.0 && isNonzero); }
    [[nodiscard]] bool isNonnegative() const { return low >= 0.0; }
    [[nodiscard]] bool isNegative() const { return high < 0.0 || (high == 0.0 && isNonzero); }
    [[nodiscard]] bool isNonpositive() const { return high <= 0.0; }
    [[nodiscard]] bool excludesZero() const { return isNonzero || low > 0.0 || high < 0.0; }
    [[nodiscard]] bool isZero() const { return low == 0.0 && high == 0.0; }
    /// Whether every number of the range has a magnitude below the limit.
    [[nodiscard]] bool isBelow(double limit) const { return low > -limit && high < limit; }

    /// The range of one number; nothing is known of NaN and infinities.
    static ValueRange exactly(double value);

    friend bool operator==(const ValueRange&, const ValueRange&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const ValueRange& range) {
        return H::combine(std::move(h), range.low, range.high, range.isNonzero);
    }
};

/// The least range that contains both (the join of the lattice).
[[nodiscard]] ValueRange hull(const ValueRange& a, const ValueRange& b);
/// What both say together (the meet). Where they contradict each other there is no value, so any range holds, and `a` is returned.
[[nodiscard]] ValueRange meet(const ValueRange& a, const ValueRange& b);

[[nodiscard]] ValueRange negated(const ValueRange& a);
[[nodiscard]] ValueRange sum(const ValueRange& a, const ValueRange& b);
[[nodiscard]] ValueRange product(const ValueRange& a, const ValueRange& b);
/// The quotient over the reals, where the divisor is not zero.
[[nodiscard]] ValueRange quotient(const ValueRange& a, const ValueRange& b);
/// The quotient, truncated towards zero.
[[nodiscard]] ValueRange truncatedQuotient(const ValueRange& a, const ValueRange& b);
[[nodiscard]] ValueRange absolute(const ValueRange& a);
[[nodiscard]] ValueRange square(const ValueRange& a);
[[nodiscard]] ValueRange larger(const ValueRange& a, const ValueRange& b);
[[nodiscard]] ValueRange smaller(const ValueRange& a, const ValueRange& b);
[[nodiscard]] ValueRange exponential(const ValueRange& a);
[[nodiscard]] ValueRange logarithm(const ValueRange& a);
[[nodiscard]] ValueRange squareRoot(const ValueRange& a);
/// An odd function with values between -1 and 1 that is zero at zero only: tanh, erf.
[[nodiscard]] ValueRange oddUnitRange(const ValueRange& a);
/// The base to a power of this range; whole exponents only give bounds for bases that may be negative.
[[nodiscard]] ValueRange power(const ValueRange& base, const ValueRange& exponent);
/// A sum of one or more numbers of the range.
[[nodiscard]] ValueRange repeated(const ValueRange& element);

/// The whole numbers that a machine type holds: from low to high, a number that is written as the power of two above it.
struct WholeLimits {
    double low = 0.0;
    double end = 0.0;  ///< all numbers are below it
    /// The last number below the end, where a Float is that; else the end.
    [[nodiscard]] ValueRange range() const { return {low, end - 1.0, false}; }
};
/// 64 bits with a sign: the Integers of ks.
inline constexpr WholeLimits Signed64{-0x1p63, 0x1p63};
/// The most that a size or the number of a loop's iterations can be: no machine holds, and no loop reaches, more.
inline constexpr double LargestSize = 0x1p48;
[[nodiscard]] inline ValueRange sizeRange() { return {0.0, LargestSize, false}; }

/// The range of whole numbers in a range: those that are not zero are at least 1 away from it.
[[nodiscard]] ValueRange ofWhole(const ValueRange& range);
/// A range of whole numbers that were computed without limits, as the machine has it: everything, if one of them may wrap.
[[nodiscard]] ValueRange wrapped(const ValueRange& exact, const WholeLimits& limits);

}  // namespace mitos::ir
