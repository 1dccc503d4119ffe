// SPDX-License-Identifier: GPL-3.0-or-later
// See regal_graphs.h.
#include "search/experiments/regal_graphs.h"

#include "core/base/hash.h"
#include "core/schedule/generators.h"
#include "search/experiments/regal_searches.h"
#include "search/placement/policy_trainer.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace mitos::search::experiments {

namespace {

/// The families in the order in which policyGraphs() makes them.
constexpr std::array FamilyNames{"Erdős–Rényi", "Barabási–Albert", "Watts–Strogatz", "blocks"};

}  // namespace

RegalGraphs::RegalGraphs(const RegalPlan& plan) : m_plan(plan) {
    constexpr std::uint64_t NoiseSeed = 0x6e6f697365ULL;
    for (schedule::TaskGraph& graph : placement::policyGraphs(plan.graphs, FirstUnseenSeed)) {
        const std::size_t number = m_unseen.size();
        m_unseen.push_back(
            {fmt::format("{} {}", FamilyNames.at(number % FamilyNames.size()), number + 1), std::move(graph)});
    }
    for (std::uint32_t i = 0; i < plan.graphCount(RegalSet::Noisy); ++i) {
        const NamedTaskGraph& original = m_unseen[i / plan.variants];
        m_noisy.push_back({fmt::format("{}, variant {}", original.name, i % plan.variants + 1),
                           schedule::withNoise(original.graph, plan.noise, combineHash(NoiseSeed, i))});
    }
}

const NamedTaskGraph& RegalGraphs::entry(RegalSet set, std::uint32_t number) const {
    switch (set) {
        case RegalSet::Unseen: break;
        case RegalSet::Noisy: return m_noisy.at(number);
        case RegalSet::Networks: return m_plan.networks.at(number);
    }
    return m_unseen.at(number);
}

std::string RegalGraphs::name(RegalSet set, std::uint32_t number) const { return entry(set, number).name; }
std::size_t RegalGraphs::operations(RegalSet set, std::uint32_t number) const {
    return entry(set, number).graph.operations.size();
}

Result<schedule::Problem> RegalGraphs::problem(RegalTask task, RegalSet set, std::uint32_t number,
                                               const std::stop_token& stop) const {
    std::uint64_t memory = schedule::UnlimitedMemory;
    if (task == RegalTask::Capped) {
        MITOS_TRY(memory, memoryFor(set, number, stop));
    }
    return schedule::Problem::make(entry(set, number).graph, schedule::equalDevices(RegalDevices, memory),
                                   {.retainOutputs = !m_plan.releasesOutputs});
}

Result<std::uint64_t> RegalGraphs::memoryFor(RegalSet set, std::uint32_t number, const std::stop_token& stop) const {
    {
        const std::scoped_lock lock(m_mutex);
        if (const auto known = m_memory.find({set, number}); known != m_memory.end()) return known->second;
    }
    MITOS_TRY(const schedule::Problem problem, this->problem(RegalTask::Memory, set, number, stop));
    MITOS_TRY(const placement::Placement found,
              searchedBy(RegalMethod::Brkga, problem,
                         {.objective = placement::Objective::Memory, .evaluations = m_plan.evaluations, .stop = stop}));
    if (stop.stop_requested()) return Error{ErrorCode::Cancelled, "stopped", std::nullopt, ""};
    const auto memory =
        static_cast<std::uint64_t>(std::ceil(m_plan.memoryFactor * static_cast<double>(found.score.peak)));
    const std::scoped_lock lock(m_mutex);
    m_memory.emplace(std::pair{set, number}, memory);
    return memory;
}

}  // namespace mitos::search::experiments
