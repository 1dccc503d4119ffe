// SPDX-License-Identifier: GPL-3.0-or-later
// How far the values of one node before and after a step are apart. Private to core/eval.
#pragma once

#include "core/tensor/array.h"

#include <cstddef>
#include <span>
#include <string>

namespace mitos::eval {

struct ArrayDifference {
    double deviation = 0.0;    ///< the largest |a - b| / max(magnitude(a), |a|, |b|); of Integers infinite, if not 0
    std::size_t output = 0;    ///< where that is: which array
    std::size_t element = 0;   ///< and which element of it
    std::size_t compared = 0;  ///< elements that were finite before
    /// All elements before are finite, and none is so large that the sums it comes from cancel too much to tell anything.
    bool isTelling = true;
    std::string mismatch = {};  ///< of shapes or element types; then the deviation is infinite
};

/// Below it a difference may be the rounding of larger numbers that were subtracted, where nothing more is known of them.
constexpr double LeastMagnitude = 1e-6;

/// What differences of the array's elements are measured by, from `least` to 1: its largest finite element. The probabilities of
/// a thousand classes are small, and so are differences that matter.
[[nodiscard]] double magnitude(const tensor::Array& array, double least = LeastMagnitude);

/// Elements that are not finite before are not compared. least: as for magnitude(). mayFail: nor those that are not finite after.
[[nodiscard]] ArrayDifference difference(std::span<const tensor::ArrayPtr> before,
                                         std::span<const tensor::ArrayPtr> after, double least, bool mayFail);

/// The index of an element, "[0,3]".
[[nodiscard]] std::string indexText(const tensor::Array& array, std::size_t element);

}  // namespace mitos::eval
