// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks that determine the run time of a timeline.
#pragma once

#include "core/schedule/schedule.h"

#include <cstdint>
#include <vector>

namespace mitos::schedule {

/// A chain of tasks, numbered as in Timeline::order, from the start to the end of the timeline, each of which starts when the one before it ends:
/// because it needs its result, or because its device, or link, was occupied by it. To shorten the run time, some task of it must become
/// shorter or start earlier.
[[nodiscard]] std::vector<std::uint32_t> criticalPath(const Problem& problem, const Timeline& timeline);

}  // namespace mitos::schedule
