// SPDX-License-Identifier: GPL-3.0-or-later
// Work off the GUI thread: cancellable, reporting progress, delivering its result on the GUI thread or not at all.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <vector>

class QTimer;

namespace mitos::views {

using JobId = int;

/// One row of the Jobs view.
struct JobInfo {
    enum class State { Running, Finished, Failed, Stopped };
    JobId id = 0;
    QString title;  ///< "A* on gemm"
    State state = State::Running;
    double progress = -1.0;  ///< 0…1; negative: unknown
    QString status;          ///< one line: best so far, rate; the reason after it ended
    qint64 startedMs = 0;    ///< since the epoch
    qint64 elapsedMs = 0;
    bool visible = true;  ///< small background queries are not shown
};

/// Runs jobs on threads of its own. Every method is for the GUI thread; work functions run elsewhere and get a stop token and a
/// reporter. Destroying the runner requests all to stop and waits.
class JobRunner : public QObject {
    Q_OBJECT
public:
    /// Called from the work function's thread, at most what it likes: updates are coalesced to 30 a second.
    using Report = std::function<void(double progress, QString status)>;

    explicit JobRunner(QObject* parent = nullptr);
    ~JobRunner() override;

    /// Runs `work` elsewhere; then `deliver(result)` on the GUI thread, unless `context` is gone by then or the job was
    /// discarded. `visible` jobs show in the Jobs view. Work returns its result by value; results must be movable.
    template <typename Work, typename Deliver>
    JobId start(const QString& title, bool visible, QObject* context, Work work, Deliver deliver) {
        using Value = std::invoke_result_t<Work, std::stop_token, const Report&>;
        auto result = std::make_shared<std::optional<Value>>();
        return startErased(
            title, visible, context,
            [result, work = std::move(work)](std::stop_token stop, const Report& report) mutable {
                result->emplace(work(std::move(stop), report));
            },
            [result, deliver = std::move(deliver)]() mutable { deliver(std::move(**result)); });
    }

    void stop(JobId id);     ///< asks it to stop; what it returns is delivered
    void discard(JobId id);  ///< asks it to stop; nothing is delivered
    void clearFinished();
    /// State and status line of a job as its owner judges them (deliver functions call it for failures).
    void setOutcome(JobId id, JobInfo::State state, const QString& status);
    [[nodiscard]] const std::vector<JobInfo>& jobs() const { return m_jobs; }
    [[nodiscard]] int runningVisible() const;
    /// Nothing runs, small background queries included: all results are delivered.
    [[nodiscard]] bool isIdle() const { return m_controls.empty(); }

Q_SIGNALS:
    void jobAdded(int id);
    void jobChanged(int id);
    void jobsCleared();

private:
    struct Control;
    void collect();
    void finish(const std::shared_ptr<Control>& control);
    JobId startErased(const QString& title, bool visible, QObject* context,
                      std::function<void(std::stop_token, const Report&)> work, std::function<void()> deliver);
    JobInfo* find(JobId id);

    std::vector<JobInfo> m_jobs;
    std::vector<std::shared_ptr<Control>> m_controls;
    std::unique_ptr<QTimer> m_mailboxTimer;
    JobId m_next = 1;
};

}  // namespace mitos::views
