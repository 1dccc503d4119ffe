// SPDX-License-Identifier: GPL-3.0-or-later
// Handles SIGINT, SIGTERM and SIGHUP, so that a program can finish its work instead of being interrupted in the middle of it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <thread>

namespace mitos {

/// Receives SIGINT, SIGTERM and, unless it is ignored, SIGHUP while it exists. It must be constructed before other threads are
/// started: it blocks the signals in the constructing thread, and threads started later inherit the mask. A second SIGINT or SIGTERM
/// ends the process at once, with status 128 + signal.
class SignalWatch {
public:
    /// `heard` is called with the first signal, on a thread owned by the watch. With `patience`, the process ends as by a second signal if
    /// the watch still exists that long after a first SIGTERM, and `mayEnd` is true.
    explicit SignalWatch(std::function<void(int signal)> heard, std::optional<std::chrono::milliseconds> patience = {},
                         std::function<bool()> mayEnd = {});
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

private:
    std::jthread m_waiter;
};

}  // namespace mitos
