// SPDX-License-Identifier: GPL-3.0-or-later
#include "search/placement/brkga.h"

#include "core/base/hash.h"
#include "core/random_keys/checkpoint.h"
#include "core/random_keys/parallel_decoder.h"
#include "core/tasks/task_graph.h"
#include "search/placement/list_scheduling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
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
    /// Schedules are justified with the reversed problem, if there is one.
    ScheduleDecoder(const Problem& problem, Decode decode, Objective objective, bool hasHashes = false,
                    const Problem* reversed = nullptr)
        : m_problem(problem),
          m_hasHashes(hasHashes),
          m_decode(decode),
          m_objective(objective),
          m_model(problem),
          m_earliest(problem),
          m_device(problem.operationCount()),
          m_priority(problem.operationCount()) {
        if (reversed != nullptr) m_latest.emplace(*reversed);
        for (const schedule::Device& device : problem.machine().devices) {
            m_isMemoryLimited = m_isMemoryLimited || device.memory != schedule::UnlimitedMemory;
            const schedule::Device& first = problem.machine().devices.front();
            m_areDevicesEqual = m_areDevicesEqual && device.speed == first.speed && device.memory == first.memory;
        }
    }

    void decode(std::span<random_keys::Candidate> batch) {
        for (random_keys::Candidate& candidate : batch) {
            candidate.fitness = fitness(candidate.keys);
            if (m_hasHashes) candidate.hash = hash();
            if (!m_latest || !isShorterIfJustified()) continue;
            candidate.fitness = {0.0, m_runtime};
            std::ranges::copy(m_priority, candidate.keys.begin());
            if (m_hasHashes) candidate.hash = hash();
        }
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
        return {0.0, isEarliestExact() ? m_runtime : m_model.runtime(schedule)};
    }
    /// Justifies the last schedule. If that makes it shorter, sets its run time and priorities. The reversed graph runs what ends last first, and what
    /// ends last there starts first in the end; on equal devices, neither makes the schedule longer.
    bool isShorterIfJustified() {
        const double before = m_runtime;
        if (before <= 0.0) return false;
        prefer(m_earliest.ends(), before);
        const double reversed = m_latest->place(m_priority, m_device);
        prefer(m_latest->ends(), reversed);
        m_runtime = m_earliest.place(m_priority, m_device);
        return m_runtime < before;
    }
    /// Sets priorities: the later an operation ends, the higher.
    void prefer(std::span<const double> ends, double last) {
        for (std::size_t i = 0; i < ends.size(); ++i) m_priority[i] = static_cast<float>(ends[i] / last);
    }
    /// Whether the decoder has the times of the model, which is not asked then.
    [[nodiscard]] bool isEarliestExact() const {
        return m_decode == Decode::EarliestFinish && m_problem.machine().transfers == TransferMode::Instant &&
               m_objective == Objective::Runtime && !m_isMemoryLimited;
    }

    /// A hash of the last schedule: when operations end, and which have the same device. Never 0.
    [[nodiscard]] std::uint64_t hash() {
        constexpr std::uint32_t NoNumber = std::numeric_limits<std::uint32_t>::max();
        m_numbers.assign(m_problem.deviceCount(), NoNumber);
        std::uint32_t used = 0;
        std::uint64_t hash = 1;
        for (std::size_t i = 0; i < m_device.size(); ++i) {
            std::uint32_t& number = m_numbers[m_device[i]];
            // Equal devices are numbered by their first operations, so that it does not matter which of them is which.
            if (number == NoNumber) number = m_areDevicesEqual ? used++ : m_device[i];
            const double end = isEarliestExact() ? m_earliest.ends()[i] : m_model.operations()[i].end;
            hash = combineHash(hash, std::bit_cast<std::uint64_t>(end) + number);
        }
        return hash == 0 ? 1 : hash;
    }

    const Problem& m_problem;
    bool m_hasHashes;
    bool m_areDevicesEqual = true;
    std::vector<std::uint32_t> m_numbers;
    Decode m_decode;
    Objective m_objective;
    bool m_isMemoryLimited = false;
    schedule::PerformanceModel m_model;
    EarliestFinishDecoder m_earliest;
    std::optional<EarliestFinishDecoder> m_latest;  ///< of the reversed problem
    std::vector<std::uint32_t> m_device;
    std::vector<float> m_priority;
    double m_runtime = 0.0;
};

/// Evaluations of a justified schedule.
constexpr std::uint64_t Justified = 3;

bool canJustify(const Problem& problem, const BrkgaOptions& options, const random_keys::Limits& limits) {
    return options.justifies && options.decode == Decode::EarliestFinish && options.objective == Objective::Runtime &&
           problem.deviceCount() > 1 && problem.machine().transfers == TransferMode::Instant &&
           std::ranges::all_of(
               problem.machine().devices,
               [](const schedule::Device& device) { return device.memory == schedule::UnlimitedMemory; }) &&
           (limits.evaluations == 0 || limits.evaluations >= Justified);
}

/// The same operations where each waits for those that waited for it.
Problem reversedOf(const Problem& problem) {
    schedule::TaskGraph graph{.operations = problem.graph().operations};
    for (std::uint32_t i = 0; i < problem.operationCount(); ++i) {
        for (const std::uint32_t next : problem.successorsOf(i)) graph.controlEdges.emplace_back(next, i);
    }
    // A graph without cycles has none in the other direction.
    return *Problem::make(std::move(graph), problem.machine());
}

/// The same individuals on all ranks: heuristics that a limit cuts short may have different results.
Result<std::vector<std::vector<float>>> sharedStarts(std::vector<std::vector<float>> own, std::size_t genes,
                                                     random_keys::Team* team) {
    if (team == nullptr) return own;
    std::string bytes;
    const std::size_t length = genes * sizeof(float);
    for (const std::vector<float>& keys : own) bytes.append(reinterpret_cast<const char*>(keys.data()), length);
    MITOS_TRY(bytes, random_keys::fromFirst(*team, bytes));
    std::vector<std::vector<float>> shared(bytes.size() / length, std::vector<float>(genes));
    for (std::size_t i = 0; i < shared.size(); ++i) std::memcpy(shared[i].data(), &bytes[i * length], length);
    return shared;
}

/// Numbers as one hash.
class Digest {
public:
    Digest& add(std::uint64_t value) {
        m_hash = combineHash(m_hash, value);
        return *this;
    }
    Digest& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }
    [[nodiscard]] std::string text() const { return fmt::format("{:016x}", m_hash); }

private:
    std::uint64_t m_hash = 1;
};

std::string digestOf(const schedule::Machine& machine) {
    Digest digest;
    for (const schedule::Device& device : machine.devices) digest.add(device.speed).add(device.memory);
    digest.add(static_cast<std::uint64_t>(machine.transfers)).add(machine.latency).add(machine.bandwidth);
    return digest.text();
}

/// All that a search depends on beside its settings. Names of operations and devices do not count.
random_keys::SearchIdentity identityOf(const Problem& problem, const BrkgaOptions& options,
                                       std::span<const std::vector<float>> given, bool isJustified) {
    Digest starts;
    for (const std::vector<float>& keys : given) {
        for (const float key : keys) starts.add(static_cast<double>(key));
    }
    return {{"the graph", fmt::format("{:016x}", tasks::contentHash(problem.graph()))},
            {"the machine", digestOf(problem.machine())},
            {"the release of outputs", problem.options().retainOutputs ? "at the end" : "at once"},
            {"the objective", options.objective == Objective::Memory ? "memory" : "time"},
            {"the meaning of keys", options.decode == Decode::Paper ? "paper" : "finish"},
            {"the ranks of duplicates", options.ranksDuplicatesLast ? "last" : "as others"},
            {"the justification of schedules", isJustified ? "yes" : "no"},
            {"the starts", starts.text()}};
}

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

std::uint64_t decodedHash(const Problem& problem, Decode decode, std::span<const float> keys) {
    std::vector<float> copy(keys.begin(), keys.end());
    std::array<random_keys::Candidate, 1> batch{random_keys::Candidate{.keys = copy}};
    ScheduleDecoder(problem, decode, Objective::Runtime, true).decode(batch);
    return batch[0].hash;
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
                                     const random_keys::Limits& allowed, const ProgressObserver& observer) {
    std::vector<std::vector<float>> given;
    for (const Schedule& start : options.starts) {
        if (auto timeline = schedule::timelineOf(problem, start); !timeline) return std::move(timeline).error();
        given.push_back(encoded(problem, options.decode, start));
    }
    std::optional<Problem> reversed;
    random_keys::Limits limits = allowed;
    if (canJustify(problem, options, allowed)) {
        reversed.emplace(reversedOf(problem));
        limits.evaluations /= Justified;
    }
    const std::uint64_t evaluations = reversed ? Justified : 1;
    const std::size_t genes = geneCount(problem, options.decode);
    MITOS_TRY(given, sharedStarts(std::move(given), genes, options.team));
    MITOS_TRY(random_keys::State state, random_keys::start(options.settings, genes, given));
    const bool isFirst = options.team == nullptr || options.team->isFirst();
    std::optional<random_keys::Checkpoint> checkpoint;
    if (!options.checkpoint.empty()) {
        checkpoint.emplace(options.checkpoint, identityOf(problem, options, given, reversed.has_value()));
        MITOS_TRY(state, random_keys::continued(*checkpoint, std::move(state), options.team));
        // That the file cannot be written is better known now than in the end.
        if (isFirst && !limits.stop.stop_requested()) {
            MITOS_REQUIRE(checkpoint->save(state));
        }
    }
    std::vector<ScheduleDecoder> decoders;
    const std::uint32_t threads = std::clamp(options.threads, 1U, std::max(1U, std::thread::hardware_concurrency()));
    for (std::uint32_t i = 0; i < threads; ++i)
        decoders.emplace_back(problem, options.decode, options.objective, options.ranksDuplicatesLast,
                              reversed ? &*reversed : nullptr);

    random_keys::Observer report;
    if (observer) {
        report = [&](random_keys::GenerationReport generation) {
            generation.evaluations *= evaluations;
            return observer({generation, [&] { return decoded(problem, options.decode, generation.bestKeys); }});
        };
    }
    const random_keys::Support support{.team = options.team, .keeper = checkpoint ? &*checkpoint : nullptr};
    if (threads == 1) {
        MITOS_REQUIRE(random_keys::runWith(state, decoders.front(), limits, report, support));
    } else {
        random_keys::ParallelDecoder<ScheduleDecoder> parallel(std::move(decoders));
        MITOS_REQUIRE(random_keys::runWith(state, parallel, limits, report, support));
    }
    if (state.best.empty()) {
        return Error{ErrorCode::Cancelled, "the search ended before it evaluated a schedule", std::nullopt,
                     "give it more time"};
    }
    if (checkpoint && isFirst) {
        if (Status status = checkpoint->save(state); !status) {
            Error error = std::move(status).error();
            error.hint += "; the file still has the state before, from which the search can go on";
            return error;
        }
    }
    schedule::PerformanceModel model(problem);
    Placement found = evaluated(model, decoded(problem, options.decode, state.best));
    found.evaluations = state.evaluations * evaluations;
    if (limits.evaluations != 0 && state.evaluations >= limits.evaluations) found.evaluations = allowed.evaluations;
    return found;
}

}  // namespace mitos::search::placement
