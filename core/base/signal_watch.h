// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT, SIGTERM and SIGHUP, so that a program can end its work instead of being ended in the middle of it.
#pragma once

#include <functional>
#include <thread>

namespace mitos {

/// Takes SIGINT, SIGTERM and, unless it is ignored, SIGHUP while it exists. To be made before other threads are: it blocks the
/// signals in its own thread, and those started later inherit that. A second SIGINT or SIGTERM ends the process at once, with
/// status 128 + signal.
class SignalWatch {
public:
    /// `heard` is called with the first signal, on a thread of the watch.
    explicit SignalWatch(std::function<void(int signal)> heard);
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

private:
    std::jthread m_waiter;
};

}  // namespace mitos
