// SPDX-License-Identifier: GPL-3.0-or-later
// The queue of session writes. The first error ends writing permanently: a history with gaps would not replay.
#include "storage/workspace/session_writer.h"

#include <future>
#include <utility>

namespace mitos::storage {

SessionWriter::SessionWriter(std::string path, std::optional<ProgramId> program, OnBroken onBroken)
    : m_onBroken(std::move(onBroken)),
      m_thread([this, path = std::move(path), program] { loop(path, program); }) {}

SessionWriter::~SessionWriter() {
    {
        const std::scoped_lock lock(m_mutex);
        m_ending = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

void SessionWriter::post(Task task) {
    {
        const std::scoped_lock lock(m_mutex);
        m_queue.push_back(std::move(task));
    }
    m_wake.notify_one();
}

void SessionWriter::moveTo(const std::string& path) {
    post([path](SessionState& state) -> Status {
        // The user agreed to replace the existing file.
        MITOS_REQUIRE(state.session.copyTo(path, Session::Existing::Replace));
        MITOS_TRY(state.session, Session::open(path));
        return state.program ? state.session.claimHistory(*state.program) : Success{};
    });
}

std::optional<SessionWriter::Place> SessionWriter::place() {
    std::promise<std::optional<Place>> promise;
    auto answer = promise.get_future();
    {
        const std::scoped_lock lock(m_mutex);
        m_asked.emplace_back([&promise](SessionState* state) {
            if (state == nullptr || !state->program) {
                promise.set_value(std::nullopt);
            } else {
                promise.set_value(Place{state->session.path(), *state->program});
            }
        });
    }
    m_wake.notify_one();
    return answer.get();
}

void SessionWriter::removeAtEnd() {
    const std::scoped_lock lock(m_mutex);
    m_remove = true;
}

void SessionWriter::breakWith(const Error& error) {
    if (m_broken) return;
    m_broken = true;
    m_onBroken(error);
}

void SessionWriter::loop(const std::string& path, std::optional<ProgramId> program) {
    std::optional<SessionState> state;
    if (auto opened = Session::open(path); opened) {
        const bool readOnly = opened->report().readOnly;
        state.emplace(SessionState{std::move(*opened), program});
        if (readOnly) {
            breakWith({.code = ErrorCode::Io,
                       .message = "The session file " + path + " cannot be written.",
                       .hint = "Save the session somewhere else to keep what you do from here on."});
        } else if (program) {
            if (const Status claimed = state->session.claimHistory(*program); !claimed) breakWith(claimed.error());
        }
    } else {
        breakWith(opened.error());
    }
    std::unique_lock lock(m_mutex);
    while (true) {
        m_wake.wait(lock, [this] { return m_ending || !m_queue.empty() || !m_asked.empty(); });
        while (!m_queue.empty()) {
            const Task task = std::move(m_queue.front());
            m_queue.pop_front();
            lock.unlock();
            if (!m_broken) {
                if (const Status done = task(*state); !done) breakWith(done.error());
            }
            lock.lock();
        }
        while (!m_asked.empty()) {
            const auto answer = std::move(m_asked.front());
            m_asked.pop_front();
            answer(m_broken ? nullptr : &*state);
        }
        if (m_ending && m_queue.empty()) break;
    }
    const bool remove = m_remove;
    lock.unlock();
    const std::string last = state ? state->session.path() : std::string();
    state.reset();
    if (remove && !last.empty()) removeSession(last);
}

}  // namespace mitos::storage
