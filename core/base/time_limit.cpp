// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/time_limit.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace mitos {

namespace {

constexpr double Longest = 1e8;  ///< seconds; clocks overflow far beyond

}  // namespace

TimeLimit::TimeLimit(double seconds, const std::stop_token& stop)
    : m_start(std::chrono::steady_clock::now()),
      m_forward(stop, [this] { m_source.request_stop(); }) {
    if (seconds <= 0.0) return;
    m_timer = std::jthread([this, seconds](const std::stop_token& ended) {
        std::mutex mutex;
        std::condition_variable_any wakes;
        std::unique_lock lock(mutex);
        wakes.wait_for(lock, ended, std::chrono::duration<double>(std::min(seconds, Longest)), [] { return false; });
        if (ended.stop_requested() || m_source.stop_requested()) return;
        m_isOver = true;
        m_source.request_stop();
    });
}

double TimeLimit::elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

}  // namespace mitos
