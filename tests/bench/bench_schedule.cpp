// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules: one evaluation by the performance model, list scheduling, and whole searches by random keys.
#include "core/base/random.h"
#include "core/schedule/generators.h"
#include "search/placement/brkga.h"
#include "search/placement/list_scheduling.h"
#include "search/placement/memory_orders.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using namespace mitos;
using namespace mitos::schedule;
using namespace mitos::search::placement;

/// A synthetic graph on two devices.
Problem problemOf(std::uint32_t operations, TransferMode transfers) {
    const SyntheticOptions options{.family = GraphFamily::BarabasiAlbert, .operations = operations};
    return *Problem::make(syntheticGraph(options, 1), equalDevices(2, UnlimitedMemory, transfers),
                          {.retainOutputs = false});
}

std::vector<Schedule> randomSchedules(const Problem& problem) {
    constexpr int Count = 50;
    Random random(1);
    std::vector<Schedule> schedules;
    std::vector<float> keys(geneCount(problem, Decode::Paper));
    for (int i = 0; i < Count; ++i) {
        for (float& key : keys) key = static_cast<float>(random.uniform());
        schedules.push_back(decoded(problem, Decode::Paper, keys));
    }
    return schedules;
}

/// Runs f for one schedule after the other.
template <typename F>
void forSchedules(benchmark::State& state, const Problem& problem, F f) {
    const std::vector<Schedule> schedules = randomSchedules(problem);
    PerformanceModel model(problem);
    std::size_t next = 0;
    for (auto _ : state) {
        const Schedule& schedule = schedules[next++ % schedules.size()];
        benchmark::DoNotOptimize(f(model, ScheduleView{schedule.device, schedule.priority, schedule.transferPriority}));
    }
}

void evaluateRuntime(benchmark::State& state) {
    const Problem problem = problemOf(static_cast<std::uint32_t>(state.range(0)), TransferMode::Instant);
    forSchedules(state, problem, [](PerformanceModel& model, const ScheduleView& view) { return model.runtime(view); });
}
BENCHMARK(evaluateRuntime)->Arg(100)->Arg(1'000)->Unit(benchmark::kMicrosecond);

void evaluateMemory(benchmark::State& state) {
    const Problem problem = problemOf(static_cast<std::uint32_t>(state.range(0)), TransferMode::Rendezvous);
    forSchedules(state, problem,
                 [](PerformanceModel& model, const ScheduleView& view) { return model.score(view).peak; });
}
BENCHMARK(evaluateMemory)->Arg(100)->Arg(1'000)->Unit(benchmark::kMicrosecond);

void listSchedule(benchmark::State& state, Schedule (*strategy)(const Problem&)) {
    const Problem problem = problemOf(1'000, TransferMode::Instant);
    for (auto _ : state) benchmark::DoNotOptimize(strategy(problem));
}
BENCHMARK_CAPTURE(listSchedule, highest_level_first, highestLevelFirst)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(listSchedule, earliest_finish, earliestFinish)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(listSchedule, greedy_memory, greedyMemory)->Unit(benchmark::kMicrosecond);

/// 5,000 evaluations.
void searchSchedule(benchmark::State& state, Decode decode, Objective objective) {
    const TransferMode transfers = objective == Objective::Memory ? TransferMode::Rendezvous : TransferMode::Instant;
    const Problem problem = problemOf(static_cast<std::uint32_t>(state.range(0)), transfers);
    const BrkgaOptions options{.objective = objective, .decode = decode};
    for (auto _ : state) benchmark::DoNotOptimize(searchByRandomKeys(problem, options, {.evaluations = 5'000}));
}
BENCHMARK_CAPTURE(searchSchedule, earliest_finish, Decode::EarliestFinish, Objective::Runtime)
    ->Arg(100)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchSchedule, paper, Decode::Paper, Objective::Runtime)
    ->Arg(100)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchSchedule, paper_memory, Decode::Paper, Objective::Memory)
    ->Arg(100)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
