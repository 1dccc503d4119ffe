// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules as files: for spreadsheets, for the Perfetto viewer, and for other programs.
#pragma once

#include "core/base/source_text.h"
#include "core/schedule/problem.h"
#include "core/schedule/scheduled_graph.h"

#include <string>
#include <string_view>

namespace mitos::schedule {

/// A row for each operation and transfer, in the order of starting: number, kind, name, device (of a transfer "0 -> 1"), start, end, bytes
/// (of what it makes), and the memory in use on its device when it starts.
[[nodiscard]] std::string scheduleCsv(const Problem& problem, const Timeline& timeline);
/// The Trace Event Format of Chrome, which Perfetto reads: a track for each device, one for its transfers, and a counter of its memory. `microseconds`
/// is the length of the unit of durations.
[[nodiscard]] std::string chromeTrace(const Problem& problem, const Timeline& timeline, double microseconds = 1.0);
/// The length of a unit of time in microseconds; 1 for units that are not of time.
[[nodiscard]] double microsecondsOf(std::string_view unit);

/// A JSON object: the parts of a ScheduledGraph, which readSchedule() reads again, and for other programs what the performance model makes of
/// them: `runtime`, `peak_bytes` by device, `overflow_bytes`, `operations` and `transfers` in the order of starting.
[[nodiscard]] std::string scheduleJson(const ScheduledGraph& scheduled, const Timeline& timeline);

/// A schedule that was read, with the run time and the peaks that its text says.
struct ReadSchedule {
    ScheduledGraph scheduled;
    Timeline timeline;  ///< as the performance model has it
};
/// Reads a schedule. Fails for a text that is no schedule, parts that do not fit each other, and a run time or peaks that are not those of the
/// performance model.
[[nodiscard]] Result<ReadSchedule> readSchedule(const SourceText& source);

}  // namespace mitos::schedule
