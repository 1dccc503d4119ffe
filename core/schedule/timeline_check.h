// SPDX-License-Identifier: GPL-3.0-or-later
// The independent check of timelines. It shares no code with the performance model.
#pragma once

#include "core/schedule/machine.h"
#include "core/schedule/schedule.h"
#include "core/schedule/task_graph.h"

#include <string>
#include <vector>

namespace mitos::schedule {

/// All that is wrong with a timeline of a valid graph on a valid machine, one sentence each; empty if it is right. Checked are: each operation runs
/// once, on the device of the schedule and for its duration, after its inputs are there and its control edges are kept; each needed transfer
/// happens once, and no other; devices (and links, or both devices of a rendezvous) do one thing at a time; the memory in use, its peaks, the
/// overflow and the run time are those that the runs imply, computed from the lifetimes of all copies. Does not check that
/// operations start as early as they could.
[[nodiscard]] std::vector<std::string> faultsOf(const TaskGraph& graph, const Machine& machine,
                                                const ModelOptions& options, const Schedule& schedule,
                                                const Timeline& timeline);

}  // namespace mitos::schedule
