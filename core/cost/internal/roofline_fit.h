// SPDX-License-Identifier: GPL-3.0-or-later
// The roofline of a machine on which operations took these times.
#pragma once

#include <span>

namespace mitos::cost {

/// A measured operation as a roofline sees it.
struct TimedWork {
    double flops = 0.0;
    double bytes = 0.0;
    double seconds = 0.0;
};

struct FittedRates {
    double flopsPerSecond = 1.0;
    double bytesPerSecond = 1.0;
};

/// Whether the operation takes much longer than a launch, so that its rates say something about the machine.
[[nodiscard]] bool isLong(const TimedWork& work, double launchSeconds);

/// The rates that all but the best of the long operations do not exceed; `share` is the share of those that do not: 0.9 leaves out the best
/// tenth, and 1 nothing. Without long operations, the rates are one unit a launch.
[[nodiscard]] FittedRates fittedRates(std::span<const TimedWork> works, double launchSeconds, double share);

/// The value below which that share of the values lies. There must be values.
[[nodiscard]] double quantile(std::span<const double> values, double share);

}  // namespace mitos::cost
