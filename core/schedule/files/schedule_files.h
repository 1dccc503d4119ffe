// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules as files: for spreadsheets, for the Perfetto viewer, and for other programs.
#pragma once

#include "core/schedule/problem.h"
#include "core/schedule/schedule.h"

#include <string>
#include <string_view>

namespace mitos::schedule {

/// A row for each operation and transfer, in the order of starting: number, kind, name, device (of a transfer "0 -> 1"), start, end, bytes
/// (of what it makes), and the memory in use on its device when it starts.
[[nodiscard]] std::string scheduleCsv(const Problem& problem, const Timeline& timeline);
/// The Trace Event Format of Chrome, which Perfetto reads: a track for each device, one for its transfers, and a counter of its memory. `microseconds`
/// is the length of the unit of durations.
[[nodiscard]] std::string chromeTrace(const Problem& problem, const Timeline& timeline, double microseconds = 1.0);
/// A JSON object: `machine`, `runtime`, `peak_bytes` by device, `overflow_bytes`, `operations` and `transfers` in the order of starting.
/// `unit` is that of durations.
[[nodiscard]] std::string scheduleJson(const Problem& problem, const Timeline& timeline, std::string_view unit);

}  // namespace mitos::schedule
