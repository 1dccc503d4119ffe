// SPDX-License-Identifier: GPL-3.0-or-later
// See parallel.h.
#include "search/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace mitos::search {

namespace {

class OneTask final : public Observer {
public:
    OneTask(std::size_t task, TaskObserver& observer) : m_task(task), m_observer(observer) {}
    void onEvent(const SearchEvent& event) override { m_observer.onEvent(m_task, event); }
    void onBest(FindBest find) override { m_observer.onBest(m_task, find); }

private:
    std::size_t m_task;
    TaskObserver& m_observer;
};

}  // namespace

void runAll(const std::vector<SearchTask>& tasks, unsigned jobs, const std::stop_token& stop, TaskObserver& observer) {
    std::stop_source stopAll;
    const std::stop_callback relay(stop, [&stopAll] { stopAll.request_stop(); });
    std::atomic<std::size_t> next = 0;
    std::mutex failureMutex;
    std::exception_ptr failure;
    const auto work = [&] {
        while (!stopAll.stop_requested()) {
            const std::size_t task = next++;
            if (task >= tasks.size()) return;
            try {
                OneTask events(task, observer);
                observer.onResult(task, tasks[task].strategy->run(tasks[task].problem, stopAll.get_token(), events));
            } catch (const std::exception&) {
                const std::scoped_lock lock(failureMutex);
                if (!failure) failure = std::current_exception();
                stopAll.request_stop();
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        const std::size_t count = std::min<std::size_t>(std::max(jobs, 1U), tasks.size());
        for (std::size_t i = 0; i < count; ++i) threads.emplace_back(work);
    }
    if (failure) std::rethrow_exception(failure);
}

unsigned defaultJobs() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace mitos::search
