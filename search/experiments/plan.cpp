// SPDX-License-Identifier: GPL-3.0-or-later
// See plan.h.
#include "search/experiments/plan.h"

#include "core/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mitos::search::experiments {

namespace {

constexpr std::array Approaches{
    Approach{"tensat", "TENSAT", "tensat", "paper", "ilp", false},
    Approach{"mcts-dcf-dcf", "MCTS DCF/DCF", "egraph-mcts", "tree", "tree"},
    Approach{"mcts-dcf-ilp", "MCTS DCF/ILP", "egraph-mcts", "tree", "ilp"},
    Approach{"mcts-ocf-ocf", "MCTS OCF/OCF", "egraph-mcts", "paper", "paper"},
    Approach{"mcts-ocf-ilp", "MCTS OCF/ILP", "egraph-mcts", "paper", "ilp"},
    Approach{"mcts-ilp-ilp", "MCTS ILP/ILP", "egraph-mcts", "ilp", "ilp"},
    Approach{"mcts", "MCTS of Mitos", "egraph-mcts", "paper", "ilp", true, true},
    Approach{"taso", "TASO", "backtracking", "", "", false},
};

constexpr std::array Parts{
    PartInfo{Part::Table1, "table1", "Table 1: costs of the initial e-graph", "Table 3: costs of the initial e-graph"},
    PartInfo{Part::Table2, "table2", "Table 2: gain and time of every approach",
             "Table 4: gain and time of every approach"},
    PartInfo{Part::Figure5, "figure5", "Figure 5: extraction methods", "Figure 13: extraction methods"},
    PartInfo{Part::Figure6, "figure6", "Figure 6: tree search and TENSAT", "Figure 14: tree search and TENSAT"},
    PartInfo{Part::Figure7, "figure7", "Figure 7: rules that TENSAT applies"},
    PartInfo{Part::Figure8, "figure8", "Figure 8: rules that MCTS ILP/ILP applies"},
    PartInfo{Part::Figure10, "figure10", "Figure 10: rules that MCTS OCF/ILP applies"},
    PartInfo{Part::Budgets, "budgets", "Gain and time over the search budget"},
};

constexpr std::array<std::string_view, 4> Figure6Approaches{"tensat", "mcts-ocf-ilp", "mcts-ilp-ilp", "mcts"};

/// The approaches of a part at the plan's budget. Table 2 and Figure 5 take all of theirs, heatmaps one.
std::vector<std::string_view> approachesOf(Part part) {
    switch (part) {
        case Part::Table1: return {};
        case Part::Table2:
            return {"taso",         "tensat",       "mcts-dcf-dcf", "mcts-dcf-ilp",
                    "mcts-ocf-ocf", "mcts-ocf-ilp", "mcts-ilp-ilp", "mcts"};
        case Part::Figure5: return {"mcts-dcf-dcf", "mcts-dcf-ilp", "mcts-ocf-ocf", "mcts-ocf-ilp", "mcts-ilp-ilp"};
        case Part::Figure6: return {Figure6Approaches.begin(), Figure6Approaches.end()};
        case Part::Figure7: return {"tensat"};
        case Part::Figure8: return {"mcts-ilp-ilp"};
        case Part::Figure10: return {"mcts-ocf-ilp"};
        case Part::Budgets: return {"tensat", "mcts-ocf-ilp"};
    }
    return {};
}

/// Whether the part shows one exemplary run only, as in the paper.
bool isOfOneRun(Part part) { return part == Part::Figure7 || part == Part::Figure8 || part == Part::Figure10; }

}  // namespace

std::span<const Approach> approaches() { return Approaches; }

std::span<const std::string_view> figure6Approaches() { return Figure6Approaches; }

std::size_t approachNamed(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(Approaches, name, &Approach::name) - Approaches.begin());
}

std::span<const PartInfo> allParts() { return Parts; }

Result<Part> partNamed(std::string_view name) {
    const auto* const found = std::ranges::find(Parts, name, &PartInfo::name);
    if (found != Parts.end()) return found->part;
    std::vector<std::string_view> names;
    for (const PartInfo& part : Parts) names.push_back(part.name);
    return noSuchName("part of the experiment", name, names);
}

std::string nameOf(const ExperimentPlan& plan, const RunKey& key) {
    RunRecord record;
    record.program = plan.programs[key.program].name;
    record.approach = Approaches.at(key.approach).name;
    record.budget = key.budget;
    record.seed = key.seed;
    return nameOf(record);
}

std::string nameOf(const RunRecord& record) {
    const std::string name = fmt::format("{}.{}", record.program, record.approach);
    const auto* const approach = std::ranges::find(Approaches, record.approach, &Approach::name);
    const bool isRandomized = approach == Approaches.end() || approach->isRandomized;
    return isRandomized ? fmt::format("{}.b{}.s{}", name, record.budget, record.seed) : name;
}

std::vector<std::uint32_t> budgetsOf(const ExperimentPlan& plan) {
    std::vector<std::uint32_t> budgets;
    for (std::uint32_t budget = 1; budget < plan.budget; budget *= 2) budgets.push_back(budget);
    budgets.push_back(plan.budget);
    return budgets;
}

std::vector<RunKey> runsOf(const ExperimentPlan& plan) {
    std::set<std::tuple<std::uint64_t, bool, std::size_t, std::uint32_t, std::size_t>> runs;
    const auto add = [&](std::string_view name, std::uint32_t budget, std::uint64_t seed) {
        const std::size_t approach = approachNamed(name);
        const bool isRandomized = Approaches.at(approach).isRandomized;
        if (!isRandomized && seed > 1) return;
        for (std::size_t program = 0; program < plan.programs.size(); ++program) {
            runs.emplace(seed, isRandomized && budget != plan.budget, approach, isRandomized ? budget : 0, program);
        }
    };
    for (const Part part : plan.parts) {
        const std::uint64_t seeds = isOfOneRun(part) ? 1 : plan.repetitions;
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            for (const std::string_view name : approachesOf(part)) add(name, plan.budget, seed);
            if (part != Part::Budgets) continue;
            for (const std::uint32_t budget : budgetsOf(plan)) add("mcts-ocf-ilp", budget, seed);
        }
    }
    std::vector<RunKey> keys;
    for (const auto& [seed, isOther, approach, budget, program] : runs) {
        keys.push_back({program, approach, budget, seed});
    }
    return keys;
}

}  // namespace mitos::search::experiments
