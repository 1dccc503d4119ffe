// SPDX-License-Identifier: GPL-3.0-or-later
// Objectives and results, which all strategies for placement and scheduling share.
#pragma once

#include "core/random_keys/search.h"
#include "core/schedule/performance_model.h"

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace mitos::search::placement {

/// The quantity that is minimized: the run time among the schedules that fit into memory, or the peak memory of the fullest device and then the run time.
enum class Objective { Runtime, Memory };

/// The lexicographic value of a score under an objective; less is better. For run time, a schedule that does not fit is worse than each that
/// does, and among those the one that lacks least is best.
[[nodiscard]] inline random_keys::Fitness fitnessOf(const schedule::Score& score, Objective objective) {
    if (objective == Objective::Memory) return {static_cast<double>(score.peak), score.runtime};
    return {static_cast<double>(score.overflow), score.runtime};
}

/// A schedule that a strategy found.
struct Placement {
    schedule::Schedule schedule;
    schedule::Score score;
    std::uint64_t evaluations = 0;  ///< schedules that were evaluated
    /// A run time or peak that no schedule goes below, if the strategy knows one; which of them, the objective says.
    std::optional<double> bound = {};
    /// Known after an exact search: whether no schedule is better under the objective (for memory: has a lower peak). False if a limit ended it before.
    std::optional<bool> isProven = {};

    friend bool operator==(const Placement&, const Placement&) = default;
};

/// Reported after each generation, and valid during the call.
struct Progress {
    const random_keys::GenerationReport& generation;
    absl::FunctionRef<schedule::Schedule()> best;  ///< makes the best schedule so far
};
/// The search ends if it returns false.
using ProgressObserver = std::function<bool(const Progress&)>;

/// Evaluates a schedule of the right sizes.
[[nodiscard]] inline Placement evaluated(schedule::PerformanceModel& model, schedule::Schedule schedule) {
    const schedule::Score score = model.score({schedule.device, schedule.priority, schedule.transferPriority});
    return {.schedule = std::move(schedule), .score = score, .evaluations = 1};
}

}  // namespace mitos::search::placement
