// SPDX-License-Identifier: GPL-3.0-or-later
// Prints a schedule on the terminal and as JSON.
#pragma once

#include "app/cli/schedule_options.h"
#include "search/judged_run.h"
#include "search/placement/schedule_value.h"

namespace mitos::cli {

/// The best schedule, with the run that found it.
struct FoundSchedule {
    const search::placement::ScheduleValue& value;
    const search::JudgedRun& run;
    double seconds = 0.0;        ///< of all seeds
    Json seeds = Json::array();  ///< an object for each

    /// The time that operations take which run again.
    [[nodiscard]] double addedDuration() const {
        double added = 0.0;
        const schedule::ScheduledGraph& scheduled = value.scheduled();
        if (!scheduled.repeated) return added;
        for (std::size_t i = scheduled.repeated->first; i < scheduled.graph.operations.size(); ++i)
            added += value.timeline().operations[i].end - value.timeline().operations[i].start;
        return added;
    }
};

void print(const ScheduleOptions& options, const FoundSchedule& found);
/// The fields of `schedule --json`.
[[nodiscard]] Json toJson(const ScheduleOptions& options, const FoundSchedule& found);

}  // namespace mitos::cli
