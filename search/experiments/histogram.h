// SPDX-License-Identifier: GPL-3.0-or-later
// Bins of equal width, for histograms.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mitos::search::experiments {

struct Bins {
    double begin = 0.0;  ///< a multiple of the width
    double width = 1.0;  ///< 1, 2 or 5 times a power of ten
    std::size_t count = 1;

    /// The borders of a bin, "1.05 to 1.1", without the rounding of their computation.
    [[nodiscard]] std::string text(std::size_t bin) const;
};
/// The narrowest bins, 0.01 or wider, that hold all numbers and one more, such as the one that stands for no change, and of which these numbers
/// span at most so many.
[[nodiscard]] Bins binsOf(std::span<const double> numbers, double included, double most);

/// The shares of numbers, in per cent of `all`. A number on a border counts in the upper bin; those outside count in the outermost bins.
[[nodiscard]] std::vector<double> binShares(std::span<const double> numbers, const Bins& bins, std::size_t all);

}  // namespace mitos::search::experiments
