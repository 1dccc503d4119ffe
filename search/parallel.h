// SPDX-License-Identifier: GPL-3.0-or-later
// Several searches at a time, each on a thread of its own.
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

/// Told on the threads that search: calls for different tasks may overlap, those for one task never do and come in order.
class TaskObserver {
public:
    virtual ~TaskObserver() = default;
    virtual void onEvent(std::size_t task, const SearchEvent& event) = 0;
    /// As Observer::onBest().
    virtual void onBest(std::size_t task, FindBest find) {
        static_cast<void>(task);
        static_cast<void>(find);
    }
    /// Last call for this task.
    virtual void onResult(std::size_t task, Result<SearchResult> result) = 0;
};

/// Runs the tasks, at most `jobs` (at least one) at a time, begun in their order, and returns when all are done. A stop
/// ends those that run (with their best so far); those that have not begun are left out: nothing is called for them. What
/// a task finds does not depend on `jobs` or on the others. An exception (memory) stops the rest and is thrown on.
void runAll(const std::vector<SearchTask>& tasks, unsigned jobs, const std::stop_token& stop, TaskObserver& observer);

/// One job for each processor.
[[nodiscard]] unsigned defaultJobs();

}  // namespace mitos::search
