// SPDX-License-Identifier: GPL-3.0-or-later
// A team of threads of one process.
#pragma once

#include "core/random_keys/team.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace mitos::tests {

/// The place where the ranks meet.
class ThreadMeeting {
public:
    explicit ThreadMeeting(std::uint32_t size) : m_given(size) {}

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(m_given.size()); }
    [[nodiscard]] std::size_t rounds() const { return m_round; }

    [[nodiscard]] Result<std::vector<std::string>> meet(std::uint32_t rank, std::string_view own) {
        std::unique_lock lock(m_mutex);
        if (m_hasLeft) return lost();
        m_given[rank] = own;
        const std::size_t round = m_round;
        if (++m_here == size()) {
            m_here = 0;
            ++m_round;
            m_all = m_given;
            m_changed.notify_all();
            return m_all;
        }
        m_changed.wait(lock, [&] { return m_round != round || m_hasLeft; });
        if (m_round == round) return lost();
        return m_all;
    }
    void leave() {
        const std::scoped_lock lock(m_mutex);
        m_hasLeft = true;
        m_changed.notify_all();
    }

private:
    static Error lost() { return inputError("a rank has left", "start again"); }

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<std::string> m_given;
    std::vector<std::string> m_all;  ///< of the last round; the next one is not over before each rank has read it
    std::uint32_t m_here = 0;
    std::size_t m_round = 0;
    bool m_hasLeft = false;
};

/// A rank of the meeting, which leaves it in the end.
class ThreadRank final : public random_keys::Team {
public:
    ThreadRank(ThreadMeeting& meeting, std::uint32_t rank) : m_meeting(meeting), m_rank(rank) {}
    ~ThreadRank() override { m_meeting.leave(); }

    [[nodiscard]] std::uint32_t rank() const override { return m_rank; }
    [[nodiscard]] std::uint32_t size() const override { return m_meeting.size(); }
    [[nodiscard]] Result<std::vector<std::string>> allGather(std::string_view own) override {
        return m_meeting.meet(m_rank, own);
    }

private:
    ThreadMeeting& m_meeting;
    std::uint32_t m_rank;
};

/// Runs the work on each rank, on a thread of its own. Returns how often they met.
inline std::size_t runInTeam(std::uint32_t size, const std::function<void(random_keys::Team&)>& work) {
    ThreadMeeting meeting(size);
    std::vector<std::jthread> threads;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            ThreadRank team(meeting, rank);
            work(team);
        });
    }
    threads.clear();
    return meeting.rounds();
}

}  // namespace mitos::tests
