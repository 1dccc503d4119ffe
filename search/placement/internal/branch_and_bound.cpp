// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/internal/branch_and_bound.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace mitos::search::placement::internal {

namespace {

using random_keys::Fitness;
using schedule::Problem;
using schedule::TransferMode;

constexpr std::uint32_t None = std::numeric_limits<std::uint32_t>::max();

/// Something that is started, once the devices of all operations are known.
struct Task {
    bool isOperation = true;
    std::uint32_t number = 0;  ///< of an operation or a tensor
    std::uint32_t device = 0;  ///< of an operation, or the source of a transfer
    std::uint32_t to = None;   ///< the destination of a transfer
    double duration = 0.0;
    double tail = 0.0;  ///< from its start to the end of the longest chain behind it
    std::vector<std::uint32_t> next = {};
    std::uint32_t waits = 0;
};

class Tree {
public:
    Tree(const Problem& problem, Objective objective, Placement known, const TreeLimits& limits)
        : m_problem(problem),
          m_objective(objective),
          m_limits(limits),
          m_model(problem),
          m_mode(problem.machine().transfers),
          m_best(std::move(known)),
          m_bestFitness(fitnessOf(m_best.score, objective)),
          m_device(problem.operationCount(), None),
          m_end(problem.operationCount()),
          m_load(problem.deviceCount()),
          m_held(problem.deviceCount()),
          m_need(problem.deviceCount()) {
        for (const schedule::Device& device : problem.machine().devices)
            m_isMemoryLimited = m_isMemoryLimited || device.memory != schedule::UnlimitedMemory;
        m_usesMemory = m_isMemoryLimited || objective == Objective::Memory;
        prepareBounds();
        if (m_usesMemory) findAncestors();
    }

    TreeResult run() {
        TreeResult result;
        if (m_objective == Objective::Memory) {
            // The peak alone, with a proof; then the run time among the schedules with this peak.
            m_onlyPrimary = true;
            m_open = m_bestFitness;
            place(0, {0.0, 0.0});
            result.isProven = !m_isOver;
            result.bound = m_isOver ? std::min(m_open.primary, m_bestFitness.primary) : m_bestFitness.primary;
            m_onlyPrimary = false;
            place(0, {0.0, 0.0});
        } else {
            m_open = m_bestFitness;
            place(0, {0.0, 0.0});
            result.isProven = !m_isOver;
            const bool fits = m_bestFitness.primary == 0.0;
            if (!m_isOver && fits) {
                result.bound = m_bestFitness.secondary * (1.0 - 2.0 * m_tolerance);
            } else if (m_isOver && m_open.primary == 0.0) {
                result.bound = std::min(m_open.secondary, m_bestFitness.secondary) * (1.0 - m_tolerance);
            }
        }
        result.nodes = m_nodes;
        result.best = std::move(m_best);
        return result;
    }

private:
    void prepareBounds() {
        double fastest = 0.0;
        for (const schedule::Device& device : m_problem.machine().devices) {
            fastest = std::max(fastest, device.speed);
            m_speeds += device.speed;
        }
        const std::span<const std::uint32_t> order = m_problem.topologicalOrder();
        m_leastTail.resize(order.size());
        m_leastWorkAfter.assign(order.size() + 1, 0.0);
        bool isWhole = true;
        const auto check = [&](double duration) { isWhole = isWhole && duration == std::floor(duration); };
        for (std::size_t i = order.size(); i-- > 0;) {
            const std::uint32_t operation = order[i];
            const double duration = m_problem.graph().operations[operation].duration;
            for (std::uint32_t d = 0; d < m_problem.deviceCount(); ++d) check(m_problem.durationOf(operation, d));
            double behind = 0.0;
            for (const std::uint32_t next : m_problem.successorsOf(operation))
                behind = std::max(behind, m_leastTail[next]);
            m_leastTail[operation] = behind + duration / fastest;
            m_leastWorkAfter[i] = m_leastWorkAfter[i + 1] + duration;
        }
        if (m_mode != TransferMode::Instant) {
            for (std::uint32_t t = 0; t < m_problem.tensorCount(); ++t) check(m_problem.transferDuration(t));
        }
        for (const schedule::Device& device : m_problem.machine().devices) isWhole = isWhole && device.speed == 1.0;
        constexpr double Rounding = 2e-13;
        m_tolerance = isWhole ? 0.0 : Rounding;
    }

    void findAncestors() {
        const std::size_t count = m_problem.operationCount();
        m_isAncestor.assign(count, std::vector<bool>(count));
        for (const std::uint32_t operation : m_problem.topologicalOrder()) {
            std::vector<bool>& ancestors = m_isAncestor[operation];
            for (const std::uint32_t before : m_problem.predecessorsOf(operation)) {
                ancestors[before] = true;
                for (std::size_t i = 0; i < count; ++i) ancestors[i] = ancestors[i] || m_isAncestor[before][i];
            }
        }
    }

    /// Whether no schedule of a subtree with such a bound is needed.
    [[nodiscard]] bool isExcluded(const Fitness& bound) const {
        if (bound.primary != m_bestFitness.primary) return bound.primary > m_bestFitness.primary;
        return m_onlyPrimary || bound.secondary >= m_bestFitness.secondary * (1.0 - m_tolerance);
    }

    [[nodiscard]] bool isOver() {
        if (m_isOver) return true;
        if (m_limits.nodes != 0 && m_nodes >= m_limits.nodes) m_isOver = true;
        constexpr std::uint64_t Interval = 64;
        if (m_nodes % Interval == 0 && m_limits.stop.stop_requested()) m_isOver = true;
        return m_isOver;
    }
    void leaveOpen(const Fitness& bound) { m_open = std::min(m_open, bound); }

    /// The first part of the fitness, from the memory that each device needs at least.
    [[nodiscard]] double primaryOf(std::span<const std::uint64_t> peaks) const {
        std::uint64_t most = 0;
        for (std::size_t d = 0; d < peaks.size(); ++d) {
            const std::uint64_t memory = m_objective == Objective::Memory ? 0 : m_problem.machine().devices[d].memory;
            most = std::max(most, peaks[d] > memory ? peaks[d] - memory : 0);
        }
        return static_cast<double>(most);
    }

    // Devices.

    struct Saved {
        double load = 0.0;
        std::uint64_t held = 0;
        std::uint64_t need = 0;
    };

    /// Chooses a device for the operation at a place of the topological order, and for all later ones.
    void place(std::size_t position, const Fitness& bound) {
        if (position == m_problem.operationCount()) {
            sequence(bound);
            return;
        }
        const std::uint32_t operation = m_problem.topologicalOrder()[position];
        std::vector<std::pair<Fitness, std::uint32_t>> children;
        for (std::uint32_t d = 0; d < m_problem.deviceCount(); ++d) {
            if (isLikeUnusedBefore(d)) continue;
            const std::vector<double> loads = m_load;
            const Saved saved{m_load[d], m_held[d], m_need[d]};
            const Fitness child = std::max(bound, assign(position, operation, d));
            retract(operation, d, saved, loads);
            if (!isExcluded(child)) children.emplace_back(child, d);
        }
        std::ranges::sort(children);
        for (const auto& [child, d] : children) {
            if (isExcluded(child)) break;
            if (isOver()) {
                leaveOpen(child);
                break;
            }
            ++m_nodes;
            const std::vector<double> loads = m_load;
            const Saved saved{m_load[d], m_held[d], m_need[d]};
            (void)assign(position, operation, d);
            place(position + 1, child);
            retract(operation, d, saved, loads);
        }
    }

    /// Whether an equal device with a lower number is not used, either.
    [[nodiscard]] bool isLikeUnusedBefore(std::uint32_t device) const {
        const auto isUsed = [this](std::uint32_t d) { return std::ranges::find(m_device, d) != m_device.end(); };
        if (isUsed(device)) return false;
        const std::vector<schedule::Device>& devices = m_problem.machine().devices;
        for (std::uint32_t d = 0; d < device; ++d) {
            if (devices[d].speed == devices[device].speed && devices[d].memory == devices[device].memory && !isUsed(d))
                return true;
        }
        return false;
    }

    /// Puts an operation on a device, and returns a bound for all schedules with the devices so far.
    Fitness assign(std::size_t position, std::uint32_t operation, std::uint32_t device) {
        double start = 0.0;
        for (const std::uint32_t before : m_problem.predecessorsOf(operation)) start = std::max(start, m_end[before]);
        if (m_mode != TransferMode::Instant) {
            for (const std::uint32_t tensor : m_problem.inputsOf(operation)) {
                const std::uint32_t producer = m_problem.producerOf(tensor);
                const std::uint32_t from = m_device[producer];
                if (from == device) continue;
                start = std::max(start, m_end[producer] + m_problem.transferDuration(tensor));
                const bool isNew = std::ranges::none_of(m_problem.consumersOf(tensor), [&](std::uint32_t consumer) {
                    return m_device[consumer] == device;
                });
                if (isNew && m_mode == TransferMode::Rendezvous) {
                    m_load[from] += m_problem.transferDuration(tensor);
                    m_load[device] += m_problem.transferDuration(tensor);
                }
            }
        }
        m_device[operation] = device;
        const double duration = m_problem.durationOf(operation, device);
        m_end[operation] = start + duration;
        m_load[device] += duration;
        std::uint64_t touched = 0;
        for (const std::uint32_t tensor : m_problem.inputsOf(operation)) touched += m_problem.bytesOf(tensor);
        for (const std::uint32_t tensor : m_problem.outputsOf(operation)) {
            touched += m_problem.bytesOf(tensor);
            if (m_problem.isRetained(tensor)) m_held[device] += m_problem.bytesOf(tensor);
        }
        m_need[device] = std::max({m_need[device], touched, m_held[device]});

        double behind = 0.0;
        for (const std::uint32_t next : m_problem.successorsOf(operation)) behind = std::max(behind, m_leastTail[next]);
        double runtime = m_end[operation] + behind;
        double done = 0.0;
        for (std::uint32_t d = 0; d < m_load.size(); ++d) {
            runtime = std::max(runtime, m_load[d]);
            done += m_load[d] * m_problem.machine().devices[d].speed;
        }
        runtime = std::max(runtime, (done + m_leastWorkAfter[position + 1]) / m_speeds);
        return {m_usesMemory ? primaryOf(m_need) : 0.0, runtime};
    }
    void retract(std::uint32_t operation, std::uint32_t device, const Saved& saved, const std::vector<double>& loads) {
        m_device[operation] = None;
        m_load = loads;
        m_held[device] = saved.held;
        m_need[device] = saved.need;
    }

    /// Raises the memory that each device needs, now that all devices are known, to what is there while each operation runs: its inputs and
    /// outputs, and what operations before it made or used there and operations after it use.
    void raiseNeeds() {
        for (std::uint32_t operation = 0; operation < m_problem.operationCount(); ++operation) {
            const std::uint32_t device = m_device[operation];
            std::uint64_t bytes = 0;
            for (std::uint32_t tensor = 0; tensor < m_problem.tensorCount(); ++tensor) {
                if (isThereDuring(tensor, operation, device)) bytes += m_problem.bytesOf(tensor);
            }
            m_need[device] = std::max(m_need[device], bytes);
        }
    }
    [[nodiscard]] bool isThereDuring(std::uint32_t tensor, std::uint32_t operation, std::uint32_t device) const {
        const std::uint32_t producer = m_problem.producerOf(tensor);
        const bool isHome = m_device[producer] == device;
        if (isHome && producer == operation) return true;
        bool isBefore = isHome && m_isAncestor[operation][producer];
        bool isAfter = isBefore && m_problem.isRetained(tensor);
        for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) {
            if (m_device[consumer] != device) continue;
            if (consumer == operation) return true;
            isBefore = isBefore || (!isHome && m_isAncestor[operation][consumer]);
            isAfter = isAfter || m_isAncestor[consumer][operation];
        }
        return isBefore && isAfter;
    }

    // Orders.

    /// All orders of starting with the devices that are chosen.
    void sequence(Fitness bound) {
        const std::vector<std::uint64_t> needs = m_need;
        if (m_usesMemory) {
            raiseNeeds();
            bound = std::max(bound, Fitness{primaryOf(m_need), bound.secondary});
        }
        if (!isExcluded(bound)) sequenceAll(bound);
        m_need = needs;
    }
    void sequenceAll(const Fitness& bound) {
        makeTasks();
        m_waits.clear();
        for (const Task& task : m_tasks) m_waits.push_back(task.waits);
        m_ready.assign(m_tasks.size(), 0.0);
        m_isStarted.assign(m_tasks.size(), false);
        m_start.assign(m_tasks.size(), 0.0);
        m_free.assign(m_problem.deviceCount(), 0.0);
        m_linkFree.assign(std::size_t{m_problem.deviceCount()} * m_problem.deviceCount(), 0.0);
        m_left = m_load;
        m_order.clear();
        m_runtime = 0.0;
        if (m_usesMemory) countUses();
        m_seen.clear();
        startNext(bound);
    }

    void makeTasks() {
        m_tasks.clear();
        const std::uint32_t count = m_problem.operationCount();
        for (std::uint32_t i = 0; i < count; ++i) {
            m_tasks.push_back({.number = i, .device = m_device[i], .duration = m_problem.durationOf(i, m_device[i])});
        }
        const auto link = [this](std::uint32_t first, std::uint32_t second) {
            m_tasks[first].next.push_back(second);
            ++m_tasks[second].waits;
        };
        for (std::uint32_t i = 0; i < count; ++i) {
            for (const std::uint32_t next : m_problem.controlledBy(i)) link(i, next);
            for (const std::uint32_t tensor : m_problem.outputsOf(i)) {
                std::vector<std::uint32_t> transferTo(m_problem.deviceCount(), None);
                for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) {
                    const std::uint32_t to = m_device[consumer];
                    if (to == m_device[i] || m_mode == TransferMode::Instant) {
                        link(i, consumer);
                        continue;
                    }
                    if (transferTo[to] == None) {
                        transferTo[to] = static_cast<std::uint32_t>(m_tasks.size());
                        m_tasks.push_back({.isOperation = false,
                                           .number = tensor,
                                           .device = m_device[i],
                                           .to = to,
                                           .duration = m_problem.transferDuration(tensor)});
                        link(i, transferTo[to]);
                    }
                    link(transferTo[to], consumer);
                }
            }
        }
        setTails();
    }
    void setTails() {
        const auto set = [this](Task& task) {
            double behind = 0.0;
            for (const std::uint32_t next : task.next) behind = std::max(behind, m_tasks[next].tail);
            task.tail = behind + task.duration;
        };
        const std::span<const std::uint32_t> order = m_problem.topologicalOrder();
        for (std::size_t i = order.size(); i-- > 0;) {
            Task& task = m_tasks[order[i]];
            for (const std::uint32_t next : task.next) {
                if (!m_tasks[next].isOperation) set(m_tasks[next]);
            }
            set(task);
        }
    }

    [[nodiscard]] double startOf(const Task& task, double ready) const {
        if (task.isOperation) return std::max(ready, m_free[task.device]);
        if (m_mode == TransferMode::Rendezvous) return std::max({ready, m_free[task.device], m_free[task.to]});
        return std::max(ready, m_linkFree[std::size_t{task.device} * m_problem.deviceCount() + task.to]);
    }
    [[nodiscard]] bool shareResource(const Task& a, const Task& b) const {
        if (m_mode != TransferMode::Async || (a.isOperation && b.isOperation)) {
            return a.device == b.device || (!a.isOperation && a.to == b.device) ||
                   (!b.isOperation && a.device == b.to) || (!a.isOperation && !b.isOperation && a.to == b.to);
        }
        return !a.isOperation && !b.isOperation && a.device == b.device && a.to == b.to;
    }

    struct Child {
        Fitness bound;
        double start = 0.0;
        std::uint32_t task = 0;
    };

    /// Starts each task that is ready as the next one.
    void startNext(const Fitness& bound) {
        if (m_order.size() == m_tasks.size()) {
            finish();
            return;
        }
        std::vector<Child> children;
        for (std::uint32_t i = 0; i < m_tasks.size(); ++i) {
            if (!m_isStarted[i] && m_waits[i] == 0) children.push_back({{}, startOf(m_tasks[i], m_ready[i]), i});
        }
        std::erase_if(children, [&](const Child& child) { return isDominated(child, children); });
        for (Child& child : children) child.bound = std::max(bound, boundAfter(child));
        std::ranges::sort(children, {},
                          [](const Child& child) { return std::tuple(child.bound, child.start, child.task); });
        for (const Child& child : children) {
            if (isExcluded(child.bound)) break;
            if (isOver()) {
                leaveOpen(child.bound);
                break;
            }
            ++m_nodes;
            const Undo undo = startTask(child);
            Fitness reached = child.bound;
            // The peaks so far are looked at only here, as they take most of the time.
            if (m_usesMemory) reached = std::max(reached, Fitness{primaryOf(peaksSoFar()), reached.secondary});
            if (!isExcluded(reached) && !isKnown(reached)) startNext(reached);
            undoTask(child, undo);
        }
    }

    /// Where the order on each device alone decides the peak, what has been started decides what follows. Whether this was met with the same or
    /// a lower peak.
    [[nodiscard]] bool isKnown(const Fitness& reached) {
        constexpr std::size_t Bits = 64;
        if (!m_onlyPrimary || m_mode != TransferMode::Rendezvous || m_tasks.size() > Bits) return false;
        std::uint64_t started = 0;
        for (const std::uint32_t task : m_order) started |= std::uint64_t{1} << task;
        const auto [known, isNew] = m_seen.try_emplace(started, reached.primary);
        if (isNew) return false;
        if (known->second <= reached.primary) return true;
        known->second = reached.primary;
        return false;
    }

    [[nodiscard]] bool isDominated(const Child& child, std::span<const Child> all) const {
        if (m_order.empty()) return false;
        const std::uint32_t last = m_order.back();
        const Task& task = m_tasks[child.task];
        const Task& before = m_tasks[last];
        // Tasks without duration are the first of those that start at the same time.
        const bool isFirst = std::tuple(child.start, task.duration > 0.0, child.task) <
                             std::tuple(m_start[last], before.duration > 0.0, last);
        if (!m_usesMemory) {
            if (child.start < m_start[last]) return true;
            if (isFirst && !shareResource(task, before) &&
                std::ranges::find(before.next, child.task) == before.next.end())
                return true;
            return std::ranges::any_of(all, [&](const Child& other) {
                const double end = other.start + m_tasks[other.task].duration;
                if (other.task == child.task || end > child.start) return false;
                const bool isTie = other.start == child.start;
                return !isTie ||
                       (m_tasks[other.task].duration == 0.0 && (task.duration > 0.0 || other.task < child.task));
            });
        }
        if (shareResource(task, before) || std::ranges::find(before.next, child.task) != before.next.end())
            return false;
        // Sets that are known were met with other times, so here the order must not depend on times.
        if (m_mode == TransferMode::Rendezvous) return child.task < last;
        if (!isFirst) return false;
        // At equal times the order decides what is in memory.
        const double end = child.start + task.duration;
        const double endBefore = m_start[last] + before.duration;
        return child.start != m_start[last] && child.start != endBefore && end != m_start[last] && end != endBefore;
    }

    [[nodiscard]] Fitness boundAfter(const Child& child) const {
        const Task& task = m_tasks[child.task];
        double runtime = std::max(m_runtime, child.start + task.tail);
        const double end = child.start + task.duration;
        for (std::uint32_t d = 0; d < m_left.size(); ++d) {
            double free = m_free[d];
            double left = m_left[d];
            const bool occupies = task.isOperation
                                      ? task.device == d
                                      : m_mode == TransferMode::Rendezvous && (task.device == d || task.to == d);
            if (occupies) {
                free = end;
                left -= task.duration;
            }
            runtime = std::max(runtime, free + left);
        }
        for (std::uint32_t i = 0; i < m_tasks.size(); ++i) {
            const Task& other = m_tasks[i];
            if (m_isStarted[i] || i == child.task) continue;
            double ready = m_ready[i];
            if (shareResource(task, other)) ready = std::max(ready, end);
            runtime = std::max(runtime, (m_waits[i] == 0 ? startOf(other, ready) : ready) + other.tail);
        }
        return {0.0, runtime};
    }

    struct Undo {
        std::array<double, 2> free{};
        double linkFree = 0.0;
        double runtime = 0.0;
        std::vector<double> ready = {};  ///< of the next tasks
    };
    [[nodiscard]] double& linkOf(const Task& task) {
        return m_linkFree[std::size_t{task.device} * m_problem.deviceCount() + task.to];
    }

    Undo startTask(const Child& child) {
        const Task& task = m_tasks[child.task];
        const double end = child.start + task.duration;
        Undo undo{.free = {m_free[task.device], task.isOperation ? 0.0 : m_free[task.to]}, .runtime = m_runtime};
        if (task.isOperation || m_mode == TransferMode::Rendezvous) {
            m_free[task.device] = end;
            m_left[task.device] -= task.duration;
        }
        if (!task.isOperation) {
            undo.linkFree = linkOf(task);
            linkOf(task) = end;
            if (m_mode == TransferMode::Rendezvous) {
                m_free[task.to] = end;
                m_left[task.to] -= task.duration;
            }
        }
        m_runtime = std::max(m_runtime, end);
        for (const std::uint32_t next : task.next) {
            undo.ready.push_back(m_ready[next]);
            m_ready[next] = std::max(m_ready[next], end);
            --m_waits[next];
        }
        m_isStarted[child.task] = true;
        m_start[child.task] = child.start;
        m_order.push_back(child.task);
        return undo;
    }
    void undoTask(const Child& child, const Undo& undo) {
        const Task& task = m_tasks[child.task];
        m_order.pop_back();
        m_isStarted[child.task] = false;
        for (std::size_t k = task.next.size(); k-- > 0;) {
            m_ready[task.next[k]] = undo.ready[k];
            ++m_waits[task.next[k]];
        }
        m_runtime = undo.runtime;
        if (task.isOperation || m_mode == TransferMode::Rendezvous) {
            m_free[task.device] = undo.free[0];
            m_left[task.device] += task.duration;
        }
        if (!task.isOperation) {
            linkOf(task) = undo.linkFree;
            if (m_mode == TransferMode::Rendezvous) {
                m_free[task.to] = undo.free[1];
                m_left[task.to] += task.duration;
            }
        }
    }

    // Memory of what has been started.

    void countUses() {
        const std::uint32_t devices = m_problem.deviceCount();
        m_allUses.assign(std::size_t{m_problem.tensorCount()} * devices, 0);
        for (std::uint32_t tensor = 0; tensor < m_problem.tensorCount(); ++tensor) {
            std::uint32_t* const uses = m_allUses.data() + std::size_t{tensor} * devices;
            const std::uint32_t from = m_device[m_problem.producerOf(tensor)];
            for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) {
                const std::uint32_t to = m_device[consumer];
                if (uses[to]++ == 0 && to != from) ++uses[from];
            }
        }
    }

    /// A change of memory on a device. What happens at the same time happens in the order of starting.
    struct Event {
        double time = 0.0;
        std::uint32_t position = 0;
        bool isEnd = false;
    };

    /// By device: a peak that each schedule has that begins like this. Memory on a device is known until the time at which it is free: what
    /// starts there later can only add to it.
    [[nodiscard]] std::span<const std::uint64_t> peaksSoFar() {
        m_uses = m_allUses;
        if (m_mode == TransferMode::Async) {
            // Links are not devices: a transfer that is started later may have ended earlier.
            for (std::uint32_t i = 0; i < m_tasks.size(); ++i) {
                const Task& task = m_tasks[i];
                if (!task.isOperation && !m_isStarted[i])
                    --m_uses[std::size_t{task.number} * m_problem.deviceCount() + task.device];
            }
        }
        m_inUse.assign(m_problem.deviceCount(), 0);
        m_peaks = m_need;
        m_runs.clear();
        for (const std::uint32_t task : m_order) {
            m_runs.push_back(task);
            if (m_mode != TransferMode::Instant) continue;
            // Instant transfers happen at the end of their producer.
            for (const std::uint32_t tensor : m_problem.outputsOf(m_tasks[task].number)) m_runs.push_back(~tensor);
        }
        if (m_mode == TransferMode::Rendezvous) {
            for (const std::uint32_t task : m_order) {
                begin(m_tasks[task], m_start[task]);
                end(m_tasks[task]);
            }
            return m_peaks;
        }
        m_events.clear();
        double producerEnd = 0.0;
        for (std::uint32_t i = 0; i < m_runs.size(); ++i) {
            const std::uint32_t run = m_runs[i];
            if (run < m_tasks.size()) {
                producerEnd = m_start[run] + m_tasks[run].duration;
                m_events.push_back({m_start[run], i, false});
            }
            m_events.push_back({producerEnd, i, true});
        }
        std::ranges::sort(m_events, {},
                          [](const Event& event) { return std::tuple(event.time, event.position, event.isEnd); });
        for (const Event& event : m_events) {
            const std::uint32_t run = m_runs[event.position];
            if (run >= m_tasks.size()) {
                transferInstantly(~run, event.time);
            } else if (event.isEnd) {
                end(m_tasks[run]);
            } else {
                begin(m_tasks[run], event.time);
            }
        }
        return m_peaks;
    }
    void allocate(std::uint32_t device, std::uint32_t tensor, double time) {
        m_inUse[device] += m_problem.bytesOf(tensor);
        if (time <= m_free[device]) m_peaks[device] = std::max(m_peaks[device], m_inUse[device]);
    }
    void release(std::uint32_t device, std::uint32_t tensor) {
        if (m_problem.isRetained(tensor) && m_device[m_problem.producerOf(tensor)] == device) return;
        m_inUse[device] -= m_problem.bytesOf(tensor);
    }
    void dropUse(std::uint32_t device, std::uint32_t tensor) {
        if (--m_uses[std::size_t{tensor} * m_problem.deviceCount() + device] == 0) release(device, tensor);
    }
    void begin(const Task& task, double time) {
        if (!task.isOperation) {
            allocate(task.to, task.number, time);
            return;
        }
        for (const std::uint32_t tensor : m_problem.outputsOf(task.number)) allocate(task.device, tensor, time);
    }
    void end(const Task& task) {
        if (!task.isOperation) {
            dropUse(task.device, task.number);
            return;
        }
        for (const std::uint32_t tensor : m_problem.inputsOf(task.number)) dropUse(task.device, tensor);
        for (const std::uint32_t tensor : m_problem.outputsOf(task.number)) {
            if (m_uses[std::size_t{tensor} * m_problem.deviceCount() + task.device] == 0) release(task.device, tensor);
        }
    }
    void transferInstantly(std::uint32_t tensor, double time) {
        const std::uint32_t from = m_device[m_problem.producerOf(tensor)];
        std::vector<bool> isThere(m_problem.deviceCount());
        for (const std::uint32_t consumer : m_problem.consumersOf(tensor)) {
            const std::uint32_t to = m_device[consumer];
            if (to == from || isThere[to]) continue;
            isThere[to] = true;
            allocate(to, tensor, time);
            dropUse(from, tensor);
        }
    }

    /// All is started: the performance model decides how good it is.
    void finish() {
        schedule::Schedule schedule{.device = m_device, .priority = std::vector<float>(m_problem.operationCount())};
        if (m_mode != TransferMode::Instant)
            schedule.transferPriority.resize(std::size_t{m_problem.tensorCount()} * m_problem.deviceCount());
        for (std::size_t i = 0; i < m_order.size(); ++i) {
            const Task& task = m_tasks[m_order[i]];
            float& priority =
                task.isOperation
                    ? schedule.priority[task.number]
                    : schedule.transferPriority[std::size_t{task.number} * m_problem.deviceCount() + task.to];
            priority = -static_cast<float>(i);
        }
        Placement found = evaluated(m_model, std::move(schedule));
        const Fitness fitness = fitnessOf(found.score, m_objective);
        if (fitness >= m_bestFitness) return;
        m_bestFitness = fitness;
        m_best = std::move(found);
    }

    const Problem& m_problem;
    const Objective m_objective;
    const TreeLimits& m_limits;
    schedule::PerformanceModel m_model;
    const TransferMode m_mode;
    bool m_isMemoryLimited = false;
    bool m_usesMemory = false;
    bool m_onlyPrimary = false;
    double m_tolerance = 0.0;
    Placement m_best;
    Fitness m_bestFitness;
    Fitness m_open;  ///< the least bound of what was left out because of a limit
    bool m_isOver = false;
    std::uint64_t m_nodes = 0;

    double m_speeds = 0.0;
    std::vector<double> m_leastTail;       ///< by operation, on the fastest device
    std::vector<double> m_leastWorkAfter;  ///< by place in the topological order: durations from there on

    std::vector<std::uint32_t> m_device;
    std::vector<double> m_end;  ///< by operation: the earliest end with the devices so far
    std::vector<double> m_load;
    std::vector<std::uint64_t> m_held;  ///< by device: tensors that stay there
    std::vector<std::uint64_t> m_need;  ///< by device: a peak that it has in every order

    std::vector<Task> m_tasks;
    std::vector<std::uint32_t> m_waits;
    std::vector<double> m_ready;
    std::vector<bool> m_isStarted;
    std::vector<double> m_start;
    std::vector<double> m_free;
    std::vector<double> m_linkFree;
    std::vector<double> m_left;  ///< by device: what is to be done there
    std::vector<std::uint32_t> m_order;
    double m_runtime = 0.0;

    std::vector<std::vector<bool>> m_isAncestor;  ///< by operation and other operation
    absl::flat_hash_map<std::uint64_t, double> m_seen;
    std::vector<std::uint32_t> m_allUses;
    std::vector<std::uint32_t> m_uses;
    std::vector<std::uint64_t> m_inUse;
    std::vector<std::uint64_t> m_peaks;
    std::vector<std::uint32_t> m_runs;
    std::vector<Event> m_events;
};

}  // namespace

TreeResult branchAndBound(const Problem& problem, Objective objective, Placement known, const TreeLimits& limits) {
    return Tree(problem, objective, std::move(known), limits).run();
}

}  // namespace mitos::search::placement::internal
