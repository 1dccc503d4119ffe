// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment of the REGAL paper: a run for the searches of one method on some graphs.
#pragma once

#include "search/experiments/experiment.h"
#include "search/experiments/named_numbers.h"
#include "search/experiments/regal_graphs.h"
#include "search/experiments/regal_models.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mitos::search::experiments {

/// Runs of one folder share seeds, evaluations and all that graphs and machines depend on. More graphs, parts and networks may be added, and
/// models: runs with another model than the one that is used now are made again. Methods without a model are failures of the report.
class RegalExperiment final : public Experiment {
public:
    static constexpr std::string_view Name = "regal";
    /// Reads the models. Fails as checkPlan() and RegalModels::in() do, and if the paper's numbers cannot be read.
    [[nodiscard]] static Result<std::unique_ptr<RegalExperiment>> open(RegalPlan plan);

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
    RegalExperiment(RegalPlan plan, RegalModels models, NamedNumbers paper);
    [[nodiscard]] const RegalModel* modelOf(const RegalKey& key) const;

    RegalPlan m_plan;
    RegalModels m_models;
    NamedNumbers m_paper;
    RegalGraphs m_graphs;
    std::vector<RegalRun> m_runs;
    std::vector<std::pair<std::string, std::string>> m_missing;  ///< method and task, reason
    std::string m_networks = "not needed";                       ///< the library, for the report
};

}  // namespace mitos::search::experiments
