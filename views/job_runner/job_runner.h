// SPDX-License-Identifier: GPL-3.0-or-later
// Runs work off the GUI thread: cancellable, with progress reports; results are delivered on the GUI thread or dropped.
#pragma once

#include "core/base/result.h"

#include <QObject>
#include <QString>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <vector>

class QTimer;

namespace mitos::views {

/// Results of work that can fail.
template <typename Value>
concept Fallible = requires {
    typename Value::Value;
}
&&std::is_same_v<Value, Result<typename Value::Value>>;

using JobId = int;

/// One row of the Jobs view.
struct JobInfo {
    enum class State { Running, Finished, Failed, Stopped };
    JobId id = 0;
    QString title;  ///< "A* on gemm"
    State state = State::Running;
    double progress = -1.0;  ///< 0…1; negative: unknown
    QString status;          ///< one line: best so far, rate; after the end, the reason
    qint64 startedMs = 0;    ///< since the epoch
    qint64 elapsedMs = 0;
    bool visible = true;  ///< false for small background queries, which are not listed
};

/// Runs jobs on their own threads. All methods are for the GUI thread; work functions run on other threads with a stop
/// token and a reporter. The destructor requests all jobs to stop and waits for them.
class JobRunner : public QObject {
    Q_OBJECT
public:
    /// Called on the work function's thread, as often as it likes: updates are merged to at most 30 a second.
    using Report = std::function<void(double progress, QString status)>;

    explicit JobRunner(QObject* parent = nullptr);
    ~JobRunner() override;

    /// Runs `work` on another thread; then calls `deliver(result)` on the GUI thread, unless `context` was destroyed or
    /// the job was discarded. `visible` jobs are listed in the Jobs view. Work returns its result by value; results must be movable.
    /// An exception of work, which is a defect, becomes the Error of a Result; without a Result the job has failed, and nothing is delivered.
    template <typename Work, typename Deliver>
    JobId start(const QString& title, bool visible, QObject* context, Work work, Deliver deliver) {
        using Value = std::invoke_result_t<Work, std::stop_token, const Report&>;
        auto result = std::make_shared<std::optional<Value>>();
        return startErased(
            title, visible, context,
            [result, work = std::move(work)](std::stop_token stop, const Report& report) mutable {
                result->emplace(work(std::move(stop), report));
            },
            [result, deliver = std::move(deliver)](const Error* defect) mutable {
                if constexpr (Fallible<Value>) {
                    if (defect != nullptr) result->emplace(*defect);
                }
                if (*result) deliver(std::move(**result));
            });
    }

    /// Drops large data on another thread, because freeing millions of small pieces takes longer than a frame. The caller's is the last
    /// reference.
    void release(std::shared_ptr<const void> data);

    void stop(JobId id);     ///< requests a stop; the result is still delivered
    void discard(JobId id);  ///< requests a stop; nothing is delivered
    void clearFinished();
    /// Sets the state and status line of a job; called by deliver functions, for example to report a failure.
    void setOutcome(JobId id, JobInfo::State state, const QString& status);
    [[nodiscard]] const std::vector<JobInfo>& jobs() const { return m_jobs; }
    [[nodiscard]] int runningVisible() const;
    /// Whether no job runs, small background queries included, and all results are delivered.
    [[nodiscard]] bool isIdle() const { return m_controls.empty(); }

Q_SIGNALS:
    void jobAdded(int id);
    void jobChanged(int id);
    void jobsCleared();

private:
    struct Control;
    void collect();
    /// The error for an exception that is being handled.
    static Error defectNow();
    void finish(const std::shared_ptr<Control>& control);
    JobId startErased(const QString& title, bool visible, QObject* context,
                      std::function<void(std::stop_token, const Report&)> work,
                      std::function<void(const Error* defect)> deliver);
    JobInfo* find(JobId id);

    std::vector<JobInfo> m_jobs;
    std::vector<std::shared_ptr<Control>> m_controls;
    std::unique_ptr<QTimer> m_mailboxTimer;
    JobId m_next = 1;
};

}  // namespace mitos::views
