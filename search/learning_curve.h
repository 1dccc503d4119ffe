// SPDX-License-Identifier: GPL-3.0-or-later
// The points of a learning curve: events of trainings, and part of the models that they write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace mitos::search {

/// A validation: the most probable choices on the graphs that are not trained on.
struct CurvePoint {
    std::uint32_t step = 0;
    double seconds = 0.0;      ///< of training, up to here
    double improvement = 0.0;  ///< mean over the graphs of 1 - cost / cost of the first choice
    std::uint32_t better = 0;  ///< graphs whose cost is less, and those whose cost is more
    std::uint32_t worse = 0;
    double reward = 0.0;   ///< mean of -cost / cost of the first choice over the trials since the last point; 0: none
    double entropy = 0.0;  ///< mean of a decision, in nats, over the steps since the last point

    friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// The point with the highest improvement, of equal ones the first; null without points. It lives as long as the curve.
[[nodiscard]] inline const CurvePoint* bestIn(std::span<const CurvePoint> curve) {
    const auto best = std::ranges::max_element(curve, {}, &CurvePoint::improvement);
    return best == curve.end() ? nullptr : &*best;
}

}  // namespace mitos::search
