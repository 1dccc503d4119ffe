// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/list_scheduling.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace mitos::search::placement {

namespace {

using schedule::Problem;

bool isInstant(const Problem& problem) { return problem.machine().transfers == schedule::TransferMode::Instant; }

/// When all inputs of an operation are on a device, if transfers start at once.
double inputsArrive(const Problem& problem, std::uint32_t operation, std::uint32_t device,
                    std::span<const std::uint32_t> placed, std::span<const double> end) {
    double arrival = 0.0;
    for (const std::uint32_t before : problem.predecessorsOf(operation)) arrival = std::max(arrival, end[before]);
    if (isInstant(problem)) return arrival;
    for (const std::uint32_t tensor : problem.inputsOf(operation)) {
        const std::uint32_t producer = problem.producerOf(tensor);
        if (placed[producer] != device) arrival = std::max(arrival, end[producer] + problem.transferDuration(tensor));
    }
    return arrival;
}

/// The operations by the time of their start; those that start together keep a topological order.
std::vector<std::uint32_t> byStart(const Problem& problem, std::span<const double> start) {
    std::vector<std::uint32_t> order(problem.topologicalOrder().begin(), problem.topologicalOrder().end());
    std::ranges::stable_sort(order, {}, [start](std::uint32_t operation) { return start[operation]; });
    return order;
}

struct Interval {
    double start;
    double end;
};

/// The earliest start of something with a duration in the gaps of a device.
double earliestGap(const std::vector<Interval>& busy, double ready, double duration) {
    double start = ready;
    // Intervals that end before `ready` cannot bound a gap that matters.
    auto next = std::ranges::partition_point(busy, [ready](const Interval& interval) { return interval.end <= ready; });
    for (; next != busy.end() && start + duration > next->start; ++next) start = std::max(start, next->end);
    return start;
}

}  // namespace

std::vector<double> bottomLevels(const Problem& problem, bool transfers) {
    double slowness = 0.0;
    for (const schedule::Device& device : problem.machine().devices) slowness += 1.0 / device.speed;
    slowness /= static_cast<double>(problem.deviceCount());
    const double others = 1.0 - 1.0 / static_cast<double>(problem.deviceCount());
    const std::span<const std::uint32_t> order = problem.topologicalOrder();
    std::vector<double> level(problem.operationCount());
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::uint32_t operation = order[i];
        double below = 0.0;
        for (const std::uint32_t next : problem.successorsOf(operation)) below = std::max(below, level[next]);
        if (transfers && !isInstant(problem)) {
            for (const std::uint32_t tensor : problem.outputsOf(operation)) {
                const double transfer = others * problem.transferDuration(tensor);
                for (const std::uint32_t next : problem.consumersOf(tensor))
                    below = std::max(below, transfer + level[next]);
            }
        }
        level[operation] = problem.graph().operations[operation].duration * slowness + below;
    }
    return level;
}

schedule::Schedule highestLevelFirst(const Problem& problem) {
    const std::vector<double> level = bottomLevels(problem);
    const std::uint32_t count = problem.operationCount();
    std::vector<std::uint32_t> device(count);
    std::vector<double> start(count);
    std::vector<double> end(count);
    std::vector<double> free(problem.deviceCount(), 0.0);
    std::vector<std::size_t> waits(count);
    // Operations whose inputs are made by now, by level; those that will be ready later, by time.
    std::priority_queue<std::pair<double, std::uint32_t>> ready;
    std::priority_queue<std::pair<double, std::uint32_t>, std::vector<std::pair<double, std::uint32_t>>, std::greater<>>
        later;
    for (std::uint32_t i = 0; i < count; ++i) {
        waits[i] = problem.predecessorsOf(i).size();
        if (waits[i] == 0) later.emplace(0.0, i);
    }
    double now = 0.0;
    std::vector<std::uint32_t> order;
    while (order.size() < count) {
        while (!later.empty() && later.top().first <= now) {
            const std::uint32_t operation = later.top().second;
            later.pop();
            ready.emplace(level[operation], ~operation);
        }
        if (ready.empty()) {
            now = later.top().first;
            continue;
        }
        const double firstFree = *std::ranges::min_element(free);
        if (firstFree > now) {
            now = later.empty() ? firstFree : std::min(firstFree, later.top().first);
            continue;
        }
        const std::uint32_t operation = ~ready.top().second;
        ready.pop();
        double best = std::numeric_limits<double>::infinity();
        for (std::uint32_t d = 0; d < problem.deviceCount(); ++d) {
            if (free[d] > now) continue;
            const double begin = std::max(now, inputsArrive(problem, operation, d, device, end));
            const double ends = begin + problem.durationOf(operation, d);
            if (ends < best) {
                best = ends;
                device[operation] = d;
                start[operation] = begin;
            }
        }
        end[operation] = best;
        free[device[operation]] = best;
        order.push_back(operation);
        for (const std::uint32_t next : problem.successorsOf(operation)) {
            if (--waits[next] != 0) continue;
            double time = 0.0;
            for (const std::uint32_t before : problem.predecessorsOf(next)) time = std::max(time, end[before]);
            later.emplace(time, next);
        }
    }
    return schedule::inOrder(std::move(device), order);
}

schedule::Schedule earliestFinish(const Problem& problem) {
    const std::vector<double> rank = bottomLevels(problem, true);
    const std::uint32_t count = problem.operationCount();
    std::vector<std::uint32_t> order(problem.topologicalOrder().begin(), problem.topologicalOrder().end());
    std::ranges::stable_sort(order, std::greater<>(), [&rank](std::uint32_t operation) { return rank[operation]; });
    std::vector<std::uint32_t> device(count);
    std::vector<double> start(count);
    std::vector<double> end(count);
    std::vector<std::vector<Interval>> busy(problem.deviceCount());
    for (const std::uint32_t operation : order) {
        double best = std::numeric_limits<double>::infinity();
        for (std::uint32_t d = 0; d < problem.deviceCount(); ++d) {
            const double duration = problem.durationOf(operation, d);
            const double begin = earliestGap(busy[d], inputsArrive(problem, operation, d, device, end), duration);
            if (begin + duration < best) {
                best = begin + duration;
                start[operation] = begin;
                device[operation] = d;
            }
        }
        end[operation] = best;
        std::vector<Interval>& intervals = busy[device[operation]];
        const auto place = std::ranges::upper_bound(intervals, start[operation], {}, &Interval::start);
        intervals.insert(place, {start[operation], best});
    }
    return schedule::inOrder(std::move(device), byStart(problem, start));
}

EarliestFinishDecoder::EarliestFinishDecoder(const Problem& problem)
    : m_problem(problem),
      m_ready(problem.operationCount()),
      m_end(problem.operationCount()) {
    for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
        m_firstStates.push_back({0.0, static_cast<std::uint32_t>(problem.predecessorsOf(i).size())});
        if (m_firstStates.back().waits == 0) m_first.push_back(i);
    }
}

double EarliestFinishDecoder::place(std::span<const float> priority, std::span<std::uint32_t> device) {
    m_states = m_firstStates;
    m_free.assign(m_problem.deviceCount(), 0.0);
    m_ready.reset(priority);
    for (const std::uint32_t operation : m_first) m_ready.wake(operation);
    const bool instant = isInstant(m_problem);
    const std::span<const double> slowness = m_problem.slowness();
    const bool two = slowness.size() == 2;
    const bool equal = std::ranges::all_of(slowness, [&](double device) { return device == slowness.front(); });
    double runtime = 0.0;
    m_ready.use([&](auto ready) {
        runtime = !instant ? placeAll<false, Devices::Any>(ready, device)
                  : two    ? placeAll<true, Devices::Two>(ready, device)
                  : equal  ? placeAll<true, Devices::Equal>(ready, device)
                           : placeAll<true, Devices::Any>(ready, device);
    });
    return runtime;
}

/// The order of numbers that are not negative, as that of whole numbers.
std::uint64_t EarliestFinishDecoder::bitsOf(double time) { return std::bit_cast<std::uint64_t>(time); }

template <bool IsInstant, EarliestFinishDecoder::Devices Kind, typename Ready>
double EarliestFinishDecoder::placeAll(Ready ready, std::span<std::uint32_t> device) {
    const std::span<const double> slowness = m_problem.slowness();
    const std::size_t devices = Kind == Devices::Two ? 2 : m_free.size();
    State* const states = m_states.data();
    double* const free = m_free.data();
    double runtime = 0.0;
    for (std::size_t i = 0; i < device.size(); ++i) {
        const std::uint32_t operation = ready.pop();
        const double duration = m_problem.durationOf(operation);
        const auto startOn = [&](std::uint32_t d) {
            const double arrival =
                IsInstant ? states[operation].readyTime : inputsArrive(m_problem, operation, d, device, m_end);
            return std::max(free[d], arrival);
        };
        double start = startOn(0);
        double end = start + duration * slowness[0];
        const double idle = start - free[0];
        std::uint32_t chosen = 0;
        // Which device is better cannot be predicted, so there are no branches.
        if constexpr (Kind == Devices::Two) {
            start = startOn(1);
            const double endThere = start + duration * slowness[1];
            const double idleThere = start - free[1];
            chosen = static_cast<std::uint32_t>(endThere < end) |
                     (static_cast<std::uint32_t>(endThere == end) & static_cast<std::uint32_t>(idleThere < idle));
            end = std::min(end, endThere);
        } else if constexpr (IsInstant && Kind == Devices::Equal) {
            // The one that is free last before the operation is ready, else the one that is free first: that of the least distance, where
            // being free later counts as more than any time.
            constexpr std::uint64_t Later = std::uint64_t{1} << 63U;
            const std::uint64_t readyTime = bitsOf(states[operation].readyTime);
            std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
            for (std::uint32_t d = 0; d < devices; ++d) {
                const std::uint64_t difference = readyTime - bitsOf(free[d]);
                const std::uint64_t isLater = difference >> 63U;
                const std::uint64_t distance = (difference ^ (0 - isLater)) + isLater * (Later + 1);
                const std::uint64_t mask = 0 - static_cast<std::uint64_t>(distance < best);
                best ^= (best ^ distance) & mask;
                chosen ^= (chosen ^ d) & static_cast<std::uint32_t>(mask);
            }
            end = startOn(chosen) + duration * slowness[chosen];
        } else {
            std::uint64_t best = bitsOf(end);
            std::uint64_t bestIdle = bitsOf(idle);
            for (std::uint32_t d = 1; d < devices; ++d) {
                start = startOn(d);
                const std::uint64_t endThere = bitsOf(start + duration * slowness[d]);
                const std::uint64_t idleThere = bitsOf(start - free[d]);
                const std::uint64_t isBetter =
                    static_cast<std::uint64_t>(endThere < best) |
                    (static_cast<std::uint64_t>(endThere == best) & static_cast<std::uint64_t>(idleThere < bestIdle));
                const std::uint64_t mask = 0 - isBetter;
                best ^= (best ^ endThere) & mask;
                bestIdle ^= (bestIdle ^ idleThere) & mask;
                chosen ^= (chosen ^ d) & static_cast<std::uint32_t>(mask);
            }
            end = std::bit_cast<double>(best);
        }
        device[operation] = chosen;
        free[chosen] = end;
        m_end[operation] = end;
        runtime = std::max(runtime, end);
        for (const std::uint32_t next : m_problem.successorsOf(operation)) {
            State& state = states[next];
            state.readyTime = std::max(state.readyTime, end);
            const std::uint32_t waits = state.waits - 1;
            state.waits = waits;
            ready.wakeIf(next, waits == 0);
        }
    }
    return runtime;
}

}  // namespace mitos::search::placement
