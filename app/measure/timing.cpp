// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/measure/timing.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

namespace mitos::measure {

namespace {

constexpr double BatchSeconds = 2e-3;
constexpr std::size_t EnoughBatches = 15;
constexpr std::size_t FewBatches = 5;  ///< of runs that would take long otherwise
constexpr double Patience = 8.0;       ///< how many times the wanted seconds are spent on EnoughBatches
constexpr int WarmUps = 3;
constexpr std::uint32_t MostLaunches = 1U << 20U;

/// Seconds since some moment.
double now(Clock clock) {
    constexpr double Nano = 1e-9;
    timespec time{};
    ::clock_gettime(clock == Clock::Wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + Nano * static_cast<double>(time.tv_nsec);
}

/// The value below which that share of sorted values lies.
double quantile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

}  // namespace

Timing timed(const std::function<void()>& run, const std::function<void()>& synchronize, Clock clock, double seconds) {
    const auto batch = [&](std::uint32_t launches) {
        const double start = now(clock);
        for (std::uint32_t i = 0; i < launches; ++i) run();
        synchronize();
        return now(clock) - start;
    };
    const double begin = now(Clock::Wall);
    for (int i = 0; i < WarmUps && now(Clock::Wall) - begin < seconds; ++i) batch(1);
    Timing timing;
    for (double took = batch(1); took < BatchSeconds && timing.launches < MostLaunches; took = batch(timing.launches)) {
        const double wanted = BatchSeconds * 1.2 / std::max(took, 1e-9) * timing.launches;
        timing.launches = static_cast<std::uint32_t>(
            std::clamp<double>(std::ceil(wanted), timing.launches + 1.0, timing.launches * 16.0));
    }
    std::vector<double> times;
    const auto measured = [start = now(Clock::Wall)] { return now(Clock::Wall) - start; };
    while (times.size() < FewBatches || (times.size() < EnoughBatches && measured() < Patience * seconds) ||
           measured() < seconds) {
        times.push_back(batch(timing.launches) / timing.launches);
    }
    std::sort(times.begin(), times.end());
    timing.minimum = times.front();
    timing.median = quantile(times, 0.5);
    timing.spread = quantile(times, 0.75) - quantile(times, 0.25);
    timing.batches = static_cast<std::uint32_t>(times.size());
    return timing;
}

}  // namespace mitos::measure
