// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/summary.h"

#include "core/timing/internal/bootstrap.h"

#include <algorithm>
#include <utility>

namespace mitos::timing {

TimeSummary summaryOf(const Blocks& blocks, std::uint32_t calls) {
    std::vector<double> all;
    for (const std::vector<double>& block : blocks) all.insert(all.end(), block.begin(), block.end());
    const std::size_t count = all.size();
    std::vector<double> drawn;
    const Interval likely = bootstrapped([&](Random& random) {
        drawn.clear();
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const std::vector<double>& block = blocks[random.below(blocks.size())];
            for (std::size_t r = 0; r < block.size(); ++r) drawn.push_back(block[random.below(block.size())]);
        }
        return medianOf(drawn);
    });
    const Spread seconds = spreadOf(std::move(all));
    return {.seconds = seconds,
            .likely = {std::min(likely.low, seconds.median), std::max(likely.high, seconds.median)},
            .count = count,
            .calls = calls};
}

}  // namespace mitos::timing
