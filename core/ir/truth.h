// SPDX-License-Identifier: GPL-3.0-or-later
// What a truth value says about the operands that it was computed from: comparisons, and conditions joined from others.
#pragma once

#include "core/ir/value_range.h"

#include <cstdint>

namespace mitos::ir {

/// The meaning of an operator with a truth value. With NaN neither a comparison nor its opposite holds, but then an operand has no value
/// over the reals.
enum class Truth : std::uint8_t { None, Greater, LessEqual, Less, GreaterEqual, Equal, NotEqual, And, Or, Not };

/// The comparison that holds where this one does not.
[[nodiscard]] Truth opposite(Truth comparison);
/// The comparison of the operands in the other order: a > b is b < a.
[[nodiscard]] Truth mirrored(Truth comparison);
/// The range of a number for which the comparison with a number of the range `other` holds. A whole number above another one is at
/// least 1 larger.
[[nodiscard]] ValueRange comparedTo(Truth comparison, const ValueRange& other, bool isWhole);

}  // namespace mitos::ir
