// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a session on its own thread, in the order of the calls, so that the GUI never waits for a disk.
#pragma once

#include "storage/session.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace mitos::storage {

/// Shared by tasks; used only on the writer's thread.
struct SessionState {
    Session session;
    std::optional<ProgramId> program;
};

class SessionWriter {
public:
    using Task = std::function<Status(SessionState&)>;
    /// Called once, on the writer's thread; nothing is written after that.
    using OnBroken = std::function<void(const Error&)>;

    /// Opens (or creates) the file at `path` as the first task of its thread. `program` is the row that tasks belong
    /// to, if the session exists.
    SessionWriter(std::string path, std::optional<ProgramId> program, OnBroken onBroken);
    /// Finishes the queued tasks.
    ~SessionWriter();
    SessionWriter(const SessionWriter&) = delete;
    SessionWriter& operator=(const SessionWriter&) = delete;

    void post(Task task);
    /// Copies the session to `path` and writes to the copy from then on.
    void moveTo(const std::string& path);
    /// Where another thread can open the session once everything posted so far is written; nothing if the session is
    /// broken. Blocks; not for the GUI thread.
    struct Place {
        std::string path;
        ProgramId program;
    };
    [[nodiscard]] std::optional<Place> place();
    /// Deletes the file when the writer ends, because it contains nothing worth keeping.
    void removeAtEnd();

private:
    void loop(const std::string& path, std::optional<ProgramId> program);
    void breakWith(const Error& error);

    OnBroken m_onBroken;
    std::mutex m_mutex;  // guards the members below
    std::condition_variable m_wake;
    std::deque<Task> m_queue;
    std::deque<std::function<void(SessionState*)>> m_asked;
    bool m_ending = false;
    bool m_remove = false;
    bool m_broken = false;  // changed only on the writer's thread
    std::thread m_thread;
};

}  // namespace mitos::storage
