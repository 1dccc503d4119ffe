// SPDX-License-Identifier: GPL-3.0-or-later
// See work_limits.h.
#include "app/cli/work_limits.h"

#include "core/base/process_memory.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>

namespace mitos::cli {

namespace {

constexpr std::chrono::milliseconds BetweenLooks{20};

}  // namespace

void WorkLimits::add(CLI::App& command) {
    command.add_option("--seconds", seconds, "give up after that long")->check(positiveNumber());
    command.add_option("--memory", memoryMiB, "give up when the process holds that many MiB")
        ->check(CLI::Range(1, 1 << 20));
}

LimitWatch::LimitWatch(const WorkLimits& limits) : m_limits(limits) {
    if (!limits.seconds && !limits.memoryMiB) return;
    m_thread = std::jthread([this](const std::stop_token& ended) {
        std::mutex mutex;
        std::condition_variable_any wakes;
        std::unique_lock lock(mutex);
        while (!ended.stop_requested() && m_met == Met::None) {
            wakes.wait_for(lock, ended, BetweenLooks, [] { return false; });
            m_met = met();
        }
        if (m_met != Met::None) m_source.request_stop();
    });
}

LimitWatch::Met LimitWatch::met() const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - m_start;
    if (m_limits.seconds && elapsed.count() >= *m_limits.seconds) return Met::Seconds;
    if (m_limits.memoryMiB && residentBytes() > *m_limits.memoryMiB << 20U) return Met::Memory;
    return Met::None;
}

Status LimitWatch::status() const {
    const Met found = m_met != Met::None ? m_met.load() : met();
    if (found == Met::Seconds) {
        return Error{ErrorCode::Limit, fmt::format("the command did not end within {:g} s", *m_limits.seconds),
                     std::nullopt, "raise --seconds"};
    }
    if (found == Met::Memory) {
        return Error{ErrorCode::Limit, fmt::format("the command needed more than {} MiB", *m_limits.memoryMiB),
                     std::nullopt, "raise --memory"};
    }
    return mitos::Success{};
}

Error LimitWatch::explained(Error error) const {
    if (error.code != ErrorCode::Cancelled) return error;
    const Status limits = status();
    return limits ? error : limits.error();
}

}  // namespace mitos::cli
