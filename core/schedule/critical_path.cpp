// SPDX-License-Identifier: GPL-3.0-or-later
// See critical_path.h.
#include "core/schedule/critical_path.h"

#include <algorithm>
#include <optional>

namespace mitos::schedule {

namespace {

class PathFinder {
public:
    PathFinder(const Problem& problem, const Timeline& timeline)
        : m_problem(problem),
          m_timeline(timeline),
          m_transfersOf(problem.tensorCount()),
          m_position(timeline.order.size()) {
        for (std::uint32_t i = 0; i < timeline.order.size(); ++i) m_position[timeline.order[i]] = i;
        for (std::uint32_t i = 0; i < timeline.transfers.size(); ++i)
            m_transfersOf[timeline.transfers[i].tensor].push_back(i);
        m_byEnd = timeline.order;
        std::ranges::stable_sort(m_byEnd, {}, [this](std::uint32_t task) { return end(task); });
    }

    std::vector<std::uint32_t> find() {
        std::vector<std::uint32_t> path;
        if (m_byEnd.empty()) return path;
        std::optional<std::uint32_t> task = m_byEnd.back();
        while (task) {
            path.push_back(*task);
            task = before(*task);
        }
        std::ranges::reverse(path);
        return path;
    }

private:
    [[nodiscard]] bool isOperation(std::uint32_t task) const { return task < m_problem.operationCount(); }
    [[nodiscard]] const TransferRun& transfer(std::uint32_t task) const {
        return m_timeline.transfers[task - m_problem.operationCount()];
    }
    [[nodiscard]] double start(std::uint32_t task) const {
        return isOperation(task) ? m_timeline.operations[task].start : transfer(task).start;
    }
    [[nodiscard]] double end(std::uint32_t task) const {
        return isOperation(task) ? m_timeline.operations[task].end : transfer(task).end;
    }

    /// The tasks whose results a task needs.
    [[nodiscard]] std::vector<std::uint32_t> needed(std::uint32_t task) const {
        if (!isOperation(task)) return {m_problem.producerOf(transfer(task).tensor)};
        std::vector<std::uint32_t> tasks;
        const std::uint32_t device = m_timeline.operations[task].device;
        for (const std::uint32_t tensor : m_problem.inputsOf(task)) {
            const std::uint32_t producer = m_problem.producerOf(tensor);
            if (m_timeline.operations[producer].device == device) {
                tasks.push_back(producer);
                continue;
            }
            for (const std::uint32_t i : m_transfersOf[tensor]) {
                if (m_timeline.transfers[i].to == device) tasks.push_back(m_problem.operationCount() + i);
            }
        }
        for (const std::uint32_t predecessor : m_problem.predecessorsOf(task)) tasks.push_back(predecessor);
        return tasks;
    }

    [[nodiscard]] bool occupies(std::uint32_t one, std::uint32_t two) const {
        const auto uses = [this](std::uint32_t task, std::uint32_t device) {
            if (isOperation(task)) return m_timeline.operations[task].device == device;
            return m_problem.machine().transfers == TransferMode::Rendezvous &&
                   (transfer(task).from == device || transfer(task).to == device);
        };
        for (std::uint32_t device = 0; device < m_problem.deviceCount(); ++device) {
            if (uses(one, device) && uses(two, device)) return true;
        }
        return !isOperation(one) && !isOperation(two) && transfer(one).from == transfer(two).from &&
               transfer(one).to == transfer(two).to;
    }

    /// The task at whose end this one starts: one whose result it needs, if there is one. It was started earlier.
    [[nodiscard]] std::optional<std::uint32_t> before(std::uint32_t task) const {
        const double begin = start(task);
        for (const std::uint32_t other : needed(task)) {
            if (end(other) == begin) return other;
        }
        auto at = std::ranges::lower_bound(m_byEnd, begin, {}, [this](std::uint32_t other) { return end(other); });
        for (; at != m_byEnd.end() && end(*at) == begin; ++at) {
            if (m_position[*at] < m_position[task] && occupies(*at, task)) return *at;
        }
        return std::nullopt;
    }

    const Problem& m_problem;
    const Timeline& m_timeline;
    std::vector<std::vector<std::uint32_t>> m_transfersOf;  // by tensor
    std::vector<std::uint32_t> m_position;                  // by task: in the order of starting
    std::vector<std::uint32_t> m_byEnd;                     // all tasks
};

}  // namespace

std::vector<std::uint32_t> criticalPath(const Problem& problem, const Timeline& timeline) {
    return PathFinder(problem, timeline).find();
}

}  // namespace mitos::schedule
