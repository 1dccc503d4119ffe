// SPDX-License-Identifier: GPL-3.0-or-later
// See signal_watch.h.
#include "core/base/signal_watch.h"

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace mitos {

namespace {

sigset_t watchedSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    // `nohup` ignores SIGHUP; if it were blocked, it would arrive here nevertheless.
    struct sigaction hangUp {};
    const bool isIgnored = sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler == SIG_IGN;
    if (!isIgnored) sigaddset(&signals, SIGHUP);
    return signals;
}

}  // namespace

SignalWatch::SignalWatch(std::function<void(int signal)> heard, std::optional<std::chrono::milliseconds> patience,
                         std::function<bool()> mayEnd) {
    const sigset_t signals = watchedSignals();
    // The signals are blocked here and thus in every thread started later; only the waiting thread receives them.
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    m_waiter = std::jthread(
        [heard = std::move(heard), patience, mayEnd = std::move(mayEnd), signals](const std::stop_token& done) {
            constexpr timespec Slice{0, 50'000'000};
            bool isHeard = false;
            bool isAsked = false;
            std::optional<std::chrono::steady_clock::time_point> latest;
            while (!done.stop_requested()) {
                const int signal = sigtimedwait(&signals, nullptr, &Slice);
                if (latest && std::chrono::steady_clock::now() >= *latest && mayEnd()) std::_Exit(128 + SIGTERM);
                if (signal <= 0) continue;
                // A closed terminal sends SIGHUP more than once, and at the end of a session SIGTERM follows it.
                if (isAsked && signal != SIGHUP) std::_Exit(128 + signal);
                isAsked = isAsked || signal != SIGHUP;
                if (patience && signal == SIGTERM) latest = std::chrono::steady_clock::now() + *patience;
                if (!std::exchange(isHeard, true)) heard(signal);
            }
        });
}

SignalWatch::~SignalWatch() {
    m_waiter.request_stop();
    m_waiter.join();
    const sigset_t signals = watchedSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace mitos
