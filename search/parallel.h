// SPDX-License-Identifier: GPL-3.0-or-later
// Runs several searches at a time, each on its own thread.
#pragma once

#include "search/strategy.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

namespace mitos::search {

struct SearchTask {
    std::shared_ptr<const Strategy> strategy;
    SearchProblem problem;
};

/// Called on the threads that search. Calls for different tasks may overlap; those for one task never overlap and come in order.
class TaskObserver {
public:
    virtual ~TaskObserver() = default;
    virtual void onEvent(std::size_t task, const SearchEvent& event) = 0;
    /// See Observer::onBest().
    virtual void onBest(std::size_t task, FindBest find) {
        static_cast<void>(task);
        static_cast<void>(find);
    }
    /// The last call for this task.
    virtual void onResult(std::size_t task, Result<SearchResult> result) = 0;
};

/// Runs the tasks, at most `jobs` (at least one) at a time, starts them in order, and returns when all are done. A stop ends the
/// running tasks (with their best so far); tasks that have not started are skipped, without any call for them. The result of a
/// task does not depend on `jobs` or on the other tasks. An exception (out of memory) stops the other tasks and is rethrown.
void runAll(const std::vector<SearchTask>& tasks, unsigned jobs, const std::stop_token& stop, TaskObserver& observer);

/// The number of processors, at least one.
[[nodiscard]] unsigned defaultJobs();

}  // namespace mitos::search
