// SPDX-License-Identifier: GPL-3.0-or-later
// One thread per job. Each worker writes progress to a mailbox; a timer on the GUI thread empties the mailboxes.
#include "views/job_runner/job_runner.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <algorithm>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace mitos::views {

namespace {
constexpr int MailboxIntervalMs = 33;
constexpr qint64 ElapsedTickMs = 500;
}  // namespace

struct JobRunner::Control {
    JobId id = 0;
    bool visible = true;
    bool discarded = false;
    bool hasContext = false;
    QPointer<QObject> context;
    std::function<void(const Error*)> deliver;
    QElapsedTimer clock;
    qint64 lastTick = 0;

    std::mutex mutex;  // guards the mailbox below
    bool fresh = false;
    bool done = false;
    std::optional<Error> defect;  ///< set if the work ended by an exception
    double progress = -1.0;
    QString status;

    std::jthread thread;
};

JobRunner::JobRunner(QObject* parent) : QObject(parent), m_mailboxTimer(std::make_unique<QTimer>()) {
    m_mailboxTimer->setInterval(MailboxIntervalMs);
    connect(m_mailboxTimer.get(), &QTimer::timeout, this, &JobRunner::collect);
}

JobRunner::~JobRunner() {
    for (const auto& control : m_controls) control->thread.request_stop();
    for (const auto& control : m_controls) {
        if (control->thread.joinable()) control->thread.join();
    }
}

JobId JobRunner::startErased(const QString& title, bool visible, QObject* context,
                             std::function<void(std::stop_token, const Report&)> work,
                             std::function<void(const Error*)> deliver) {
    auto control = std::make_shared<Control>();
    control->id = m_next++;
    control->visible = visible;
    control->hasContext = context != nullptr;
    control->context = context;
    control->deliver = std::move(deliver);
    control->clock.start();

    JobInfo info;
    info.id = control->id;
    info.title = title;
    info.visible = visible;
    info.startedMs = QDateTime::currentMSecsSinceEpoch();
    m_jobs.push_back(info);
    m_controls.push_back(control);
    if (!m_mailboxTimer->isActive()) m_mailboxTimer->start();

    // The thread is joined before its Control is destroyed, so a plain pointer is sufficient (and avoids a cycle).
    Control* box = control.get();
    control->thread = std::jthread([this, box, work = std::move(work)](std::stop_token stop) mutable {
        const Report report = [box](double progress, QString status) {
            const std::scoped_lock lock(box->mutex);
            box->progress = progress;
            box->status = std::move(status);
            box->fresh = true;
        };
        std::optional<Error> defect;
        try {
            work(std::move(stop), report);
        } catch (...) {
            defect = defectNow();
        }
        {
            const std::scoped_lock lock(box->mutex);
            box->defect = std::move(defect);
            box->done = true;
        }
        QMetaObject::invokeMethod(this, &JobRunner::collect, Qt::QueuedConnection);
    });
    const JobId id = control->id;
    if (visible) Q_EMIT jobAdded(id);
    return id;
}

void JobRunner::collect() {
    // Delivering may start and discard jobs, so this iterates over a copy of the list.
    const std::vector<std::shared_ptr<Control>> controls = m_controls;
    for (const auto& control : controls) {
        bool fresh = false;
        bool done = false;
        double progress = -1.0;
        QString status;
        {
            const std::scoped_lock lock(control->mutex);
            fresh = std::exchange(control->fresh, false);
            done = control->done;
            progress = control->progress;
            status = control->status;
        }
        const qint64 elapsed = control->clock.elapsed();
        if (JobInfo* info = find(control->id)) {
            info->elapsedMs = elapsed;
            if (fresh) {
                info->progress = progress;
                info->status = status;
            }
        }
        if (done) {
            // One result per event, because each may occupy the GUI thread for some milliseconds.
            QMetaObject::invokeMethod(this, &JobRunner::collect, Qt::QueuedConnection);
            finish(control);
            return;
        }
        if (fresh || elapsed - control->lastTick >= ElapsedTickMs) {
            control->lastTick = elapsed;
            if (control->visible && !control->discarded) Q_EMIT jobChanged(control->id);
        }
    }
    if (m_controls.empty()) m_mailboxTimer->stop();
}

Error JobRunner::defectNow() {
    std::string what;
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return {ErrorCode::Limit, "there is not enough memory"};
    } catch (const std::exception& exception) {
        what = exception.what();
    } catch (...) {
        what = "an unknown exception";
    }
    return {ErrorCode::Unsupported, "Mitos has a defect and could not finish this: " + what, std::nullopt,
            "The other programs and jobs go on."};
}

void JobRunner::finish(const std::shared_ptr<Control>& control) {
    const auto place = std::ranges::find(m_controls, control);
    if (place == m_controls.end()) return;  // already delivered by a nested event loop
    m_controls.erase(place);
    const bool stopped = control->thread.get_stop_token().stop_requested();
    control->thread.join();
    if (JobInfo* info = find(control->id)) info->state = stopped ? JobInfo::State::Stopped : JobInfo::State::Finished;
    if (control->defect) {
        qWarning("%s", control->defect->message.c_str());
        setOutcome(control->id, JobInfo::State::Failed, QString::fromStdString(control->defect->message));
    }
    if (!control->discarded && (!control->hasContext || control->context))
        control->deliver(control->defect ? &*control->defect : nullptr);
    if (!control->visible) {
        std::erase_if(m_jobs, [&](const JobInfo& info) { return info.id == control->id; });
    } else if (!control->discarded) {
        Q_EMIT jobChanged(control->id);
    }
}

void JobRunner::release(std::shared_ptr<const void> data) {
    if (data == nullptr) return;
    start(
        tr("Freeing memory"), false, nullptr,
        [data = std::move(data)](const std::stop_token&, const Report&) mutable {
            data.reset();
            return true;
        },
        [](bool) {});
}

void JobRunner::stop(JobId id) {
    for (const auto& control : m_controls) {
        if (control->id == id) control->thread.request_stop();
    }
}

void JobRunner::discard(JobId id) {
    for (const auto& control : m_controls) {
        if (control->id != id) continue;
        control->discarded = true;
        control->thread.request_stop();
    }
    const auto removed = std::ranges::find(m_jobs, id, &JobInfo::id);
    if (removed == m_jobs.end()) return;
    const bool visible = removed->visible;
    m_jobs.erase(removed);
    if (visible) Q_EMIT jobsCleared();
}

void JobRunner::clearFinished() {
    const auto erased = std::erase_if(
        m_jobs, [](const JobInfo& info) { return info.visible && info.state != JobInfo::State::Running; });
    if (erased > 0) Q_EMIT jobsCleared();
}

void JobRunner::setOutcome(JobId id, JobInfo::State state, const QString& status) {
    JobInfo* info = find(id);
    if (info == nullptr) return;
    info->state = state;
    info->status = status;
    if (info->visible) Q_EMIT jobChanged(id);
}

int JobRunner::runningVisible() const {
    return static_cast<int>(std::ranges::count_if(
        m_jobs, [](const JobInfo& info) { return info.visible && info.state == JobInfo::State::Running; }));
}

JobInfo* JobRunner::find(JobId id) {
    const auto found = std::ranges::find(m_jobs, id, &JobInfo::id);
    return found == m_jobs.end() ? nullptr : &*found;
}

}  // namespace mitos::views
