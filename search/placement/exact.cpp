// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/exact.h"

#include "search/placement/brkga.h"
#include "search/placement/frontier.h"
#include "search/placement/internal/branch_and_bound.h"
#include "search/placement/internal/parallel_machines.h"
#include "search/placement/list_scheduling.h"
#include "search/placement/memory_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace mitos::search::placement {

namespace {

using schedule::Problem;
using schedule::Schedule;

/// Larger graphs would keep the solver busy for long between two looks at the stop token, or its trees too deep for the stack.
constexpr std::uint32_t MostForMachines = 500;
constexpr std::uint32_t MostForTree = 200;
/// Graphs up to this size are given to branch and bound if rounding left a gap.
constexpr std::uint32_t MostForRounding = 14;

/// Sums in another order differ by less.
constexpr double Deflation = 1.0 - 1e-13;
constexpr double Rounding = 1e-12;

bool isMemoryLimited(const Problem& problem) {
    return std::ranges::any_of(problem.machine().devices, [](const schedule::Device& device) {
        return device.memory != schedule::UnlimitedMemory;
    });
}

bool areMachinesParallel(const Problem& problem) {
    const std::vector<schedule::Device>& devices = problem.machine().devices;
    return problem.machine().transfers == schedule::TransferMode::Instant && !isMemoryLimited(problem) &&
           std::ranges::all_of(devices,
                               [&](const schedule::Device& device) { return device.speed == devices.front().speed; });
}

Placement bestOfSimple(const Problem& problem, Objective objective) {
    std::vector<Schedule> starts;
    starts.push_back(highestLevelFirst(problem));
    starts.push_back(earliestFinish(problem));
    if (objective == Objective::Memory || isMemoryLimited(problem)) {
        starts.push_back(greedyMemory(problem));
        starts.push_back(bestOfXla(problem, starts.front().device, Objective::Memory).schedule);
    }
    // Everything on the fastest device needs no transfers.
    const std::vector<schedule::Device>& devices = problem.machine().devices;
    const auto fastest = std::ranges::max_element(devices, {}, &schedule::Device::speed) - devices.begin();
    starts.push_back(
        schedule::inOrder(std::vector<std::uint32_t>(problem.operationCount(), static_cast<std::uint32_t>(fastest)),
                          problem.topologicalOrder()));
    schedule::PerformanceModel model(problem);
    Placement best;
    for (Schedule& start : starts) {
        Placement found = evaluated(model, std::move(start));
        if (best.evaluations == 0 || fitnessOf(found.score, objective) < fitnessOf(best.score, objective))
            best = std::move(found);
    }
    return best;
}

/// Durations as whole numbers of a unit.
struct WholeDurations {
    std::vector<int> durations;
    double unit = 1.0;
    bool isExact = true;  ///< but for the rounding of decimal fractions to doubles
};

WholeDurations wholeDurations(const Problem& problem) {
    std::vector<double> durations;
    double total = 0.0;
    for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
        durations.push_back(problem.durationOf(i, 0));
        total += durations.back();
    }
    WholeDurations whole;
    constexpr double Most = 1e9;
    const auto isExactWith = [&](double scale) {
        return total * scale <= Most && std::ranges::all_of(durations, [scale](double duration) {
                   const double scaled = duration * scale;
                   return std::abs(scaled - std::round(scaled)) <= scaled * std::numeric_limits<double>::epsilon();
               });
    };
    double scale = 0.0;
    for (const double base : {10.0, 2.0}) {
        for (double tried = 1.0; scale == 0.0 && total * tried <= Most && tried <= Most; tried *= base) {
            if (isExactWith(tried)) scale = tried;
        }
    }
    whole.isExact = scale != 0.0;
    if (!whole.isExact) scale = total > 0.0 ? Most / total : 1.0;
    std::int64_t divisor = 0;
    for (const double duration : durations) {
        const double scaled = whole.isExact ? std::round(duration * scale) : std::floor(duration * scale);
        whole.durations.push_back(static_cast<int>(scaled));
        divisor = std::gcd(divisor, whole.durations.back());
    }
    divisor = std::max<std::int64_t>(divisor, 1);
    for (int& duration : whole.durations) duration /= static_cast<int>(divisor);
    whole.unit = static_cast<double>(divisor) / scale;
    return whole;
}

/// The schedule with the given starts. Operations without duration run on the device of the last one that they wait for, right after it.
Schedule scheduleOf(const Problem& problem, std::span<const int> durations, std::vector<int> start) {
    const std::uint32_t count = problem.operationCount();
    const std::span<const std::uint32_t> topological = problem.topologicalOrder();
    for (const std::uint32_t operation : topological) {
        if (durations[operation] != 0) continue;
        start[operation] = 0;
        for (const std::uint32_t before : problem.predecessorsOf(operation))
            start[operation] = std::max(start[operation], start[before] + durations[before]);
    }
    std::vector<std::uint32_t> order(topological.begin(), topological.end());
    std::ranges::stable_sort(
        order, {}, [&](std::uint32_t operation) { return std::pair(start[operation], durations[operation] > 0); });
    using Free = std::pair<int, std::uint32_t>;
    std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
    for (std::uint32_t d = 0; d < problem.deviceCount(); ++d) free.emplace(0, d);
    std::vector<std::uint32_t> device(count, 0);
    for (const std::uint32_t operation : order) {
        if (durations[operation] == 0) {
            int last = -1;
            for (const std::uint32_t before : problem.predecessorsOf(operation)) {
                const int end = start[before] + durations[before];
                if (end > last) {
                    last = end;
                    device[operation] = device[before];
                }
            }
            continue;
        }
        device[operation] = free.top().second;
        free.pop();
        free.emplace(start[operation] + durations[operation], device[operation]);
    }
    return schedule::inOrder(std::move(device), order);
}

/// The longest chain and the work, in whole numbers.
int lowerBoundOf(const internal::MachineTasks& tasks) {
    std::vector<int> end(tasks.durations.size());
    std::int64_t work = 0;
    int longest = 0;
    for (const std::uint32_t task : tasks.order) {
        end[task] += tasks.durations[task];
        longest = std::max(longest, end[task]);
        work += tasks.durations[task];
        for (const std::uint32_t next : tasks.successors[task]) end[next] = std::max(end[next], end[task]);
    }
    return std::max(longest, static_cast<int>((work + tasks.machines - 1) / tasks.machines));
}

/// The length of a schedule when all durations are those.
int lengthOf(const Problem& problem, std::span<const int> durations, const Schedule& schedule) {
    schedule::TaskGraph graph = problem.graph();
    for (std::size_t i = 0; i < durations.size(); ++i) graph.operations[i].duration = durations[i];
    const auto whole = Problem::make(std::move(graph), schedule::equalDevices(problem.deviceCount()));
    if (!whole) return internal::MostTime;
    return static_cast<int>(schedule::PerformanceModel(*whole).runtime({schedule.device, schedule.priority}));
}

/// Improves a schedule on parallel machines, and sets its bound.
Status solveMachines(const Problem& problem, const ExactOptions& options, Placement& best, std::uint64_t& nodes) {
    const WholeDurations whole = wholeDurations(problem);
    internal::MachineTasks tasks{.durations = whole.durations,
                                 .order = {problem.topologicalOrder().begin(), problem.topologicalOrder().end()},
                                 .machines = problem.deviceCount()};
    for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
        const std::span<const std::uint32_t> next = problem.successorsOf(i);
        tasks.successors.emplace_back(next.begin(), next.end());
    }
    const int lower = lowerBoundOf(tasks);
    const int upper = lengthOf(problem, whole.durations, best.schedule);
    internal::StartTimes found{.start = {}, .upper = upper, .lower = lower};
    if (problem.operationCount() <= MostForMachines && lower < upper) {
        try {
            found = internal::shortestStarts(tasks, lower, upper, options.nodes, options.stop);
        } catch (const std::exception& error) {
            return Error{ErrorCode::Evaluation, fmt::format("the constraint solver failed: {}", error.what())};
        }
    }
    nodes += found.nodes;
    if (!found.start.empty()) {
        schedule::PerformanceModel model(problem);
        Placement improved = evaluated(model, scheduleOf(problem, whole.durations, std::move(found.start)));
        if (fitnessOf(improved.score, options.objective) < fitnessOf(best.score, options.objective))
            best = std::move(improved);
    }
    // Whole times in a unit of 1 are exact; all others are sums that are rounded.
    const double bound = found.lower * whole.unit;
    best.bound = std::max(whole.unit >= 1.0 && whole.isExact && bound == std::floor(bound) ? bound : bound * Deflation,
                          schedule::runtimeBounds(problem).best() * Deflation);
    return Success{};
}

/// Branch and bound leaves out more, the better the schedule that it starts with is.
Result<Placement> improvedByRandomKeys(const Problem& problem, const ExactOptions& options, Placement best) {
    constexpr std::uint64_t Evaluations = 3'000;
    if (options.stop.stop_requested()) return best;
    const BrkgaOptions settings{.objective = options.objective, .decode = Decode::Paper, .starts = {best.schedule}};
    Result<Placement> found = searchByRandomKeys(problem, settings, {.evaluations = Evaluations, .stop = options.stop});
    if (!found) return options.stop.stop_requested() ? Result<Placement>(std::move(best)) : std::move(found);
    return fitnessOf(found->score, options.objective) < fitnessOf(best.score, options.objective) ? *std::move(found)
                                                                                                 : std::move(best);
}

bool isAtBound(const Placement& placement, Objective objective) {
    if (placement.score.overflow != 0 && objective == Objective::Runtime) return false;
    const double value =
        objective == Objective::Runtime ? placement.score.runtime : static_cast<double>(placement.score.peak);
    return placement.bound && value <= *placement.bound * (1.0 + Rounding);
}

}  // namespace

Result<Placement> searchExactly(const Problem& problem, const ExactOptions& options) {
    Placement best = bestOfSimple(problem, options.objective);
    std::uint64_t nodes = 0;
    const auto remaining = [&] { return options.nodes == 0 ? 0 : options.nodes - std::min(nodes, options.nodes - 1); };
    const bool isMachines = options.objective == Objective::Runtime && areMachinesParallel(problem);
    const bool isOrder =
        problem.deviceCount() == 1 && (options.objective == Objective::Memory || isMemoryLimited(problem));
    bool isProven = false;
    if (isMachines) {
        MITOS_REQUIRE(solveMachines(problem, options, best, nodes));
        isProven = isAtBound(best, options.objective);
    } else if (isOrder) {
        // Every order has the same run time.
        FrontierLimits limits{.stop = options.stop};
        if (options.nodes != 0) limits.states = static_cast<std::size_t>(options.nodes);
        const MemoryOrder found = leastMemoryOrder(problem, limits);
        nodes += found.states;
        schedule::PerformanceModel model(problem);
        const std::vector<std::uint32_t> device(problem.operationCount(), 0);
        Placement ordered = evaluated(model, schedule::inOrder(device, found.order));
        const bool isBetter = fitnessOf(ordered.score, options.objective) < fitnessOf(best.score, options.objective);
        if (isBetter) best = std::move(ordered);
        if (options.objective == Objective::Memory) {
            best.bound = static_cast<double>(found.bound);
            isProven = found.isProven();
        } else {
            best.bound = schedule::runtimeBounds(problem).best() * Deflation;
            isProven = found.isProven() || best.score.overflow == 0;
        }
    }
    const bool usesTree = isMachines ? !isProven && problem.operationCount() <= MostForRounding : !isOrder;
    if (usesTree && problem.operationCount() <= MostForTree) {
        const std::optional<double> known = best.bound;
        MITOS_TRY(best, improvedByRandomKeys(problem, options, std::move(best)));
        internal::TreeResult found = internal::branchAndBound(problem, options.objective, std::move(best),
                                                              {.nodes = remaining(), .stop = options.stop});
        nodes += found.nodes;
        best = std::move(found.best);
        best.bound = std::max(known.value_or(0.0), found.bound);
        if (options.objective == Objective::Runtime)
            best.bound = std::max(*best.bound, schedule::runtimeBounds(problem).best() * Deflation);
        isProven = found.isProven || isAtBound(best, options.objective);
    }
    best.isProven = isProven;
    best.evaluations = std::max<std::uint64_t>(nodes, 1);
    return best;
}

}  // namespace mitos::search::placement
