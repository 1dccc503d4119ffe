// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the coarsening paper: a run for each benchmark, which times all its configurations.
#pragma once

#include "search/experiments/coarsening.h"
#include "search/experiments/experiment.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mitos::search::experiments {

/// Runs of one folder share compiler, libraries, machine and measuring time; they are made one after another, as they would disturb each other.
class CoarseningExperiment final : public Experiment {
public:
    static constexpr std::string_view Name = "coarsening";
    /// Looks for compiler and libraries. `machine` is a line on the machine. Fails for a name of a benchmark or part that does not exist, as
    /// coarseningTools() does, and if the paper's numbers cannot be read.
    [[nodiscard]] static Result<std::unique_ptr<CoarseningExperiment>> open(CoarseningPlan plan, std::string machine,
                                                                            const std::stop_token& stop,
                                                                            const OnStep& onStep);

    [[nodiscard]] std::string_view name() const override { return Name; }
    [[nodiscard]] std::string settings() const override;
    [[nodiscard]] Environment facts() const override;
    [[nodiscard]] std::vector<std::string> runs() const override;
    [[nodiscard]] Result<EndedRun> make(std::size_t run, const std::stop_token& stop,
                                        const OnStep& onStep) const override;
    [[nodiscard]] bool isOf(std::size_t run, const std::string& record) const override;
    [[nodiscard]] std::string summary(const std::string& record) const override;
    [[nodiscard]] ExperimentReport report(const ExperimentRuns& runs, const std::stop_token& stop) const override;

private:
    CoarseningExperiment() = default;

    CoarseningPlan m_plan;
    std::vector<const CoarseningBenchmark*> m_benchmarks;
    CoarseningTools m_tools;
    std::vector<CoarseningNumbers> m_paper;
    std::string m_machine;
};

}  // namespace mitos::search::experiments
