// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of several threads, answered in calls of many at once: a network takes little longer for a hundred programs than for one.
#pragma once

#include "core/base/result.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace mitos::search::learned {

/// Combines the requests of several threads into calls of one function. A thread that submits while no call runs leads: it makes a call
/// with all requests that wait, in the order of their submission, at most `most` of them; the other threads wait. After a call one of those
/// with requests left leads the next. So a thread that is alone calls at once, and batches become larger the longer calls take.
///
/// Any thread may submit. Calls of the function do not overlap, and are made on the threads that submit. All submissions must have
/// returned before destruction.
template <typename Request, typename Reply>
class BatchedCalls {
public:
    /// Returns as many replies as requests, in their order.
    using Function = std::function<Result<std::vector<Reply>>(std::span<const Request> requests)>;

    /// `most`: requests of a call, at least one. A stop waits for the call in which a request is, so one must not take long.
    BatchedCalls(Function function, std::size_t most) : m_function(std::move(function)), m_most(most) {
        assert(most > 0);
    }
    BatchedCalls(const BatchedCalls&) = delete;
    BatchedCalls& operator=(const BatchedCalls&) = delete;

    /// The replies to the requests, in their order; more than `most` requests take several calls. Requests may refer to what the caller
    /// owns: no call has them any more when this returns. Fails with the function's error if a call with one of the requests
    /// fails, and with Cancelled after a stop, which does not affect other submissions. An exception of the function (out of
    /// memory) is rethrown in each submission that has requests in the call.
    [[nodiscard]] Result<std::vector<Reply>> submit(std::vector<Request> requests, const std::stop_token& stop = {}) {
        Submission own{.requests = std::move(requests)};
        own.replies.reserve(own.requests.size());
        std::unique_lock lock(m_mutex);
        const Enlisted enlisted(m_waiting, own);
        ++m_counts.submissions;
        while (!own.isOver()) {
            if (own.isInCall) {
                m_changed.wait(lock, [&own] { return !own.isInCall; });
            } else if (stop.stop_requested()) {
                return Error{ErrorCode::Cancelled, "the search was stopped"};
            } else if (!m_isCalling) {
                call(lock);
            } else {
                m_changed.wait(lock, stop, [this, &own] { return own.isOver() || !m_isCalling; });
            }
        }
        if (own.exception) std::rethrow_exception(own.exception);
        if (own.error) return *std::move(own.error);
        return std::move(own.replies);
    }

    struct Counts {
        std::uint64_t submissions = 0;  ///< also those that wait
        std::uint64_t calls = 0;
        std::uint64_t requests = 0;  ///< in these calls
    };
    [[nodiscard]] Counts counts() const {
        const std::scoped_lock lock(m_mutex);
        return m_counts;
    }

private:
    struct Submission {
        std::vector<Request> requests;
        std::size_t taken = 0;  ///< of them, into calls
        std::vector<Reply> replies = {};
        bool isInCall = false;
        std::optional<Error> error = {};
        std::exception_ptr exception = {};

        [[nodiscard]] bool isOver() const { return error || exception || replies.size() == requests.size(); }
    };

    /// Keeps a submission in the list, while the lock is held at both ends.
    class Enlisted {
    public:
        Enlisted(std::vector<Submission*>& list, Submission& submission) : m_list(list), m_submission(&submission) {
            m_list.push_back(m_submission);
        }
        ~Enlisted() { std::erase(m_list, m_submission); }
        Enlisted(const Enlisted&) = delete;
        Enlisted& operator=(const Enlisted&) = delete;

    private:
        std::vector<Submission*>& m_list;
        Submission* m_submission;
    };

    struct Part {
        Submission* submission;
        std::size_t count;
    };

    /// Makes a call with what waits. The lock is released meanwhile.
    void call(std::unique_lock<std::mutex>& lock) {
        std::vector<Part> parts;
        std::vector<Request> batch;
        take(parts, batch);
        m_isCalling = true;
        ++m_counts.calls;
        m_counts.requests += batch.size();
        lock.unlock();
        std::exception_ptr exception;
        std::optional<Result<std::vector<Reply>>> replies;
        try {
            replies = m_function(batch);
        } catch (...) {  // goes on below, once the others no longer wait for this call
            exception = std::current_exception();
        }
        lock.lock();
        m_isCalling = false;
        assert(!replies || !*replies || (*replies)->size() == batch.size());
        std::size_t at = 0;
        for (const auto& [submission, count] : parts) {
            submission->isInCall = false;
            if (exception) {
                submission->exception = exception;
            } else if (!*replies) {
                submission->error = replies->error();
            } else {
                const auto from = (*replies)->begin() + static_cast<std::ptrdiff_t>(at);
                std::move(from, from + static_cast<std::ptrdiff_t>(count), std::back_inserter(submission->replies));
            }
            at += count;
        }
        m_changed.notify_all();
    }

    /// Nothing has changed if memory runs out here.
    void take(std::vector<Part>& parts, std::vector<Request>& batch) {
        std::size_t size = 0;
        for (const Submission* each : m_waiting) {
            if (!each->isOver()) size += each->requests.size() - each->taken;
        }
        batch.reserve(std::min(size, m_most));
        parts.reserve(m_waiting.size());
        for (Submission* each : m_waiting) {
            if (each->isOver()) continue;
            const std::size_t count = std::min(m_most - batch.size(), each->requests.size() - each->taken);
            if (count == 0) return;
            const auto from = each->requests.begin() + static_cast<std::ptrdiff_t>(each->taken);
            std::move(from, from + static_cast<std::ptrdiff_t>(count), std::back_inserter(batch));
            each->taken += count;
            each->isInCall = true;
            parts.push_back({each, count});
        }
    }

    Function m_function;
    std::size_t m_most;
    mutable std::mutex m_mutex;  ///< of all that follows
    std::condition_variable_any m_changed;
    std::vector<Submission*> m_waiting;  ///< in the order of submission, also those in a call
    bool m_isCalling = false;
    Counts m_counts;
};

}  // namespace mitos::search::learned
