// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the Knossos paper on arithmetic: a run for one method on one task with one seed.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/knossos.h"
#include "search/experiments/knossos_searches.h"
#include "search/experiments/named_numbers.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// Runs of one folder share epochs, evaluations, rules, and all settings of trainings. More repetitions, tasks and methods may be added. Methods
/// whose network cannot be had are failures of the report.
class KnossosExperiment final : public Experiment {
public:
    static constexpr std::string_view Name = "knossos-arithmetic";
    /// Fails as checkPlan() does, and if programs or the paper's numbers cannot be read.
    [[nodiscard]] static Result<std::unique_ptr<KnossosExperiment>> open(KnossosPlan plan);

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

private:
    KnossosExperiment(KnossosPlan plan, KnossosPrograms programs, NamedNumbers paper);

    KnossosPlan m_plan;
    KnossosPrograms m_programs;
    NamedNumbers m_paper;
    std::vector<KnossosRun> m_runs;
    std::vector<std::pair<std::string, std::string>> m_missing;  ///< method, reason
    std::string m_library = "not needed";                        ///< that of the networks, for the report
};

}  // namespace mitos::search::experiments
