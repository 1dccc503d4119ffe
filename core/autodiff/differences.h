// SPDX-License-Identifier: GPL-3.0-or-later
// Derivatives along a direction, as central differences tell them: extrapolated to step zero (Ridders 1982), with their estimated error.
// The checks of both dialects compare with them.
#pragma once

#include "core/base/result.h"

#include <absl/functional/function_ref.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mitos::autodiff {

using Numbers = std::vector<double>;

/// The derivative along a direction as differences tell it.
struct Slope {
    Numbers values;
    double error = std::numeric_limits<double>::infinity();  ///< estimated, absolute
    double noise = 0.0;  ///< what is subtracted to find it, over the step: smaller slopes are lost in it

    /// The size that deviations are relative to: of the largest element, or of what is lost in the noise.
    [[nodiscard]] double size() const;
    /// Whether the differences converge, so that they tell something.
    [[nodiscard]] bool isSettled() const;
    /// The deviation that may be allowed for the estimated error, relative to numbers of a size.
    [[nodiscard]] double allowance(double relativeTo) const;
};

/// The value of a function beside a point, and the decisions that it takes there: branches, signs.
struct Moved {
    Numbers values;
    std::string decisions;
};
/// The function moved along the direction by a step. Nothing if it has no value there; an error ends the search.
using MovedBy = absl::FunctionRef<Result<std::optional<Moved>>(double step)>;

struct DifferenceOptions {
    double firstStep = 0.01;
    double enough = 0.0;  ///< relative error with which no further steps are made
    double skip = 2.0;    ///< how many times smaller the step is that follows one at which decisions change
};

/// Up to twelve steps, each half of the one before; those at which decisions are not the point's are left out. Nothing if that leaves
/// only the last few.
[[nodiscard]] Result<std::optional<Slope>> slopeAlong(MovedBy movedBy, const DifferenceOptions& options);

struct Product {
    double sum = 0.0;
    double size = 0.0;  ///< of the absolute values
};
[[nodiscard]] Product inner(const Numbers& a, const Numbers& b);
/// The largest absolute value; NaN if one is.
[[nodiscard]] double largest(const Numbers& numbers);
[[nodiscard]] double largestDifference(const Numbers& a, const Numbers& b);
[[nodiscard]] double relative(double difference, double size);
[[nodiscard]] bool areFinite(const Numbers& numbers);

}  // namespace mitos::autodiff
