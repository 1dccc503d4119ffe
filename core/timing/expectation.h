// SPDX-License-Identifier: GPL-3.0-or-later
// Whether costs expected the times that were measured: one definition and one set of words, for both programs.
#pragma once

#include "core/timing/time_ratio.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mitos::timing {

/// The costs of two programs beside their times.
struct Expectation {
    double expected = 1.0;  ///< the other program's cost, relative to the first one's
    TimeRatio measured;

    /// Costs that differ by no more than noise expect no difference.
    [[nodiscard]] Pace expectedPace() const;
    /// Whether the costs expected what was measured: the same pace, or a ratio that the measurement does not exclude. A gain that was
    /// not expected is as unexpected as one that was not found.
    [[nodiscard]] bool isMet() const;
};
/// Nothing if the first cost is 0 or negative, or one of both is not known: such costs have no ratio.
[[nodiscard]] std::optional<Expectation> expectationOf(const std::optional<double>& firstCost,
                                                       const std::optional<double>& otherCost,
                                                       const TimeRatio& measured);

/// Writes a ratio; the desktop's numbers have the form that the user's language has.
using RatioWriter = std::function<std::string(double ratio)>;
/// Digits after the point in which a ratio is written: two, and three close to 1.
[[nodiscard]] int ratioDigits(double ratio);
/// "0.81", "1.006".
[[nodiscard]] std::string ratioText(double ratio);
/// "1.06 (1.03 to 1.09)".
[[nodiscard]] std::string ratioText(const TimeRatio& ratio, const RatioWriter& write = {});

/// "measured 1.06 (1.03 to 1.09): slower".
[[nodiscard]] std::string measuredText(const TimeRatio& measured, const RatioWriter& write = {});
/// Who expected something: "The cost model roofline", by the name with or without its parameters.
[[nodiscard]] std::string costModelText(std::string_view name);
inline constexpr const char* OperatorsText = "The sum of the operators' times";
/// "The cost model roofline expected 0.81 of the time; measured 1.06 (1.03 to 1.09): slower."; `what` is what costs are: "time", "cost".
[[nodiscard]] std::string expectationText(std::string_view who, const Expectation& expectation, std::string_view what,
                                          const RatioWriter& write = {});

}  // namespace mitos::timing
