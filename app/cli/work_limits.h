// SPDX-License-Identifier: GPL-3.0-or-later
// Limits on work that has no result before its end.
#pragma once

#include "app/cli/context.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>

namespace mitos::cli {

struct WorkLimits {
    std::optional<double> seconds;           ///< of the whole command
    std::optional<std::uint64_t> memoryMiB;  ///< held by the process

    /// Adds --seconds and --memory.
    void add(CLI::App& command);
};

/// Watches the limits from its construction on. Its stop token fires when one is met.
class LimitWatch {
public:
    explicit LimitWatch(const WorkLimits& limits);
    LimitWatch(const LimitWatch&) = delete;
    LimitWatch& operator=(const LimitWatch&) = delete;
    ~LimitWatch() = default;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }
    /// Lets the token fire for another reason.
    void stop() { m_source.request_stop(); }
    /// Fails with Limit if a limit is met.
    [[nodiscard]] Status status() const;
    /// Why work ended with this error: the limit that stopped it, or else the error itself.
    [[nodiscard]] Error explained(Error error) const;

private:
    enum class Met : std::uint8_t { None, Seconds, Memory };
    [[nodiscard]] Met met() const;

    WorkLimits m_limits;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::atomic<Met> m_met = Met::None;  ///< stays after memory was freed
    std::stop_source m_source;
    std::jthread m_thread;  // last, because it uses the other members
};

}  // namespace mitos::cli
