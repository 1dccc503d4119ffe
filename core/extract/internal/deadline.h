// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <chrono>
#include <stop_token>

namespace mitos::extract {

/// When a method must end: after a time limit, or when the user requests it.
class Deadline {
public:
    Deadline(double seconds, std::stop_token stop)
        : m_end(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(std::clamp(seconds, 0.0, LongestSeconds)))),
          m_stop(std::move(stop)) {}

    [[nodiscard]] bool isReached() const { return m_stop.stop_requested() || Clock::now() >= m_end; }
    [[nodiscard]] bool isStopped() const { return m_stop.stop_requested(); }
    [[nodiscard]] double secondsLeft() const {
        return std::max(0.0, std::chrono::duration<double>(m_end - Clock::now()).count());
    }
    [[nodiscard]] std::chrono::steady_clock::time_point end() const { return m_end; }
    [[nodiscard]] const std::stop_token& stop() const { return m_stop; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double LongestSeconds = 1e8;

    Clock::time_point m_end;
    std::stop_token m_stop;
};

}  // namespace mitos::extract
