// SPDX-License-Identifier: GPL-3.0-or-later
// Placement and scheduling as searches: what runs a search, judges it, records it and compares it does the same with schedules.
#pragma once

#include "search/placement/strategies.h"
#include "search/strategy.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::placement {

/// The name of a strategy among all searches: "schedule-brkga".
[[nodiscard]] std::string searchName(std::string_view strategy);

/// Whether a cost model is one of memory; schedules are then made for the peak memory, and else for the run time.
[[nodiscard]] bool isOfMemory(const cost::CostModelInfo& model);

/// All strategies of this folder as searches for programs that can be scheduled (ir::Capability::Schedule). Parameters describe the machine. The cost
/// model says the objective: under a model of memory it is the peak, and the durations are those of the parameter `durations`; else it is
/// the run time, and the durations are the model's costs of nodes. The result is the start with a ScheduleValue, whose run time or
/// peak is the cost. Fails for other programs, for a machine that makes no sense, and if no schedule is found that fits into memory.
[[nodiscard]] std::vector<std::shared_ptr<const search::Strategy>> scheduleSearches();

}  // namespace mitos::search::placement
