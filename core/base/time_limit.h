// SPDX-License-Identifier: GPL-3.0-or-later
// A time limit for work that can be stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace mitos {

/// A stop token that fires when another token does or when the time has elapsed. isOver() distinguishes the two cases.
class TimeLimit {
public:
    /// `seconds` of 0 or less means no limit.
    TimeLimit(double seconds, const std::stop_token& stop);
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;
    ~TimeLimit() = default;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }
    /// Whether the time elapsed; false if the other token requested the stop.
    [[nodiscard]] bool isOver() const { return m_isOver; }
    /// Seconds since construction.
    [[nodiscard]] double elapsed() const;

private:
    std::chrono::steady_clock::time_point m_start;
    std::atomic<bool> m_isOver = false;
    std::stop_source m_source;
    std::stop_callback<std::function<void()>> m_forward;
    std::jthread m_timer;  // last, because it uses the other members
};

}  // namespace mitos
