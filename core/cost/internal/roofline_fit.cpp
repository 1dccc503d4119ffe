// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/internal/roofline_fit.h"

#include <algorithm>
#include <vector>

namespace mitos::cost {

bool isLong(const TimedWork& work, double launchSeconds) {
    constexpr double MuchLonger = 5.0;
    return work.seconds >= MuchLonger * launchSeconds;
}

FittedRates fittedRates(std::span<const TimedWork> works, double launchSeconds, double share) {
    std::vector<double> flops{1.0 / launchSeconds};
    std::vector<double> bytes{1.0 / launchSeconds};
    for (const TimedWork& work : works) {
        if (!isLong(work, launchSeconds)) continue;
        flops.push_back(work.flops / (work.seconds - launchSeconds));
        bytes.push_back(work.bytes / (work.seconds - launchSeconds));
    }
    return {std::max(quantile(flops, share), 1.0), std::max(quantile(bytes, share), 1.0)};
}

double quantile(std::span<const double> values, double share) {
    std::vector<double> ordered(values.begin(), values.end());
    const auto place = ordered.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(ordered.size() - 1));
    std::ranges::nth_element(ordered, place);
    return *place;
}

}  // namespace mitos::cost
