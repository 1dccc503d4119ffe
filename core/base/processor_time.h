// SPDX-License-Identifier: GPL-3.0-or-later
// How long the calling thread has had a processor: what work takes on a machine that does other things at the same time.
#pragma once

#include <ctime>

namespace mitos {

/// In seconds, since the thread began.
[[nodiscard]] inline double threadSeconds() {
    std::timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    constexpr double Nano = 1e-9;
    return static_cast<double>(now.tv_sec) + Nano * static_cast<double>(now.tv_nsec);
}

}  // namespace mitos
