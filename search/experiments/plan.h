// SPDX-License-Identifier: GPL-3.0-or-later
// What the experiment of the e-graph MCTS paper runs: its parts (tables and figures), the approaches that they compare, and the runs that
// they need.
#pragma once

#include "search/compare/comparison.h"
#include "search/experiments/devices.h"
#include "search/experiments/paper_numbers.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// A row of Table 2: how rules are chosen, and how programs are extracted. TASO's backtracking, which the paper has no row for, rewrites
/// programs without an e-graph. "mcts" is what Mitos does by default: TENSAT's program, and the best that simulations met, count as well.
struct Approach {
    std::string_view name;      ///< in files: "mcts-ocf-ilp"
    std::string_view label;     ///< in reports: "MCTS OCF/ILP"
    std::string_view strategy;  ///< name of the strategy that grows the e-graph
    std::string_view rewards;   ///< extraction method that prices e-graphs on the way ("main"); empty without e-graphs
    std::string_view result;    ///< extraction method at the end ("final"); empty without e-graphs
    bool isRandomized = true;   ///< whether seeds differ
    bool keepsBest = false;     ///< whether the result is the best program met, not that of the last e-graph

    [[nodiscard]] bool hasEGraphs() const { return !result.empty(); }
};
/// In the order of reports: TENSAT, then the five of Figure 5, then the default of Mitos, then TASO.
[[nodiscard]] std::span<const Approach> approaches();
/// Its number among the approaches. Requires that there is one of that name.
[[nodiscard]] std::size_t approachNamed(std::string_view name);

/// Those that Figure 6 compares, and the default of Mitos.
[[nodiscard]] std::span<const std::string_view> figure6Approaches();

enum class Part : std::uint8_t { Table1, Table2, Figure5, Figure6, Figure7, Figure8, Figure10, Budgets };
struct PartInfo {
    Part part;
    std::string_view name;               ///< "table1", "budgets"
    std::string_view title;              ///< of its section in the report
    std::string_view titleP100 = title;  ///< beside the paper's numbers for the P100

    [[nodiscard]] std::string_view titleFor(PaperDevice device) const {
        return device == PaperDevice::A100 ? title : titleP100;
    }
};
[[nodiscard]] std::span<const PartInfo> allParts();
/// Fails for an unknown name; the error lists all.
[[nodiscard]] Result<Part> partNamed(std::string_view name);

struct ExperimentPlan {
    std::vector<ComparisonPlan::Subject> programs;
    eval::TrustedRules rules;
    std::string ruleSets;  ///< names of the rule sets
    std::shared_ptr<const cost::CostModel> cost;
    std::string costName;
    std::set<Part> parts;  ///< at least one
    std::uint32_t repetitions = 5;
    std::uint32_t budget = 128;    ///< iterations of the tree search before each application of a rule
    std::uint64_t nodes = 2000;    ///< the most e-nodes
    double secondsPerRun = 600.0;  ///< time limit, extraction included
    unsigned jobs = 1;
    PaperDevice paperDevice = PaperDevice::A100;  ///< whose numbers stand beside ours
    PaperNumbers paper = {};
    std::optional<OtherExperiment> beside = {};  ///< to compare with, under the costs of another device
};

/// A run by its place in the plan.
struct RunKey {
    std::size_t program = 0;
    std::size_t approach = 0;
    std::uint32_t budget = 0;  ///< of the tree search; 0 for approaches without one
    std::uint64_t seed = 1;

    friend auto operator<=>(const RunKey&, const RunKey&) = default;
};
/// "nasrnn.mcts-ocf-ilp.b128.s1", "nasrnn.tensat"
[[nodiscard]] std::string nameOf(const ExperimentPlan& plan, const RunKey& key);
/// The same of a run that has ended.
[[nodiscard]] std::string nameOf(const RunRecord& record);
/// The runs that the parts need, each once. Those of the first seed come first, so that an experiment that is stopped early covers all
/// programs. Approaches that are not randomized run once.
[[nodiscard]] std::vector<RunKey> runsOf(const ExperimentPlan& plan);
/// The budgets of the part `budgets`: 1, 2, 4, … and the plan's.
[[nodiscard]] std::vector<std::uint32_t> budgetsOf(const ExperimentPlan& plan);

}  // namespace mitos::search::experiments
