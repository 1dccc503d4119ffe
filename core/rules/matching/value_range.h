// SPDX-License-Identifier: GPL-3.0-or-later
// The range of numbers that a term can have, derived from the term alone, for conditions such as `a.is_positive`.
#pragma once

#include "core/ir/term_bank.h"

#include <limits>

namespace mitos::rules {

/// Bounds that hold wherever the term has a value over the reals: the value lies in [low, high], and is not zero if isNonzero. For a tensor
/// or a tuple they hold for every number in it. Infinite ends are open; the default range says nothing.
struct ValueRange {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool isNonzero = false;

    [[nodiscard]] bool isPositive() const { return low > 0.0 || (low == 0.0 && isNonzero); }
    [[nodiscard]] bool isNonnegative() const { return low >= 0.0; }
    [[nodiscard]] bool isNegative() const { return high < 0.0 || (high == 0.0 && isNonzero); }
    [[nodiscard]] bool isNonpositive() const { return high <= 0.0; }
    [[nodiscard]] bool excludesZero() const { return isNonzero || low > 0.0 || high < 0.0; }

    friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// The range of a term of ks or of arrays, by abstract interpretation over intervals. It covers constants, arithmetic (equal operands are
/// recognized: a square is not negative), functions with a bounded range, sizes, elements of vectors built in place, lets, loops, and
/// the facts that the condition of an `if` implies in its arms. Variables, free or bound outside of the term, may have any value.
/// Takes time linear in the size of the term up to a limit, beyond which nothing is known.
[[nodiscard]] ValueRange valueRange(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::rules
