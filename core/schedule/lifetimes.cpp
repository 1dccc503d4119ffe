// SPDX-License-Identifier: GPL-3.0-or-later
// See lifetimes.h.
#include "core/schedule/lifetimes.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace mitos::schedule {

namespace {

constexpr std::uint32_t NoCopy = std::numeric_limits<std::uint32_t>::max();

/// The start or the end of a task of Timeline::order.
struct TaskEvent {
    double time = 0.0;
    std::uint32_t position = 0;
    bool isEnd = false;
};

std::vector<TaskEvent> eventsOf(const Timeline& timeline) {
    const std::size_t operations = timeline.operations.size();
    std::vector<TaskEvent> events;
    events.reserve(2 * timeline.order.size());
    for (std::uint32_t position = 0; position < timeline.order.size(); ++position) {
        const std::uint32_t task = timeline.order[position];
        const bool isOperation = task < operations;
        events.push_back({isOperation ? timeline.operations[task].start : timeline.transfers[task - operations].start,
                          position, false});
        events.push_back(
            {isOperation ? timeline.operations[task].end : timeline.transfers[task - operations].end, position, true});
    }
    std::ranges::sort(events, {},
                      [](const TaskEvent& event) { return std::tuple(event.time, event.position, event.isEnd); });
    return events;
}

/// Follows the copies through the events.
class CopyTracker {
public:
    CopyTracker(const Problem& problem, const Schedule& schedule, const Timeline& timeline)
        : m_problem(problem),
          m_timeline(timeline),
          m_uses(std::size_t{problem.tensorCount()} * problem.deviceCount(), 0),
          m_copy(m_uses.size(), NoCopy) {
        for (std::uint32_t tensor = 0; tensor < problem.tensorCount(); ++tensor) {
            for (const std::uint32_t consumer : problem.consumersOf(tensor)) ++uses(tensor, schedule.device[consumer]);
        }
        for (const TransferRun& run : timeline.transfers) ++uses(run.tensor, run.from);
    }

    std::vector<Lifetime> follow(const std::vector<TaskEvent>& events) {
        for (std::uint32_t event = 0; event < events.size(); ++event) {
            const std::uint32_t task = m_timeline.order[events[event].position];
            const bool isEnd = events[event].isEnd;
            if (task < m_timeline.operations.size())
                isEnd ? endOperation(task, event) : beginOperation(task, event);
            else
                transfer(m_timeline.transfers[task - m_timeline.operations.size()], event, isEnd);
        }
        for (Lifetime& life : m_lives) {
            if (life.end != NoCopy) continue;
            life.to = m_timeline.runtime;
            life.end = static_cast<std::uint32_t>(events.size());
        }
        return std::move(m_lives);
    }

private:
    [[nodiscard]] std::size_t index(std::uint32_t tensor, std::uint32_t device) const {
        return std::size_t{tensor} * m_problem.deviceCount() + device;
    }
    [[nodiscard]] std::uint32_t& uses(std::uint32_t tensor, std::uint32_t device) {
        return m_uses[index(tensor, device)];
    }
    void make(std::uint32_t tensor, std::uint32_t device, double time, std::uint32_t event) {
        m_copy[index(tensor, device)] = static_cast<std::uint32_t>(m_lives.size());
        m_lives.push_back({tensor, device, time, time, event, NoCopy});
    }
    void release(std::uint32_t tensor, std::uint32_t device, double time, std::uint32_t event) {
        const std::uint32_t producer = m_problem.producerOf(tensor);
        if (m_problem.isRetained(tensor) && m_timeline.operations[producer].device == device) return;
        Lifetime& life = m_lives[m_copy[index(tensor, device)]];
        life.to = time;
        life.end = event;
    }
    void drop(std::uint32_t tensor, std::uint32_t device, double time, std::uint32_t event) {
        if (--uses(tensor, device) == 0) release(tensor, device, time, event);
    }
    void beginOperation(std::uint32_t operation, std::uint32_t event) {
        const OperationRun& run = m_timeline.operations[operation];
        for (const std::uint32_t tensor : m_problem.outputsOf(operation)) make(tensor, run.device, run.start, event);
    }
    void endOperation(std::uint32_t operation, std::uint32_t event) {
        const OperationRun& run = m_timeline.operations[operation];
        for (const std::uint32_t tensor : m_problem.inputsOf(operation)) drop(tensor, run.device, run.end, event);
        for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
            if (uses(tensor, run.device) == 0) release(tensor, run.device, run.end, event);
        }
    }
    void transfer(const TransferRun& run, std::uint32_t event, bool isEnd) {
        if (isEnd)
            drop(run.tensor, run.from, run.end, event);
        else
            make(run.tensor, run.to, run.start, event);
    }

    const Problem& m_problem;
    const Timeline& m_timeline;
    std::vector<std::uint32_t> m_uses;  // by tensor and device: those that have not ended
    std::vector<std::uint32_t> m_copy;  // by tensor and device: its lifetime
    std::vector<Lifetime> m_lives;
};

}  // namespace

Lifetimes::Lifetimes(const Problem& problem, const Schedule& schedule, const Timeline& timeline)
    : m_problem(problem),
      m_steps(problem.deviceCount()) {
    const std::vector<TaskEvent> events = eventsOf(timeline);
    m_all = CopyTracker(problem, schedule, timeline).follow(events);
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> ends(problem.deviceCount());
    for (std::uint32_t life = 0; life < m_all.size(); ++life)
        ends[m_all[life].device].emplace_back(m_all[life].end, life);
    std::vector<std::vector<std::uint32_t>> begins(problem.deviceCount());
    for (std::uint32_t life = 0; life < m_all.size(); ++life) begins[m_all[life].device].push_back(life);
    for (std::uint32_t device = 0; device < problem.deviceCount(); ++device) {
        std::ranges::sort(ends[device]);
        std::uint64_t bytes = 0;
        const auto note = [&](double time, std::uint32_t event) {
            std::vector<Step>& steps = m_steps[device];
            if (!steps.empty() && steps.back().event == event)
                steps.back().bytes = bytes;  // an event may make or release several copies
            else
                steps.push_back({time, event, bytes});
        };
        auto ended = ends[device].begin();
        const auto endUntil = [&](std::uint32_t event) {
            for (; ended != ends[device].end() && ended->first <= event; ++ended) {
                if (ended->first >= events.size()) return;  // retained
                bytes -= problem.bytesOf(m_all[ended->second].tensor);
                note(events[ended->first].time, ended->first);
            }
        };
        for (const std::uint32_t life : begins[device]) {
            endUntil(m_all[life].begin);
            bytes += problem.bytesOf(m_all[life].tensor);
            note(m_all[life].from, m_all[life].begin);
        }
        endUntil(static_cast<std::uint32_t>(events.size()));
    }
}

AliveCopies Lifetimes::at(std::uint32_t device, double time) const {
    const std::vector<Step>& steps = m_steps[device];
    auto after = std::ranges::upper_bound(steps, time, {}, &Step::time);
    if (after == steps.begin()) return {.time = time};
    --after;
    auto most = after;
    for (auto step = after; step->time == time; --step) {
        if (step->bytes > most->bytes) most = step;
        if (step == steps.begin()) break;
    }
    return alive(device, time, most->event);
}

AliveCopies Lifetimes::atPeak(std::uint32_t device) const {
    const std::vector<Step>& steps = m_steps[device];
    const auto most = std::ranges::max_element(steps, {}, &Step::bytes);
    return most == steps.end() ? AliveCopies{} : alive(device, most->time, most->event);
}

AliveCopies Lifetimes::alive(std::uint32_t device, double time, std::uint32_t event) const {
    AliveCopies found{.time = time};
    for (std::uint32_t life = 0; life < m_all.size(); ++life) {
        const Lifetime& copy = m_all[life];
        if (copy.device != device || copy.begin > event || copy.end <= event) continue;
        found.copies.push_back(life);
        found.bytes += m_problem.bytesOf(copy.tensor);
    }
    std::ranges::sort(found.copies, [this](std::uint32_t one, std::uint32_t two) {
        const std::uint64_t first = m_problem.bytesOf(m_all[one].tensor);
        const std::uint64_t second = m_problem.bytesOf(m_all[two].tensor);
        return first != second ? first > second : one < two;
    });
    return found;
}

}  // namespace mitos::schedule
