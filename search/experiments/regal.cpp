// SPDX-License-Identifier: GPL-3.0-or-later
// See regal.h.
#include "search/experiments/regal.h"

#include "core/base/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace mitos::search::experiments {

namespace {

constexpr std::array<RegalTask, 3> Tasks{RegalTask::Memory, RegalTask::Time, RegalTask::Capped};

constexpr std::array<RegalMethodInfo, 16> Methods{{
    {RegalMethod::PartitionDepthFirst, "gp-dfs", "GP+DFS", RegalGroup::Paper, RegalRole::None, false},
    {RegalMethod::LocalSearch, "local-search", "Local search", RegalGroup::Paper, RegalRole::None, true},
    {RegalMethod::Sequence, "gas", "Graph as sequence (GAS)", RegalGroup::Paper, RegalRole::Sequence, true},
    {RegalMethod::Brkga, "brkga", "BRKGA", RegalGroup::Paper, RegalRole::None, true},
    {RegalMethod::TunedBrkga, "brkga-tuned", "Tuned BRKGA", RegalGroup::Paper, RegalRole::None, true},
    {RegalMethod::RandomSearch, "idrs", "Instance-dependent random search (IDRS)", RegalGroup::Paper, RegalRole::Random,
     true},
    {RegalMethod::Regal, "regal", "REGAL", RegalGroup::Paper, RegalRole::Regal, true},
    {RegalMethod::CriticalPath, "critical-path", "Mutants around the critical path, by hand", RegalGroup::Control,
     RegalRole::None, true},
    {RegalMethod::Constant, "constant", "One action for all operations", RegalGroup::Control, RegalRole::Constant,
     true},
    {RegalMethod::Isolated, "no-messages", "REGAL without messages (T = 0)", RegalGroup::Control, RegalRole::Isolated,
     true},
    {RegalMethod::Alone, "other-features", "REGAL with the other features", RegalGroup::Control, RegalRole::Alone,
     true},
    {RegalMethod::OtherNoise, "other-noise", "REGAL with the other training data", RegalGroup::Control,
     RegalRole::Other, true},
    {RegalMethod::List, "list", "List scheduling (HLFET)", RegalGroup::Beside, RegalRole::None, false},
    {RegalMethod::WarmStart, "warm-start", "BRKGA from heuristics", RegalGroup::Beside, RegalRole::None, true},
    {RegalMethod::Usual, "usual", "Mitos without learning (brkga)", RegalGroup::Beside, RegalRole::None, true},
    {RegalMethod::Exact, "exact", "Exact search", RegalGroup::Beside, RegalRole::None, false},
}};

constexpr std::array<RegalPart, 7> Parts{{
    {"table1", "Table 1: the methods"},
    {"capped", "Run time under a limit of memory"},
    {"figure2", "Figure 2: where REGAL is better and worse"},
    {"figure3", "Figure 3: more evaluations"},
    {"figure4", "Figure 4: what the policy chooses, and how far it sees"},
    {"transfer", "Transfer to large graphs of another kind"},
    {"noise", "Augmentation by noise"},
}};

std::uint32_t chunkOf(RegalSet set) {
    constexpr std::uint32_t Generated = 20;
    constexpr std::uint32_t Large = 2;
    return set == RegalSet::Networks ? Large : Generated;
}

/// The keys that parts need, each once, in the order in which they are asked for.
class NeededKeys {
public:
    explicit NeededKeys(const RegalPlan& plan) : m_plan(plan) {}

    void add(RegalTask task, RegalSet set, RegalMethod method) { addKey(usualKey(m_plan, task, set, method)); }
    void addLong(RegalTask task, RegalSet set, RegalMethod method) {
        addKey({task, set, method, m_plan.longEvaluations()});
    }
    void addKey(const RegalKey& key) {
        if (m_known.insert(key).second) m_keys.push_back(key);
    }
    [[nodiscard]] const std::vector<RegalKey>& keys() const { return m_keys; }

private:
    const RegalPlan& m_plan;
    std::set<RegalKey> m_known;
    std::vector<RegalKey> m_keys;
};

/// All methods that a table has.
void addTable(NeededKeys& needed, RegalTask task, RegalSet set) {
    for (const RegalMethodInfo& info : Methods) {
        // Proofs are for the run time of small graphs without a limit of memory.
        if (info.method == RegalMethod::Exact && (set != RegalSet::Unseen || task == RegalTask::Capped)) continue;
        needed.add(task, set, info.method);
    }
    needed.addLong(task, set, RegalMethod::Brkga);
}

}  // namespace

const char* toString(RegalTask task) {
    switch (task) {
        case RegalTask::Memory: return "memory";
        case RegalTask::Time: return "time";
        case RegalTask::Capped: return "capped";
    }
    return "";
}

const char* toString(RegalSet set) {
    switch (set) {
        case RegalSet::Unseen: return "unseen";
        case RegalSet::Noisy: return "noisy";
        case RegalSet::Networks: return "networks";
    }
    return "";
}

std::span<const RegalTask> regalTasks() { return Tasks; }
std::span<const RegalMethodInfo> regalMethods() { return Methods; }
const RegalMethodInfo& infoOf(RegalMethod method) { return Methods.at(static_cast<std::size_t>(method)); }
std::span<const RegalPart> regalParts() { return Parts; }

std::vector<std::string_view> regalPartNames() {
    std::vector<std::string_view> names;
    for (const RegalPart& part : Parts) names.emplace_back(part.name);
    return names;
}

bool RegalPlan::hasPart(std::string_view name) const {
    return parts.empty() || std::ranges::find(parts, name) != parts.end();
}

std::vector<std::uint64_t> RegalPlan::limits() const {
    // The paper's axis begins at a fiftieth of its usual limit.
    std::vector<std::uint64_t> all;
    for (const std::uint64_t part : {50U, 10U, 5U, 2U}) all.push_back(std::max<std::uint64_t>(1, evaluations / part));
    for (const std::uint64_t times : {1U, 2U, 4U, 10U}) all.push_back(evaluations * times);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::uint32_t RegalPlan::graphCount(RegalSet set) const {
    switch (set) {
        case RegalSet::Unseen: return graphs;
        case RegalSet::Noisy: return graphs * variants;
        case RegalSet::Networks: return static_cast<std::uint32_t>(networks.size());
    }
    return 0;
}

Status checkPlan(const RegalPlan& plan) {
    const std::vector<std::string_view> names = regalPartNames();
    for (const std::string& part : plan.parts) {
        if (std::ranges::find(names, part) != names.end()) continue;
        return inputError(fmt::format("there is no part {} of the report", part),
                          fmt::format("parts: {}", fmt::join(names, ", ")));
    }
    if (plan.graphs == 0 || plan.seeds == 0 || plan.evaluations == 0)
        return inputError("graphs, seeds and evaluations must be at least 1", "leave them out for the usual numbers");
    if (!(plan.memoryFactor >= 1.0))
        return inputError("the memory of a device must be at least that of the best schedule known",
                          "a factor of 1 or more");
    if (!(plan.noise >= 0.0)) return inputError("the deviation of the noise must not be negative", "0.2, say");
    return Success{};
}

std::string RegalRun::name() const {
    return fmt::format("{}-{}-{}-{}-{:04}", toString(key.task), toString(key.set), infoOf(key.method).name,
                       key.evaluations, first);
}

RegalKey usualKey(const RegalPlan& plan, RegalTask task, RegalSet set, RegalMethod method) {
    return {task, set, method, infoOf(method).isRandomized ? plan.evaluations : 0};
}

std::vector<RegalRun> regalRuns(const RegalPlan& plan) {
    NeededKeys needed(plan);
    for (const RegalTask task : {RegalTask::Memory, RegalTask::Time}) {
        if (plan.hasPart("table1")) addTable(needed, task, RegalSet::Unseen);
        if (plan.hasPart("figure2") || plan.hasPart("figure3") || plan.hasPart("figure4")) {
            needed.add(task, RegalSet::Unseen, RegalMethod::Brkga);
            needed.add(task, RegalSet::Unseen, RegalMethod::Regal);
        }
        if (!plan.hasPart("figure3")) continue;
        for (const std::uint64_t limit : plan.limits()) {
            needed.addKey({task, RegalSet::Unseen, RegalMethod::Brkga, limit});
            needed.addKey({task, RegalSet::Unseen, RegalMethod::Regal, limit});
        }
    }
    if (plan.hasPart("capped")) addTable(needed, RegalTask::Capped, RegalSet::Unseen);
    for (const RegalTask task : {RegalTask::Memory, RegalTask::Time}) {
        if (plan.hasPart("transfer")) addTable(needed, task, RegalSet::Networks);
        if (!plan.hasPart("noise")) continue;
        for (const RegalMethod method : {RegalMethod::Brkga, RegalMethod::TunedBrkga, RegalMethod::Regal,
                                         RegalMethod::CriticalPath, RegalMethod::OtherNoise}) {
            needed.add(task, RegalSet::Noisy, method);
            needed.add(task, RegalSet::Unseen, method);
        }
    }
    std::vector<RegalRun> runs;
    for (const RegalKey& key : needed.keys()) {
        const std::uint32_t all = plan.graphCount(key.set);
        for (std::uint32_t first = 0; first < all; first += chunkOf(key.set))
            runs.push_back({key, first, std::min(chunkOf(key.set), all - first)});
    }
    return runs;
}

}  // namespace mitos::search::experiments
