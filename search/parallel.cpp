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

void runEach(std::size_t count, unsigned jobs, const std::stop_token& stop,
             const std::function<void(std::size_t number, const std::stop_token& stop)>& work) {
    std::stop_source stopAll;
    const std::stop_callback relay(stop, [&stopAll] { stopAll.request_stop(); });
    std::atomic<std::size_t> next = 0;
    std::mutex failureMutex;
    std::exception_ptr failure;
    const auto workOnAll = [&] {
        while (!stopAll.stop_requested()) {
            const std::size_t number = next++;
            if (number >= count) return;
            try {
                work(number, stopAll.get_token());
            } catch (const std::exception&) {
                const std::scoped_lock lock(failureMutex);
                if (!failure) failure = std::current_exception();
                stopAll.request_stop();
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        const std::size_t workers = std::min<std::size_t>(std::max(jobs, 1U), count);
        for (std::size_t i = 0; i < workers; ++i) threads.emplace_back(workOnAll);
    }
    if (failure) std::rethrow_exception(failure);
}

void runAll(const std::vector<SearchTask>& tasks, unsigned jobs, const std::stop_token& stop, TaskObserver& observer) {
    runEach(tasks.size(), jobs, stop, [&](std::size_t task, const std::stop_token& ended) {
        OneTask events(task, observer);
        observer.onResult(task, runJudged(tasks[task], ended, events));
    });
}

unsigned defaultJobs() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace mitos::search
