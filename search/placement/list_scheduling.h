// SPDX-License-Identifier: GPL-3.0-or-later
// List scheduling: operations by a priority, each on the device where it ends first.
#pragma once

#include "core/schedule/ready_queue.h"
#include "search/placement/placement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mitos::search::placement {

/// By operation: the longest chain of durations from its start to the end of the graph, on a device of average speed. With `transfers`, each
/// tensor on the way adds the mean time of a transfer, as HEFT ranks operations.
[[nodiscard]] std::vector<double> bottomLevels(const schedule::Problem& problem, bool transfers = false);

/// Highest level first (HLFET; Adam, Chandy and Dickson, "A comparison of list schedules for parallel processing systems", 1974): whenever a
/// device is free, it runs the ready operation with the highest bottom level.
[[nodiscard]] schedule::Schedule highestLevelFirst(const schedule::Problem& problem);

/// Heterogeneous earliest finish time (HEFT; Topcuoglu, Hariri and Wu, 2002): operations by decreasing rank, each on the device and in the
/// gap where it ends first. Transfers are assumed to be free of each other.
[[nodiscard]] schedule::Schedule earliestFinish(const schedule::Problem& problem);

/// The decoder of priorities alone: of the ready operations the one with the highest priority is next, on the device where it ends first (of several,
/// where the device is idle for the shortest time). Times of transfers are assumed to be free of each other; the performance model
/// decides. Keeps its working memory. For one thread.
class EarliestFinishDecoder {
public:
    explicit EarliestFinishDecoder(const schedule::Problem& problem);

    /// Sets the devices of all operations. Returns the run time, exact for instant transfers.
    double place(std::span<const float> priority, std::span<std::uint32_t> device);

    /// By operation: its end in the last schedule.
    [[nodiscard]] std::span<const double> ends() const { return m_end; }

private:
    /// When all that an operation waits for has ended as far as it is known, and how much is not known.
    struct State {
        double readyTime;
        std::uint32_t waits;
    };

    [[nodiscard]] static std::uint64_t bitsOf(double time);
    enum class Devices { Two, Equal, Any };
    template <bool IsInstant, Devices Kind, typename Ready>
    double placeAll(Ready ready, std::span<std::uint32_t> device);

    const schedule::Problem& m_problem;
    std::vector<State> m_firstStates;
    std::vector<State> m_states;
    std::vector<std::uint32_t> m_first;  ///< operations that wait for nothing
    schedule::ReadyQueue m_ready;
    std::vector<double> m_end;
    std::vector<double> m_free;
};

}  // namespace mitos::search::placement
