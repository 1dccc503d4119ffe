// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a session on a thread of its own, in the order asked for, so that the GUI never waits for a disk.
#pragma once

#include "storage/session.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace mitos::views {

/// What tasks share: only the writer's thread touches it.
struct SessionState {
    storage::Session session;
    std::optional<storage::ProgramId> program;
};

class SessionWriter {
public:
    using Task = std::function<Status(SessionState&)>;
    /// Called on the writer's thread, once: after that nothing is written any more.
    using OnBroken = std::function<void(const Error&)>;

    /// Opens (or creates) the file at `path` as the first thing on its thread. `program`: the row tasks belong to, for a
    /// session that exists.
    SessionWriter(std::string path, std::optional<storage::ProgramId> program, OnBroken onBroken);
    /// Does what is still queued.
    ~SessionWriter();
    SessionWriter(const SessionWriter&) = delete;
    SessionWriter& operator=(const SessionWriter&) = delete;

    void post(Task task);
    /// A copy of the file at `path`, and everything from now on goes there.
    void moveTo(const std::string& path);
    /// Where another thread can open the session once everything posted so far is written; nothing if the session is
    /// broken. Waits; not for the GUI thread.
    struct Place {
        std::string path;
        storage::ProgramId program;
    };
    [[nodiscard]] std::optional<Place> place();
    /// Deletes the file when the writer ends: nothing in it is worth keeping.
    void removeAtEnd();

private:
    void loop(const std::string& path, std::optional<storage::ProgramId> program);
    void breakWith(const Error& error);

    OnBroken m_onBroken;
    std::mutex m_mutex;  // guards what follows
    std::condition_variable m_wake;
    std::deque<Task> m_queue;
    std::deque<std::function<void(SessionState*)>> m_asked;
    bool m_ending = false;
    bool m_remove = false;
    bool m_broken = false;  // only the writer's thread changes it
    std::thread m_thread;
};

}  // namespace mitos::views
