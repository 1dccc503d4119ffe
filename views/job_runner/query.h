// SPDX-License-Identifier: GPL-3.0-or-later
// A question that a view asks in the background.
#pragma once

#include "views/job_runner/job_runner.h"

#include <QPointer>
#include <algorithm>
#include <memory>
#include <utility>

namespace mitos::views {

/// How a job of the Jobs view ended.
struct JobOutcome {
    JobInfo::State state = JobInfo::State::Finished;
    QString status;
};

/// A question of which only the newest answer is wanted, a member of whoever asks it. A newer question supersedes an older one, and
/// nothing is delivered any more once the query is destroyed: what `deliver` captures may live as long as the query does. Work that is
/// not wanted any more is asked to stop, unless it is let go.
class Query {
public:
    explicit Query(JobRunner& jobs) : m_jobs(&jobs) {}
    ~Query() { cancel(); }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    Query(Query&&) = delete;
    Query& operator=(Query&&) = delete;

    /// Runs `work` as JobRunner::start does, and calls `deliver` with its result on the GUI thread, unless it was superseded, cancelled
    /// or destroyed before. The query does not run any more then, so that `deliver` may ask again.
    template <typename Work, typename Deliver>
    void ask(const QString& title, Work work, Deliver deliver) {
        cancel();
        m_job = m_jobs->start(title, false, nullptr, std::move(work), std::move(deliver));
    }
    /// The same for long work, which is listed in the Jobs view. `conclude` makes the JobOutcome from the result, before it is delivered,
    /// and also if nobody waits any more because the work was let go: it must not refer to whoever asks.
    template <typename Work, typename Conclude, typename Deliver>
    void askInJobsView(const QString& title, Work work, Conclude conclude, Deliver deliver) {
        cancel();
        auto asked = std::make_shared<Asked>();
        m_job = m_jobs->start(title, true, nullptr, std::move(work),
                              [asked, jobs = m_jobs.data(), conclude = std::move(conclude),
                               deliver = std::move(deliver)](auto&& result) mutable {
                                  const JobOutcome outcome = conclude(std::as_const(result));
                                  jobs->setOutcome(asked->job, outcome.state, outcome.status);
                                  if (asked->isWanted) deliver(std::forward<decltype(result)>(result));
                              });
        asked->job = m_job;
        m_asked = std::move(asked);
    }
    /// Drops the answer, and the line in the Jobs view.
    void cancel() {
        if (isRunning()) m_jobs->discard(m_job);
        forget();
    }
    /// Work in the Jobs view goes on by itself, as the user began it for a program that is not open any more: it can be stopped there, and
    /// ends with its outcome. Nothing is delivered, and the query may ask again. Other work is cancelled. Returns whether work goes on.
    bool letGo() {
        if (m_asked == nullptr || !isRunning()) {
            cancel();
            return false;
        }
        m_asked->isWanted = false;
        forget();
        return true;
    }
    /// Asks the work to stop; what it returns then is still delivered.
    void stop() {
        if (isRunning()) m_jobs->stop(m_job);
    }
    [[nodiscard]] bool isRunning() const {
        return m_jobs != nullptr && std::ranges::any_of(m_jobs->jobs(), [this](const JobInfo& job) {
                   return job.id == m_job && job.state == JobInfo::State::Running;
               });
    }
    /// The job of the last question that was not cancelled; 0: there is none.
    [[nodiscard]] JobId job() const { return m_job; }

private:
    /// A question in the Jobs view; shared with its job.
    struct Asked {
        JobId job = 0;
        bool isWanted = true;
    };
    void forget() {
        m_job = 0;
        m_asked.reset();
    }

    QPointer<JobRunner> m_jobs;
    JobId m_job = 0;
    std::shared_ptr<Asked> m_asked;
};

}  // namespace mitos::views
