// SPDX-License-Identifier: GPL-3.0-or-later
// The deviation between the values of one node before and after a step. Private to core/eval.
#pragma once

#include "core/tensor/array.h"

#include <cstddef>
#include <span>
#include <string>

namespace mitos::eval {

struct ArrayDifference {
    double deviation = 0.0;    ///< the largest |a - b| / max(magnitude(a), |a|, |b|); infinite for unequal Integers
    std::size_t output = 0;    ///< index of the array with the largest deviation
    std::size_t element = 0;   ///< index of its element
    std::size_t compared = 0;  ///< elements that were finite before
    /// All elements before the step are finite, and none is so large that cancellation in the sums it comes from hides differences.
    bool isTelling = true;
    std::string mismatch = {};  ///< describes differing shapes or element types; the deviation is then infinite
};

/// The least magnitude if nothing else is known: a smaller difference may be the rounding of larger numbers that were subtracted.
constexpr double LeastMagnitude = 1e-6;

/// The scale for differences of the array's elements, from `least` to 1: its largest finite element. The probabilities of a thousand
/// classes are small, and so are the differences that matter.
[[nodiscard]] double magnitude(const tensor::Array& array, double least = LeastMagnitude);

/// Elements that are not finite before the step are skipped. `least` is passed to magnitude(). With `mayFail`, elements that are not
/// finite after the step are skipped too.
[[nodiscard]] ArrayDifference difference(std::span<const tensor::ArrayPtr> before,
                                         std::span<const tensor::ArrayPtr> after, double least, bool mayFail);

/// The index of an element, "[0,3]".
[[nodiscard]] std::string indexText(const tensor::Array& array, std::size_t element);

}  // namespace mitos::eval
