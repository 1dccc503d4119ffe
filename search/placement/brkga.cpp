// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/brkga.h"

#include "core/random_keys/parallel_decoder.h"
#include "search/placement/list_scheduling.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace mitos::search::placement {

namespace {

using schedule::Problem;
using schedule::Schedule;
using schedule::TransferMode;

bool hasTransferKeys(const Problem& problem) {
    return problem.machine().transfers != TransferMode::Instant && problem.deviceCount() > 1;
}

/// Decodes the keys of individuals, each for one thread.
class ScheduleDecoder {
public:
    ScheduleDecoder(const Problem& problem, Decode decode, Objective objective)
        : m_problem(problem),
          m_decode(decode),
          m_objective(objective),
          m_model(problem),
          m_earliest(problem),
          m_device(problem.operationCount()) {
        for (const schedule::Device& device : problem.machine().devices) {
            m_isMemoryLimited = m_isMemoryLimited || device.memory != schedule::UnlimitedMemory;
        }
    }

    void decode(std::span<random_keys::Candidate> batch) {
        for (random_keys::Candidate& candidate : batch) candidate.fitness = fitness(candidate.keys);
    }

    /// The parts of the schedule that keys mean, valid until the next call.
    [[nodiscard]] schedule::ScheduleView view(std::span<const float> keys) {
        const std::size_t operations = m_problem.operationCount();
        if (m_decode == Decode::EarliestFinish) {
            m_runtime = m_earliest.place(keys, m_device);
            return {m_device, keys, {}};
        }
        const std::uint32_t devices = m_problem.deviceCount();
        for (std::size_t i = 0; i < operations; ++i) {
            const std::span<const float> affinity = keys.subspan(i * devices, devices);
            m_device[i] = static_cast<std::uint32_t>(std::ranges::max_element(affinity) - affinity.begin());
        }
        return {m_device, keys.subspan(operations * devices, operations), keys.subspan(operations * (devices + 1))};
    }

private:
    random_keys::Fitness fitness(std::span<const float> keys) {
        const schedule::ScheduleView schedule = view(keys);
        if (m_objective == Objective::Memory || m_isMemoryLimited)
            return fitnessOf(m_model.score(schedule), m_objective);
        const bool isExact =
            m_decode == Decode::EarliestFinish && m_problem.machine().transfers == TransferMode::Instant;
        return {0.0, isExact ? m_runtime : m_model.runtime(schedule)};
    }

    const Problem& m_problem;
    Decode m_decode;
    Objective m_objective;
    bool m_isMemoryLimited = false;
    schedule::PerformanceModel m_model;
    EarliestFinishDecoder m_earliest;
    std::vector<std::uint32_t> m_device;
    double m_runtime = 0.0;
};

}  // namespace

std::size_t geneCount(const Problem& problem, Decode decode) {
    const std::size_t operations = problem.operationCount();
    if (decode == Decode::EarliestFinish) return operations;
    const std::size_t transfers =
        hasTransferKeys(problem) ? std::size_t{problem.tensorCount()} * problem.deviceCount() : 0;
    return operations * (problem.deviceCount() + 1) + transfers;
}

Schedule decoded(const Problem& problem, Decode decode, std::span<const float> keys) {
    ScheduleDecoder decoder(problem, decode, Objective::Runtime);
    const schedule::ScheduleView view = decoder.view(keys);
    return {{view.device.begin(), view.device.end()},
            {view.priority.begin(), view.priority.end()},
            {view.transferPriority.begin(), view.transferPriority.end()}};
}

std::vector<float> encoded(const Problem& problem, Decode decode, const Schedule& schedule) {
    const std::uint32_t operations = problem.operationCount();
    const std::uint32_t devices = problem.deviceCount();
    const schedule::Timeline timeline =
        schedule::PerformanceModel(problem).timeline({schedule.device, schedule.priority, schedule.transferPriority});
    std::vector<float> keys(geneCount(problem, decode), 0.0F);
    const std::size_t priorities = decode == Decode::Paper ? std::size_t{operations} * devices : 0;
    const std::size_t transfers = priorities + operations;
    const auto count = static_cast<float>(timeline.order.size());
    for (std::size_t i = 0; i < timeline.order.size(); ++i) {
        const float key = 1.0F - static_cast<float>(i) / count;
        const std::uint32_t task = timeline.order[i];
        if (task < operations) {
            keys[priorities + task] = key;
        } else if (decode == Decode::Paper && hasTransferKeys(problem)) {
            const schedule::TransferRun& run = timeline.transfers[task - operations];
            keys[transfers + std::size_t{run.tensor} * devices + run.to] = key;
        }
    }
    if (decode == Decode::Paper) {
        for (std::size_t i = 0; i < operations; ++i) keys[i * devices + schedule.device[i]] = 1.0F;
    }
    return keys;
}

Result<Placement> searchByRandomKeys(const Problem& problem, const BrkgaOptions& options,
                                     const random_keys::Limits& limits, const random_keys::Observer& observer) {
    std::vector<std::vector<float>> given;
    for (const Schedule& start : options.starts) {
        if (auto timeline = schedule::timelineOf(problem, start); !timeline) return std::move(timeline).error();
        given.push_back(encoded(problem, options.decode, start));
    }
    MITOS_TRY(random_keys::State state,
              random_keys::start(options.settings, geneCount(problem, options.decode), given));
    std::vector<ScheduleDecoder> decoders;
    const std::uint32_t threads = std::clamp(options.threads, 1U, std::max(1U, std::thread::hardware_concurrency()));
    for (std::uint32_t i = 0; i < threads; ++i) decoders.emplace_back(problem, options.decode, options.objective);
    if (threads == 1) {
        random_keys::run(state, decoders.front(), limits, observer);
    } else {
        random_keys::ParallelDecoder<ScheduleDecoder> parallel(std::move(decoders));
        random_keys::run(state, parallel, limits, observer);
    }
    if (state.best.empty()) {
        return Error{ErrorCode::Cancelled, "the search ended before it evaluated a schedule", std::nullopt,
                     "give it more time"};
    }
    schedule::PerformanceModel model(problem);
    Placement found = evaluated(model, decoded(problem, options.decode, state.best));
    found.evaluations = state.evaluations;
    return found;
}

}  // namespace mitos::search::placement
