// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the e-graph MCTS paper: the approaches of plan.h on networks.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/initial_costs.h"
#include "search/experiments/plan.h"
#include "search/experiments/record.h"
#include "search/saturation/saturation_run.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

struct ExperimentResults {
    std::vector<InitialCosts> initial;  ///< of the programs, in their order, if Table 1 is wanted
    std::vector<RunRecord> runs;        ///< those that have ended, in the order of runsOf()
    std::size_t wanted = 0;             ///< runs that the plan needs
    std::vector<std::pair<std::string, std::string>> failures;  ///< name of a run or program, reason
};

/// A run keeps its record, with costs, time, the rules of each iteration and the cost of each e-graph, and beside it
///
///     programs/PROGRAM.txt, NAME.txt               the program that it starts from, and its result
///     graphs/PROGRAM.first.json, NAME.last.json    e-graphs in the format egraph-serialize
///
/// More programs, seeds, parts and budgets may be added to a folder later.
class EGraphMcts final : public Experiment {
public:
    static constexpr std::string_view Name = "egraph-mcts";
    /// Fails if the rules cannot be prepared for e-graphs.
    [[nodiscard]] static Result<std::unique_ptr<EGraphMcts>> open(ExperimentPlan plan);

    [[nodiscard]] std::string_view name() const override { return Name; }
    [[nodiscard]] std::string settings() const override;
    [[nodiscard]] Environment facts() const override;
    [[nodiscard]] std::vector<std::string> runs() const override;
    [[nodiscard]] unsigned jobs() const override { return m_plan.jobs; }
    [[nodiscard]] Result<EndedRun> make(std::size_t run, const std::stop_token& stop,
                                        const OnStep& onStep) const override;
    [[nodiscard]] bool isOf(std::size_t run, const std::string& record) const override;
    [[nodiscard]] std::string summary(const std::string& record) const override;
    [[nodiscard]] ExperimentReport report(const ExperimentRuns& runs, const std::stop_token& stop) const override;

    /// Reads the runs, and computes Table 1 if it is wanted.
    [[nodiscard]] ExperimentResults results(const ExperimentRuns& runs, const std::stop_token& stop) const;

private:
    EGraphMcts(ExperimentPlan plan, EGraphRules rules);

    ExperimentPlan m_plan;
    EGraphRules m_rules;
    std::vector<RunKey> m_keys;
};

}  // namespace mitos::search::experiments
