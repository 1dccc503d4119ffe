// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/internal/parallel_machines.h"

#include "core/base/random.h"

#include <gecode/int.hh>
#include <gecode/search.hh>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

namespace mitos::search::placement::internal {

namespace {

/// The shared data of all spaces of a search.
struct TreeData {
    const MachineTasks* tasks = nullptr;
    std::vector<int> tails;       ///< from the start of a task to the end of the longest chain behind it
    std::vector<double> urgency;  ///< of tasks that can start at the same time, the one with the highest is first
};

/// The decision that a task starts now or is postponed; without a task there is no way on.
class StartChoice : public Gecode::Choice {
public:
    static constexpr int NoTask = -1;

    StartChoice(const Gecode::Brancher& brancher, int task, int time)
        : Choice(brancher, task == NoTask ? 1U : 2U),
          m_task(task),
          m_time(time) {}

    [[nodiscard]] int task() const { return m_task; }
    [[nodiscard]] int time() const { return m_time; }
    void archive(Gecode::Archive& archive) const override {
        Choice::archive(archive);
        archive << m_task << m_time;
    }

private:
    int m_task;
    int m_time;
};

class StartBrancher : public Gecode::Brancher {
public:
    StartBrancher(Gecode::Home home, Gecode::ViewArray<Gecode::Int::IntView>& starts, const TreeData& data)
        : Brancher(home),
          m_starts(starts),
          m_data(&data),
          m_postponed(static_cast<Gecode::Space&>(home).alloc<int>(starts.size())) {
        std::fill_n(m_postponed, m_starts.size(), NotPostponed);
    }
    StartBrancher(Gecode::Space& home, StartBrancher& other)
        : Brancher(home, other),
          m_data(other.m_data),
          m_postponed(home.alloc<int>(other.m_starts.size())) {
        m_starts.update(home, other.m_starts);
        std::copy_n(other.m_postponed, m_starts.size(), m_postponed);
    }

    Gecode::Actor* copy(Gecode::Space& home) override { return new (home) StartBrancher(home, *this); }
    size_t dispose(Gecode::Space& home) override {
        (void)Brancher::dispose(home);
        return sizeof(*this);
    }
    [[nodiscard]] bool status(const Gecode::Space&) const override {
        for (int i = 0; i < m_starts.size(); ++i) {
            if (!m_starts[i].assigned()) return true;
        }
        return false;
    }

    const Gecode::Choice* choice(Gecode::Space&) override {
        const std::vector<int>& durations = m_data->tasks->durations;
        const std::vector<Level> levels = levelsOfAssigned();
        int best = StartChoice::NoTask;
        int bestTime = 0;
        int firstEnd = std::numeric_limits<int>::max();  // of what is postponed
        for (int i = 0; i < m_starts.size(); ++i) {
            if (m_starts[i].assigned()) continue;
            const int duration = durations[static_cast<std::size_t>(i)];
            const int time = firstFit(levels, m_starts[i].min(), duration);
            if (m_postponed[i] == time) {
                firstEnd = std::min(firstEnd, time + duration);
            } else if (best == StartChoice::NoTask || time < bestTime || (time == bestTime && isMoreUrgent(i, best))) {
                best = i;
                bestTime = time;
            }
        }
        // Only what starts before a postponed task could have ended is able to delay it.
        if (bestTime >= firstEnd) best = StartChoice::NoTask;
        return new StartChoice(*this, best, bestTime);
    }
    const Gecode::Choice* choice(const Gecode::Space&, Gecode::Archive& archive) override {
        unsigned alternatives = 0;
        int task = 0;
        int time = 0;
        archive >> alternatives >> task >> time;
        return new StartChoice(*this, task, time);
    }
    Gecode::ExecStatus commit(Gecode::Space& home, const Gecode::Choice& choice, unsigned alternative) override {
        const auto& decision = static_cast<const StartChoice&>(choice);
        if (decision.task() == StartChoice::NoTask) return Gecode::ES_FAILED;
        if (alternative == 0) {
            return Gecode::me_failed(m_starts[decision.task()].eq(home, decision.time())) ? Gecode::ES_FAILED
                                                                                          : Gecode::ES_OK;
        }
        m_postponed[decision.task()] = decision.time();
        return Gecode::ES_OK;
    }
    void print(const Gecode::Space&, const Gecode::Choice& choice, unsigned alternative,
               std::ostream& out) const override {
        const auto& decision = static_cast<const StartChoice&>(choice);
        out << decision.task() << (alternative == 0 ? " at " : " after ") << decision.time();
    }

private:
    static constexpr int NotPostponed = -1;

    /// From a time on, so many machines are busy.
    struct Level {
        int time = 0;
        std::uint32_t busy = 0;
    };

    /// The machines that tasks with known starts occupy.
    [[nodiscard]] std::vector<Level> levelsOfAssigned() const {
        std::vector<int> starts;
        std::vector<int> ends;
        for (int i = 0; i < m_starts.size(); ++i) {
            const int duration = m_data->tasks->durations[static_cast<std::size_t>(i)];
            if (duration == 0 || !m_starts[i].assigned()) continue;
            starts.push_back(m_starts[i].val());
            ends.push_back(m_starts[i].val() + duration);
        }
        std::ranges::sort(starts);
        std::ranges::sort(ends);
        std::vector<Level> levels{{0, 0}};
        std::size_t ended = 0;
        for (std::size_t started = 0; started < starts.size() || ended < ends.size();) {
            const int time = started < starts.size() ? std::min(starts[started], ends[ended]) : ends[ended];
            while (started < starts.size() && starts[started] == time) ++started;
            while (ended < ends.size() && ends[ended] == time) ++ended;
            levels.push_back({time, static_cast<std::uint32_t>(started - ended)});
        }
        return levels;
    }

    /// The first time from `earliest` on at which a machine is free for so long. The propagators do not always find it, and a task that waits at a
    /// time at which it cannot start would look as if nothing delayed it.
    [[nodiscard]] int firstFit(const std::vector<Level>& levels, int earliest, int duration) const {
        if (duration == 0) return earliest;
        int time = earliest;
        auto level = std::ranges::upper_bound(levels, earliest, {}, &Level::time) - 1;
        for (; level != levels.end() && level->time < time + duration; ++level) {
            if (level->busy < m_data->tasks->machines) continue;
            const auto next = level + 1;
            time = next == levels.end() ? level->time : next->time;
        }
        return time;
    }

    [[nodiscard]] bool isMoreUrgent(int a, int b) const {
        return m_data->urgency[static_cast<std::size_t>(a)] > m_data->urgency[static_cast<std::size_t>(b)];
    }

    Gecode::ViewArray<Gecode::Int::IntView> m_starts;
    const TreeData* m_data;
    int* m_postponed;  ///< by task: the time at which it could start and was postponed
};

/// All schedules of a length.
class StartSpace : public Gecode::Space {
public:
    StartSpace(const TreeData& data, int length) : starts(*this, static_cast<int>(data.tails.size()), 0, length) {
        const MachineTasks& tasks = *data.tasks;
        Gecode::IntVarArgs running;
        Gecode::IntArgs durations;
        Gecode::IntArgs usage;
        for (std::uint32_t i = 0; i < tasks.durations.size(); ++i) {
            const int number = static_cast<int>(i);
            Gecode::rel(*this, starts[number], Gecode::IRT_LQ, length - data.tails[i]);
            for (const std::uint32_t next : tasks.successors[i]) {
                Gecode::linear(*this, Gecode::IntArgs({1, -1}),
                               Gecode::IntVarArgs() << starts[number] << starts[static_cast<int>(next)], Gecode::IRT_LQ,
                               -tasks.durations[i]);
            }
            if (tasks.durations[i] == 0) continue;
            running << starts[number];
            durations << tasks.durations[i];
            usage << 1;
        }
        if (running.size() > 0) Gecode::cumulative(*this, static_cast<int>(tasks.machines), running, durations, usage);
        Gecode::ViewArray<Gecode::Int::IntView> views(*this, Gecode::IntVarArgs(starts));
        (void)new (*this) StartBrancher(*this, views, data);
    }
    StartSpace(StartSpace& other) : Space(other) { starts.update(*this, other.starts); }
    Gecode::Space* copy() override { return new StartSpace(*this); }

    Gecode::IntVarArray starts;
};

/// Ends a tree when its nodes are used up or a stop is requested.
class NodeLimit : public Gecode::Search::Stop {
public:
    NodeLimit(std::uint64_t nodes, const std::stop_token& stop) : m_nodes(nodes), m_stop(stop) {}
    bool stop(const Gecode::Search::Statistics& statistics, const Gecode::Search::Options&) override {
        return statistics.node >= m_nodes || m_stop.stop_requested();
    }

private:
    std::uint64_t m_nodes;
    const std::stop_token& m_stop;
};

class StartSearch {
public:
    StartSearch(const MachineTasks& tasks, int lower, int upper, std::uint64_t nodes, const std::stop_token& stop)
        : m_tasks(tasks),
          m_limit(nodes == 0 ? std::numeric_limits<std::uint64_t>::max() : nodes),
          m_stop(stop),
          m_data{&tasks, std::vector<int>(tasks.durations.size()), {}} {
        m_found.lower = lower;
        m_found.upper = upper;
        for (std::size_t i = tasks.order.size(); i-- > 0;) {
            const std::uint32_t task = tasks.order[i];
            int behind = 0;
            for (const std::uint32_t next : tasks.successors[task]) behind = std::max(behind, m_data.tails[next]);
            m_data.tails[task] = behind + tasks.durations[task];
        }
        m_data.urgency.assign(m_data.tails.begin(), m_data.tails.end());
    }

    StartTimes run() {
        // Limits that grow slowly find more than those that double.
        constexpr std::uint64_t FirstNodes = 300;
        Random random(1);
        for (std::uint64_t nodes = FirstNodes; isOpen(); nodes += nodes / 4) {
            for (bool isNews = true; isNews && isOpen();) {
                isNews = attempt(m_found.lower, nodes);
                isNews = attempt(middle(), nodes) || isNews;
                isNews = attempt(m_found.upper - 1, nodes) || isNews;
            }
            // Other orders of tasks that can start together find other schedules.
            constexpr double Change = 0.2;
            for (std::size_t i = 0; i < m_data.urgency.size(); ++i)
                m_data.urgency[i] = m_data.tails[i] * (1.0 + Change * random.uniform());
        }
        return std::move(m_found);
    }

private:
    [[nodiscard]] bool isOpen() const {
        return m_found.lower < m_found.upper && m_found.nodes < m_limit && !m_stop.stop_requested();
    }
    [[nodiscard]] int middle() const { return m_found.lower + (m_found.upper - m_found.lower) / 2; }

    /// Whether a schedule of this length was found, or none is possible.
    bool attempt(int length, std::uint64_t nodes) {
        if (!isOpen() || length >= m_found.upper) return false;
        NodeLimit limit(std::min(nodes, m_limit - m_found.nodes), m_stop);
        Gecode::Search::Options options;
        options.stop = &limit;
        StartSpace root(m_data, length);
        Gecode::DFS<StartSpace> tree(&root, options);
        const std::unique_ptr<StartSpace> solution(tree.next());
        m_found.nodes += tree.statistics().node;
        if (solution) {
            m_found.start.clear();
            m_found.upper = m_found.lower;
            for (std::uint32_t i = 0; i < m_tasks.durations.size(); ++i) {
                m_found.start.push_back(solution->starts[static_cast<int>(i)].val());
                m_found.upper = std::max(m_found.upper, m_found.start.back() + m_tasks.durations[i]);
            }
            return true;
        }
        if (tree.stopped()) return false;
        m_found.lower = length + 1;
        return true;
    }

    const MachineTasks& m_tasks;
    const std::uint64_t m_limit;
    const std::stop_token& m_stop;
    TreeData m_data;
    StartTimes m_found;
};

}  // namespace

StartTimes shortestStarts(const MachineTasks& tasks, int lower, int upper, std::uint64_t nodes,
                          const std::stop_token& stop) {
    return StartSearch(tasks, lower, upper, nodes, stop).run();
}

}  // namespace mitos::search::placement::internal
