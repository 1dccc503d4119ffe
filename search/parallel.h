// SPDX-License-Identifier: GPL-3.0-or-later
// Runs several searches at a time, each on its own thread.
#pragma once

#include "search/judged_run.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

namespace mitos::search {

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
    virtual void onResult(std::size_t task, JudgedRun over) = 0;
};

/// Calls `work` for the numbers below `count`, at most `jobs` (at least one) at a time on threads of their own, starts the calls
/// in order, and returns when all have ended. `work` gets a token; after a stop, calls that have not started are skipped. An exception
/// (out of memory) stops the other calls and is rethrown.
void runEach(std::size_t count, unsigned jobs, const std::stop_token& stop,
             const std::function<void(std::size_t number, const std::stop_token& stop)>& work);

/// Runs the tasks as runEach() does, each by runJudged(). A stop ends the running tasks (with their best so far); there is no call for tasks that have not
/// started. The result of a task does not depend on `jobs` or on the other tasks.
void runAll(const std::vector<SearchTask>& tasks, unsigned jobs, const std::stop_token& stop, TaskObserver& observer);

/// The number of processors, at least one.
[[nodiscard]] unsigned defaultJobs();

}  // namespace mitos::search
