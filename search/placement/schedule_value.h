// SPDX-License-Identifier: GPL-3.0-or-later
// A schedule as the result of a search: judged, recorded, compared and shown as threads are.
#pragma once

#include "core/schedule/scheduled_graph.h"
#include "search/outcome.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace mitos::search::placement {

inline constexpr std::string_view ScheduleKind = "schedule";

/// A schedule of a program. Its text is that of schedule::scheduleJson, which says all that is needed to draw it again.
class ScheduleValue final : public OutcomeValue {
public:
    /// Requires the timeline of that schedule.
    ScheduleValue(schedule::ScheduledGraph scheduled, schedule::Timeline timeline);

    [[nodiscard]] const schedule::ScheduledGraph& scheduled() const { return m_scheduled; }
    [[nodiscard]] const schedule::Timeline& timeline() const { return m_timeline; }

    [[nodiscard]] std::string kind() const override { return std::string(ScheduleKind); }
    [[nodiscard]] std::string summary() const override;
    [[nodiscard]] std::string text() const override;
    /// Checks the timeline by schedule::faultsOf, whether it fits into memory, and, for a program that is a graph, whether each node that must be
    /// computed is one operation that runs after those of the nodes below it.
    [[nodiscard]] std::optional<std::string> fault(const ir::TermBank& bank, const ir::Program& program,
                                                   const std::stop_token& stop) const override;

private:
    schedule::ScheduledGraph m_scheduled;
    schedule::Timeline m_timeline;
};

/// The bytes of the fullest device, resident ones included.
[[nodiscard]] std::uint64_t highestPeakOf(const schedule::ScheduledGraph& scheduled,
                                          const schedule::Timeline& timeline);

}  // namespace mitos::search::placement
