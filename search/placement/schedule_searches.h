// SPDX-License-Identifier: GPL-3.0-or-later
// Placement and scheduling as searches: what runs a search, judges it, records it and compares it does the same with schedules.
#pragma once

#include "core/schedule/program_graph.h"
#include "search/placement/schedule_value.h"
#include "search/placement/strategies.h"
#include "search/strategy.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::placement {

/// The name of a strategy among all searches: "schedule-brkga".
[[nodiscard]] std::string searchName(std::string_view strategy);

/// Whether a cost model is one of memory; schedules are then made for the peak memory, and else for the run time.
[[nodiscard]] bool isOfMemory(const cost::CostModelInfo& model);

/// The dialect's model of memory, with the sizes that the model of durations assumes; null if it has none.
[[nodiscard]] std::shared_ptr<const cost::CostModel> memoryModelFor(const ir::Dialect& dialect,
                                                                    const cost::CostModelInfo& durations);

/// The task graph of a program whose operations take what a model says, and whose tensors have the sizes that `sized` assumes. With several devices
/// the weights are part of it. Fails as schedule::graphOf() and the model do.
[[nodiscard]] Result<schedule::ProgramGraph> graphUnder(const cost::CostModel& durations,
                                                        const cost::CostModelInfo& sized, const ir::TermBank& bank,
                                                        const ir::Program& program, std::size_t devices);

/// How a search is carried out. Its result is the same for all.
struct Execution {
    std::uint32_t threads = 1;
    random_keys::Team* team = nullptr;  ///< processes that run the same search together; null: this one is alone
    /// Receives the best schedule if none was found that fits into memory, before the search fails. Null: nobody does.
    std::function<void(std::shared_ptr<const ScheduleValue>)> onUnfit = {};
};

/// A strategy of this folder as a search for programs that can be scheduled (ir::Capability::Schedule). Parameters describe the machine. The cost
/// model says the objective: under a model of memory it is the peak, and the durations are those of the parameter `durations`; else it is
/// the run time, and the durations are the model's costs of nodes. The result is the start with a ScheduleValue, whose run time or
/// peak is the cost. Fails for other programs, for a machine that makes no sense, and if no schedule is found that fits into memory.
[[nodiscard]] std::shared_ptr<const search::Strategy> scheduleSearch(const Strategy& strategy,
                                                                     Execution execution = {});
/// All strategies of this folder as such searches.
[[nodiscard]] std::vector<std::shared_ptr<const search::Strategy>> scheduleSearches();

}  // namespace mitos::search::placement
