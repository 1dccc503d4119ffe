// SPDX-License-Identifier: GPL-3.0-or-later
// A question that a view asks in the background.
#pragma once

#include "views/job_runner/job_runner.h"

#include <QPointer>
#include <algorithm>
#include <utility>

namespace mitos::views {

/// A question of which only the newest answer is wanted, a member of whoever asks it. A newer question supersedes an older one, and
/// nothing is delivered any more once the query is destroyed: what `deliver` captures may live as long as the query does. Work that is
/// not wanted any more is asked to stop.
class Query {
public:
    explicit Query(JobRunner& jobs) : m_jobs(&jobs) {}
    ~Query() { cancel(); }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    Query(Query&&) = delete;
    Query& operator=(Query&&) = delete;

    enum class In { Background, JobsView };

    /// Runs `work` as JobRunner::start does, and calls `deliver` with its result on the GUI thread, unless it was superseded, cancelled
    /// or destroyed before. The query does not run any more then, so that `deliver` may ask again.
    template <typename Work, typename Deliver>
    void ask(const QString& title, Work work, Deliver deliver, In place = In::Background) {
        cancel();
        m_job = m_jobs->start(title, place == In::JobsView, nullptr, std::move(work), std::move(deliver));
    }
    /// Drops the answer, and the line in the Jobs view.
    void cancel() {
        if (isRunning()) m_jobs->discard(m_job);
        m_job = 0;
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
    QPointer<JobRunner> m_jobs;
    JobId m_job = 0;
};

}  // namespace mitos::views
