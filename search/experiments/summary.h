// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment in numbers: rows of Table 2, means over programs, rules used.
#pragma once

#include "search/experiments/devices.h"
#include "search/experiments/egraph_mcts.h"
#include "search/experiments/measure.h"
#include "search/experiments/paper_numbers.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// The runs of one program under one approach and budget.
struct ResultRow {
    std::string program;
    std::size_t approach = 0;  ///< index into approaches()
    std::uint32_t budget = 0;
    double initialCost = 0.0;
    Measure gain;        ///< of the extracted programs, in per cent
    Measure resultGain;  ///< of the results, which are never worse than the start
    Measure seconds;
    Measure nodes;                      ///< of the last e-graphs
    std::uint32_t multiIterations = 0;  ///< TENSAT: its k_multi
    std::size_t checked = 0;            ///< runs whose thread the checker accepted
    std::size_t outOfTime = 0;          ///< runs that the time limit ended
    double worstGain = 0.0;             ///< of the extracted programs
    std::optional<PaperResult> paper;
};

/// Means of the paper's numbers.
struct PaperMean {
    double gain = 0.0;
    double seconds = 0.0;
};

/// Means over the programs for which every approach of the list has runs, each program counting once.
struct ApproachMean {
    std::size_t approach = 0;
    std::uint32_t budget = 0;
    std::size_t programs = 0;
    double gain = 0.0;
    double seconds = 0.0;
    std::size_t outOfTime = 0;            ///< runs that the time limit ended
    std::optional<PaperMean> paper = {};  ///< of the same programs; nothing if it lacks one
};

/// How often the rules were applied in the first run of every program.
struct RuleUse {
    std::size_t approach = 0;
    std::size_t outOfTime = 0;  ///< runs that the time limit ended
    std::vector<std::string> programs;
    std::vector<std::string> rules;                  ///< those that were applied, in the order of the plan's rules
    std::vector<std::vector<std::uint64_t>> counts;  ///< by rule and program: iterations that applied it
};

struct Summary {
    std::vector<ResultRow> rows;         ///< at the plan's budget; programs outermost, approaches in their order
    std::vector<ResultRow> budgets;      ///< of MCTS OCF/ILP, by program and budget
    std::vector<ApproachMean> figure5;   ///< of the five approaches with tree search
    std::vector<ApproachMean> figure6;   ///< of TENSAT, MCTS OCF/ILP and ILP/ILP
    std::vector<ApproachMean> byBudget;  ///< of MCTS OCF/ILP, smallest budget first
    std::vector<DeviceRow> devices;      ///< of the networks that the other experiment of the plan has, too
    std::vector<RuleUse> rules;          ///< of TENSAT, MCTS ILP/ILP and OCF/ILP, as far as their figures are wanted

    /// Null if the program has no runs under the approach.
    [[nodiscard]] const ResultRow* row(std::string_view program, std::string_view approach) const;
};
[[nodiscard]] Summary summaryOf(const ExperimentPlan& plan, const ExperimentResults& results);

}  // namespace mitos::search::experiments
