// SPDX-License-Identifier: GPL-3.0-or-later
// The performance model: what happens when a schedule is carried out, in time and in memory.
#pragma once

#include "core/schedule/ready_queue.h"
#include "core/schedule/schedule.h"

#include <absl/base/attributes.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mitos::schedule {

/// Run time and memory of a schedule.
struct Score {
    double runtime = 0.0;
    std::uint64_t peak = 0;      ///< bytes on the device that needs most
    std::uint64_t overflow = 0;  ///< bytes beyond its memory on the device that lacks most

    friend auto operator<=>(const Score&, const Score&) = default;
};

/// The parts of a Schedule, wherever they lie; not checked.
struct ScheduleView {
    std::span<const std::uint32_t> device;
    std::span<const float> priority;
    std::span<const float> transferPriority = {};
};

/// Carries out schedules of one problem, which must outlive it; keeps its working memory between them. For one thread.
///
/// Operations and transfers are ready when all that they wait for has been started and its end is known. The one with the highest
/// priority is started next: an operation when its inputs are in the memory of its device and the device is free, a transfer when its
/// tensor is made and, as TransferMode says, devices or the link are free. Instant transfers happen as soon as the tensor is made and have no
/// priority. A transfer is made once for each tensor and destination. Outputs are allocated when an operation starts, and a copy is released when the
/// last use on its device ends (Timeline), in the order of time; what happens at the same time happens in the order of starting.
///
/// The model of the REGAL paper (section 2), whose appendix with the details is not at hand.
class PerformanceModel {
public:
    explicit PerformanceModel(const Problem& problem);

    /// The time of the last end. Does not compute memory.
    [[nodiscard]] double runtime(const ScheduleView& schedule);
    [[nodiscard]] Score score(const ScheduleView& schedule);
    [[nodiscard]] Timeline timeline(const ScheduleView& schedule);

    /// The times at which operations run in the last schedule.
    [[nodiscard]] std::span<const OperationRun> operations() const { return m_runs; }

private:
    /// The parts of a run that are kept besides the times of operations.
    enum class Keeps {
        Times,  ///< nothing
        Order,  ///< what was started in which order
        Peaks   ///< the peaks; requires that the order of starting is the order of time on each device
    };
    /// An operation that waits for some things, of which the last one known will be there at `readyTime`.
    struct State {
        double readyTime;
        std::uint32_t waits;
    };
    struct Event {
        double time;
        std::uint32_t position;
        bool isEnd;
    };

    void start(const ScheduleView& schedule);
    void runInstantly(const ScheduleView& schedule, bool keepsOrder);
    void recordInstantTransfers(const ScheduleView& schedule);
    template <Keeps What>
    void runTasks(const ScheduleView& schedule);
    template <Keeps What, typename Ready>
    ABSL_ATTRIBUTE_ALWAYS_INLINE inline void runOperation(Ready& ready, std::uint32_t operation,
                                                          const ScheduleView& schedule);
    template <Keeps What, typename Ready>
    ABSL_ATTRIBUTE_ALWAYS_INLINE inline void runTransfer(Ready& ready, std::uint32_t transfer,
                                                         const ScheduleView& schedule);
    template <typename Ready>
    ABSL_ATTRIBUTE_ALWAYS_INLINE inline void wakeIf(Ready& ready, std::uint32_t operation, double time, bool isThere);
    void countUses(const ScheduleView& schedule);
    void findTransfers(const ScheduleView& schedule);

    void mergeEvents(const ScheduleView& schedule);
    void replay(Timeline* timeline);
    void begin(std::uint32_t task, Timeline* timeline);
    void end(std::uint32_t task, Timeline* timeline);
    ABSL_ATTRIBUTE_ALWAYS_INLINE inline void allocate(std::uint32_t device, std::uint64_t bytes);
    ABSL_ATTRIBUTE_ALWAYS_INLINE inline void dropUse(std::uint32_t device, std::uint32_t tensor);
    ABSL_ATTRIBUTE_ALWAYS_INLINE inline void endOperation(std::uint32_t operation, std::uint32_t device);
    void note(std::uint32_t device, double time, Timeline* timeline) const;

    [[nodiscard]] bool isOrderOfTime() const {
        return m_deviceCount == 1 || m_transferMode == TransferMode::Rendezvous;
    }

    const Problem& m_problem;
    const std::uint32_t m_operationCount;
    const std::uint32_t m_deviceCount;
    const TransferMode m_transferMode;
    const bool m_hasTransfers;  ///< as tasks

    std::vector<State> m_statesByPredecessors;  ///< before anything was started; counts each predecessor once
    std::vector<State> m_statesByWaits;         ///< counts each input and control edge
    std::vector<std::uint32_t> m_first;         ///< operations that wait for nothing
    std::vector<std::uint64_t> m_outputBytes;   ///< by operation
    std::vector<double> m_transferDurations;    ///< by tensor

    ReadyQueue m_ready;
    std::vector<ReadyQueue::Other> m_pending;  ///< first the transfers of the schedule
    std::size_t m_pendingCount = 0;
    std::vector<State> m_states;
    std::vector<double> m_deviceFree;
    std::vector<double> m_linkFree;
    double m_runtime = 0.0;
    std::vector<OperationRun> m_runs;
    std::vector<TransferRun> m_transfers;
    std::vector<std::uint32_t> m_order;

    /// By tensor and device: uses of the copy there that have not ended. An outgoing transfer is a use, and so is the end of the schedule for a
    /// tensor that is retained.
    std::vector<std::uint32_t> m_uses;
    std::vector<std::uint64_t> m_inUse;
    std::vector<std::uint64_t> m_peak;
    std::vector<Event> m_events;
    std::vector<std::uint32_t> m_nextOnDevice;  ///< by operation: the next one in the order of its device
    std::vector<std::uint32_t> m_position;      ///< by operation: its place in the order
};

/// The timeline of a schedule. Fails for a schedule whose parts do not have the sizes of the problem, devices that do not exist, and
/// priorities that are no numbers.
[[nodiscard]] Result<Timeline> timelineOf(const Problem& problem, const Schedule& schedule);

}  // namespace mitos::schedule
