// SPDX-License-Identifier: GPL-3.0-or-later
// Which numbers a term can stand for, read from the term alone: what conditions such as `a.is_positive` ask.
#pragma once

#include "core/ir/term_bank.h"

#include <limits>

namespace mitos::rules {

/// Every number that a term has where it has a value over the reals: within [low, high], and not zero where isNonzero. Of a tensor or a tuple
/// every number in it. Infinite ends are open; nothing is known of a term with the default range.
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

/// The range of a term, of ks or of arrays: an abstract interpretation over intervals. Constants, arithmetic (the same term twice is known to
/// be so: a square is not negative), functions with a bounded range, sizes, elements of what was just built, lets, loops, and
/// what the condition of an `if` says about its arms. Variables and what is bound outside of the term may be anything.
/// Takes time linear in the term up to a limit, beyond which nothing is known.
[[nodiscard]] ValueRange valueRange(const ir::TermBank& bank, ir::TermId term);

}  // namespace mitos::rules
