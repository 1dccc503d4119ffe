// SPDX-License-Identifier: GPL-3.0-or-later
// Times a run by a clock around batches of launches, the same way on CPUs and GPUs.
#pragma once

#include <cstdint>
#include <functional>

namespace mitos::measure {

struct Timing {
    double minimum = 0.0;  ///< seconds of one launch, of the batches' means
    double median = 0.0;
    double spread = 0.0;  ///< interquartile range
    std::uint32_t launches = 1;
    std::uint32_t batches = 1;
};

/// Which clock times batches. One thread that only computes takes as much time of the processor as of the wall, unless other programs
/// take the processor from it, which must not count.
enum class Clock { Wall, Processor };

/// Runs it a few times, finds how many launches take 2 ms, and times at least 15 such batches and for so many seconds; of a long run at
/// least 5. `synchronize` waits until the device has done what was launched.
[[nodiscard]] Timing timed(const std::function<void()>& run, const std::function<void()>& synchronize, Clock clock,
                           double seconds);

}  // namespace mitos::measure
