// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/truth.h"

#include <cmath>

namespace mitos::ir {

namespace {

/// The end of the whole numbers beyond a bound, moved by one where Floats are exact.
double beyond(double bound, double step) { return std::abs(bound) < 0x1p53 ? bound + step : bound; }

}  // namespace

Truth opposite(Truth comparison) {
    switch (comparison) {
        case Truth::Greater: return Truth::LessEqual;
        case Truth::LessEqual: return Truth::Greater;
        case Truth::Less: return Truth::GreaterEqual;
        case Truth::GreaterEqual: return Truth::Less;
        case Truth::Equal: return Truth::NotEqual;
        case Truth::NotEqual: return Truth::Equal;
        default: return Truth::None;
    }
}

Truth mirrored(Truth comparison) {
    switch (comparison) {
        case Truth::Greater: return Truth::Less;
        case Truth::LessEqual: return Truth::GreaterEqual;
        case Truth::Less: return Truth::Greater;
        case Truth::GreaterEqual: return Truth::LessEqual;
        default: return comparison;
    }
}

ValueRange comparedTo(Truth comparison, const ValueRange& other, bool isWhole) {
    ValueRange range;
    const bool isStrict = comparison == Truth::Greater || comparison == Truth::Less;
    const double step = isWhole && isStrict ? 1.0 : 0.0;
    switch (comparison) {
        case Truth::Greater:
        case Truth::GreaterEqual:
            range.low = beyond(other.low, step);
            range.isNonzero = other.low == 0.0 && (isStrict || other.excludesZero());
            return range;
        case Truth::Less:
        case Truth::LessEqual:
            range.high = beyond(other.high, -step);
            range.isNonzero = other.high == 0.0 && (isStrict || other.excludesZero());
            return range;
        case Truth::Equal: return other;
        case Truth::NotEqual: range.isNonzero = other.isZero(); return range;
        default: return range;
    }
}

}  // namespace mitos::ir
